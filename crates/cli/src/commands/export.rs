//! `export`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bethink_api::{EXPORT_VERSION, ExportLine, ExportPage, Fault, FaultKind, Request, Response, rfc3339};
use bethink_clock::{Clock, SystemClock};
use serde_json::json;

use super::mismatch;
use crate::open::Opened;
use crate::output::{Closed, Output};

/// Lines fetched at a time.
const PAGE: usize = 500;

/// What was asked for.
pub(crate) struct Asked {
    pub(crate) file: PathBuf,
    pub(crate) transcript: bool,
    pub(crate) replace: bool,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Traces,
    Turns,
}

/// Writes everything beside the file and renames it into place, so that the file is whole or not there.
pub(crate) async fn run(opened: &Opened, output: Output, asked: Asked) -> anyhow::Result<ExitCode> {
    let Asked { file, transcript, replace } = asked;
    if file.as_os_str() == "-" {
        let mut out = BufWriter::new(io::stdout());
        write(opened, &mut out, transcript).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if file.exists() && !replace {
        let message = format!("{} is there already; --replace writes over it", file.display());
        return Err(Fault::new(FaultKind::Usage, message).into());
    }
    let part = beside(&file);
    let written = whole(opened, &part, transcript).await;
    if written.is_err() {
        // What is left of it is no export.
        drop(fs::remove_file(&part));
    }
    let (traces, turns) = written?;
    fs::rename(&part, &file).map_err(|error| unwritable(&file, &error))?;
    output.object(&json!({ "file": file.display().to_string(), "traces": traces, "turns": turns }))?;
    let turns = if transcript { format!(" and {turns} turns") } else { String::new() };
    output.line(&format!("{traces} memories{turns} are in {}", file.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part-{}", std::process::id()));
    file.with_file_name(name)
}

async fn whole(opened: &Opened, part: &Path, transcript: bool) -> anyhow::Result<(usize, usize)> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(part);
    let file = made.map_err(|error| unwritable(part, &error))?;
    let mut out = BufWriter::new(file);
    let counts = write(opened, &mut out, transcript).await.map_err(|error| {
        // Of standard output this would be a reader who left; here it is the disk.
        match error.downcast::<Closed>() {
            Ok(closed) => Fault::new(FaultKind::Unwritable, format!("{}: {closed}", part.display())).into(),
            Err(error) => error,
        }
    })?;
    let file: File = out.into_inner().map_err(|error| unwritable(part, error.error()))?;
    file.sync_all().map_err(|error| unwritable(part, &error))?;
    Ok(counts)
}

async fn write(
    opened: &Opened,
    out: &mut (impl Write + Send),
    transcript: bool,
) -> anyhow::Result<(usize, usize)> {
    let (agent, user) = (opened.space.agent.clone(), opened.space.user.clone());
    let at = rfc3339(SystemClock.now());
    line(out, &ExportLine::Export { v: EXPORT_VERSION, agent, user, at })?;
    let traces = pages(opened, out, What::Traces).await?;
    let turns = if transcript { pages(opened, out, What::Turns).await? } else { 0 };
    out.flush().map_err(Closed::from)?;
    Ok((traces, turns))
}

async fn pages(opened: &Opened, out: &mut (impl Write + Send), what: What) -> anyhow::Result<usize> {
    let (mut after, mut count) = (None, 0);
    loop {
        let request = match what {
            What::Traces => Request::Export { after: after.take(), limit: PAGE },
            What::Turns => Request::ExportTurns { after: after.take(), limit: PAGE },
        };
        let Response::Export(ExportPage { lines, more }) = opened.ask(request).await? else {
            return Err(mismatch().into());
        };
        lines.iter().try_for_each(|one| line(out, one))?;
        count += lines.len();
        after = lines.last().and_then(|last| match last {
            ExportLine::Trace(trace) => trace.id.clone(),
            ExportLine::Turn(turn) => Some(turn.turn.clone()),
            ExportLine::Export { .. } => None,
        });
        if !more || after.is_none() {
            return Ok(count);
        }
    }
}

fn line(out: &mut impl Write, line: &ExportLine) -> anyhow::Result<()> {
    let text = serde_json::to_string(line)?;
    out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(Closed::from)?;
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Fault {
    Fault::new(FaultKind::Unwritable, format!("{}: {error}", path.display()))
}
