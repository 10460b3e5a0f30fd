//! `doctor`: whether memory is sound.

use std::io::IsTerminal;
use std::process::ExitCode;

use bethink::Builder;
use bethink_api::{DirectoryExamined, Examined, FaultKind, Found, Request, Response, SpaceName};
use bethink_domain::Severity;
use bethink_settings::Settings;
use serde_json::json;
use tokio::time::Instant;

use super::backup::size;
use super::mismatch;
use crate::open::{Opened, open};
use crate::output::Output;

/// What is asked for.
pub(crate) struct Asked {
    pub(crate) deep: bool,
    pub(crate) repair: bool,
    pub(crate) migrate: bool,
    /// Spaces of this agent alone.
    pub(crate) agent: Option<String>,
    /// Spaces of this user alone.
    pub(crate) user: Option<String>,
}

/// What came of all spaces.
#[derive(Default)]
struct Verdict {
    spaces: usize,
    healthy: usize,
    /// Something that was told is damaged.
    damaged: usize,
    /// Something derived is wrong still, or could not be looked at.
    ailing: usize,
    repaired: u64,
}

impl Verdict {
    fn count(&mut self, found: &Found, repaired: &Found) {
        self.repaired += repaired.total();
        if found.any(Severity::Truth) {
            self.damaged += 1;
        } else if found.any(Severity::Derived) {
            self.ailing += 1;
        } else {
            self.healthy += 1;
        }
    }

    fn code(&self) -> ExitCode {
        match (self.damaged, self.ailing) {
            (0, 0) => ExitCode::SUCCESS,
            (0, _) => ExitCode::from(FaultKind::Failed.exit_code()),
            _ => ExitCode::from(FaultKind::Data.exit_code()),
        }
    }
}

/// Examines the data directory and its spaces, through their owner; without a directory, none is made.
pub(crate) async fn run(
    builder: &Builder,
    settings: &Settings,
    output: Output,
    asked: Asked,
) -> anyhow::Result<ExitCode> {
    if !settings.data_dir.exists() {
        output.object(&json!({ "spaces": 0, "healthy": 0, "damaged": 0, "ailing": 0, "repaired": 0 }))?;
        output.line(&format!("There is no memory in {} yet.", settings.data_dir.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let opened = open(builder, settings).await?;
    let examined = examine(&opened, output, asked).await;
    let closed = opened.close().await;
    let code = examined?;
    closed?;
    Ok(code)
}

/// One space after the other.
async fn examine(opened: &Opened, output: Output, asked: Asked) -> anyhow::Result<ExitCode> {
    let request = Request::ExamineDirectory { repair: asked.repair };
    let Response::DirectoryExamined(directory) = opened.ask(request).await? else {
        return Err(mismatch().into());
    };
    let mut verdict = Verdict::default();
    verdict.count(&directory.found, &directory.repaired);
    (verdict.healthy, verdict.spaces) = (0, 0);
    say_directory(output, &directory)?;
    let wanted = |of: &Option<String>, name: &str| of.as_deref().is_none_or(|of| of == name);
    let spaces: Vec<SpaceName> = directory
        .spaces
        .into_iter()
        .filter(|space| wanted(&asked.agent, &space.agent) && wanted(&asked.user, &space.user))
        .collect();
    let begun = Instant::now();
    for (number, space) in spaces.iter().enumerate() {
        let request = Request::Examine { deep: asked.deep, repair: asked.repair, migrate: asked.migrate };
        match opened.door.ask(space.clone(), request).await {
            Ok(Response::Examined(examined)) => {
                verdict.count(&examined.found, &examined.repaired);
                say(output, space, &examined, asked.deep)?;
            }
            Ok(_) => return Err(mismatch().into()),
            // The others are looked at all the same.
            Err(fault) => {
                verdict.ailing += 1;
                output.object(&json!({ "space": name(space), "fault": fault.message }))?;
                output.line(&format!("{}: could not be examined: {}", name(space), fault.message))?;
            }
        }
        verdict.spaces += 1;
        progress(output, number + 1, spaces.len(), begun);
    }
    output.object(&json!({
        "spaces": verdict.spaces, "healthy": verdict.healthy, "damaged": verdict.damaged,
        "ailing": verdict.ailing, "repaired": verdict.repaired,
    }))?;
    output.line(&summary(&verdict))?;
    Ok(verdict.code())
}

/// A passing line with a bar, where a person watches and there is something to wait for.
fn progress(output: Output, done: usize, all: usize, begun: Instant) {
    if all < 2 || !std::io::stderr().is_terminal() {
        return;
    }
    let filled = 24 * done / all;
    let left = begun.elapsed().mul_f64((all - done) as f64 / done as f64);
    let bar = format!("{}{}", "#".repeat(filled), ".".repeat(24 - filled));
    output.overwrite(&format!("[{bar}] {done} of {all} spaces, {} s left", left.as_secs()), done == all);
}

fn name(space: &SpaceName) -> String {
    format!("{}/{}", space.agent, space.user)
}

fn say_directory(output: Output, directory: &DirectoryExamined) -> anyhow::Result<()> {
    output.object(&json!({
        "directory": directory.data_dir, "found": directory.found, "repaired": directory.repaired,
    }))?;
    if directory.found.total() + directory.repaired.total() > 0 {
        output.line(&format!("{}: {}", directory.data_dir, told(&directory.found, &directory.repaired)))?;
        findings(output, &directory.found, &directory.repaired)?;
    }
    Ok(())
}

fn say(output: Output, space: &SpaceName, examined: &Examined, sizes: bool) -> anyhow::Result<()> {
    let mut object = serde_json::to_value(examined)?;
    object["space"] = name(space).into();
    output.object(&object)?;
    let memories =
        if examined.traces == 1 { "1 memory".to_owned() } else { format!("{} memories", examined.traces) };
    let about = match examined.format {
        Some(_) => format!("{memories}, {}, ", size(examined.file_bytes)),
        None => String::new(),
    };
    output.line(&format!("{}: {about}{}", name(space), told(&examined.found, &examined.repaired)))?;
    findings(output, &examined.found, &examined.repaired)?;
    if sizes {
        for table in examined.tables.iter().filter(|table| table.rows > 0) {
            let (rows, payload, pages) = (table.rows, size(table.payload), size(table.pages));
            output
                .line(&format!("  {:<14} {rows:>9} rows  {payload:>12} in {pages} of pages", table.table))?;
        }
        output.line(&format!("  {:<14} {:>9}       {:>12}", "free", "", size(examined.free_bytes)))?;
    }
    Ok(())
}

fn told(found: &Found, repaired: &Found) -> String {
    let wrong = [Severity::Truth, Severity::Derived].into_iter().any(|severity| found.any(severity));
    let mended = match repaired.total() {
        0 => String::new(),
        count => format!(", {count} repaired"),
    };
    if wrong { format!("{} found{mended}", found.total()) } else { format!("healthy{mended}") }
}

fn findings(output: Output, found: &Found, repaired: &Found) -> anyhow::Result<()> {
    let mut before = "";
    for finding in &found.listed {
        let detail = if finding.detail.is_empty() { String::new() } else { format!(" ({})", finding.detail) };
        output.line(&format!("  {:<8} {:<20} {}{detail}", finding.severity, finding.code, finding.place))?;
        if finding.code != before {
            output.line(&format!("           {} To do: {}.", finding.meaning, finding.remedy))?;
        }
        before = &finding.code;
    }
    let listed = found.listed.len() as u64;
    if found.total() > listed {
        output.line(&format!("  and {} more", found.total() - listed))?;
    }
    for (code, count) in &repaired.counts {
        output.line(&format!("  repaired {code:<20} {count}"))?;
    }
    Ok(())
}

fn summary(verdict: &Verdict) -> String {
    let spaces =
        if verdict.spaces == 1 { "1 space".to_owned() } else { format!("{} spaces", verdict.spaces) };
    let mut said = format!("{spaces} examined: {} healthy", verdict.healthy);
    if verdict.damaged > 0 {
        said.push_str(&format!(", {} damaged", verdict.damaged));
    }
    if verdict.ailing > 0 {
        said.push_str(&format!(", {} to be repaired", verdict.ailing));
    }
    if verdict.repaired > 0 {
        said.push_str(&format!("; {} findings repaired", verdict.repaired));
    }
    said.push('.');
    said
}
