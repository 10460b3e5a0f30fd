//! `bench`.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use bethink_api::{Fault, FaultKind};
use bethink_clock::{Clock, SystemClock};
use bethink_evaluation::{
    BENCH_VERSION, Bench, BenchReport, EvaluationParts, Measure, Progress, ResidentOf, bench, plots,
    resident_of,
};
use bethink_settings::Settings;
use clap::{Args, ValueEnum};

use super::eval::{Meter, fault};
use crate::output::Output;

/// What is measured, and where it goes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  bethink bench recall wake --sizes 1k,10k\n  bethink bench --sizes 1k,10k,100k,1m --out bench.json\n  bethink bench --from bench.json --plots docs/benchmarks --write docs/benchmarks.md\n\nNothing of yours is opened: spaces are made of invented statements, in a directory that goes at the end."
)]
pub(crate) struct BenchCommand {
    /// What is measured [default: all]
    #[arg(value_enum)]
    measures: Vec<MeasureArgument>,
    /// Memories of each space, 100 to 2,000,000; k and m stand for thousands and millions
    #[arg(long, value_delimiter = ',', default_value = "1k,10k", value_parser = size)]
    sizes: Vec<usize>,
    /// Statements that are imported, embedding included; 5 ms and more each
    #[arg(long, default_value = "1k", value_parser = size)]
    statements: usize,
    /// Where temporary memory is made; what is measured of a disk is measured of this one [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Keep the spaces in a directory, and use those that are there
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// A program that does it another way, as `benches/versus` builds
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// Leave it out of larger sizes than this
    #[arg(long, default_value = "100k", value_parser = size, value_name = "SIZE")]
    against_max: usize,
    /// Write the figures to a file as JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure nothing, and take figures that `--out` wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["measures", "keep", "against", "out"])]
    from: Option<PathBuf>,
    /// Draw the figures against size, as SVG files in a directory
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Write the page of benchmarks
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Tell what waking the space in a directory takes of memory, for the process that measures
    #[arg(long, value_name = "DIR", hide = true)]
    resident: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MeasureArgument {
    /// Durable statements, of one client and of 64
    Remember,
    /// Recall, alone and while a thousand statements a second are stored
    Recall,
    /// Whole turns, without a language model
    Turn,
    /// From a space asleep to the first answer
    Wake,
    /// Resident memory and the file
    Memory,
    /// Taking statements in with the configured embedder
    Import,
    /// Consolidation, which is not built yet
    Consolidate,
}

impl From<MeasureArgument> for Measure {
    fn from(argument: MeasureArgument) -> Self {
        match argument {
            MeasureArgument::Remember => Self::Remember,
            MeasureArgument::Recall => Self::Recall,
            MeasureArgument::Turn => Self::Turn,
            MeasureArgument::Wake => Self::Wake,
            MeasureArgument::Memory => Self::Memory,
            MeasureArgument::Import => Self::Import,
            MeasureArgument::Consolidate => Self::Consolidate,
        }
    }
}

/// A count such as 500, 10k or 1m.
fn size(text: &str) -> Result<usize, String> {
    let lower = text.trim().to_ascii_lowercase();
    let (digits, times) = match (lower.strip_suffix('k'), lower.strip_suffix('m')) {
        (Some(digits), _) => (digits, 1_000),
        (_, Some(digits)) => (digits, 1_000_000),
        _ => (lower.as_str(), 1),
    };
    let number = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(times));
    number.ok_or_else(|| format!("`{text}` is no count such as 500, 10k or 1m"))
}

/// Measures, or takes what was measured, and shows it.
pub(crate) async fn run(
    settings: &Settings,
    output: Output,
    command: BenchCommand,
) -> anyhow::Result<ExitCode> {
    let recipe = settings.clone();
    let parts = EvaluationParts {
        recipe: Arc::new(move |data_dir| recipe.ingredients(data_dir)),
        scratch: command.scratch.clone().unwrap_or_else(std::env::temp_dir),
    };
    if let Some(root) = command.resident {
        let traces = command.sizes.first().copied().unwrap_or_default();
        let figures = resident_of(root, traces, &parts).await.map_err(fault)?;
        Output { json: true }.object(&serde_json::to_value(figures)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = match &command.from {
        Some(file) => read(file)?,
        None => {
            let mut meter = Meter { output, terminal: std::io::stderr().is_terminal() };
            let mut watch = |progress: Progress| meter.show(&progress);
            let asked = asked(&command, settings);
            bench(&asked, &parts, &mut watch).await.map_err(fault)?
        }
    };
    let json = serde_json::to_value(&report)?;
    if let Some(file) = &command.out {
        write(file, &format!("{}\n", serde_json::to_string_pretty(&json)?))?;
    }
    if let Some(dir) = &command.plots {
        fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
        for (name, _, svg) in plots(&report) {
            write(&dir.join(format!("{name}.svg")), &svg)?;
        }
    }
    if let Some(file) = &command.write {
        let folder = command.plots.as_deref().map(|dir| beside(dir, file));
        write(file, &report.page(folder.as_deref()))?;
    }
    output.object(&json)?;
    output.line(report.human().trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn asked(command: &BenchCommand, settings: &Settings) -> Bench {
    let now = rfc3339_day(&SystemClock);
    Bench {
        measures: command.measures.iter().copied().map(Measure::from).collect(),
        sizes: command.sizes.clone(),
        keep: command.keep.clone(),
        against: command.against.clone(),
        against_max: command.against_max,
        statements: command.statements,
        resident_of: myself(settings),
        day: now,
    }
}

fn rfc3339_day(clock: &dyn Clock) -> String {
    bethink_api::rfc3339(clock.now()).chars().take(10).collect()
}

/// This program once more, without an embedded model, whose weights would hide what a space takes.
fn myself(settings: &Settings) -> Option<ResidentOf> {
    let program = std::env::current_exe().ok()?;
    let profile = format!("memory.profile={}", settings.memory.profile.name());
    Some(Arc::new(move |root: &Path, traces| {
        let mut command = std::process::Command::new(&program);
        command
            .args(["--set", "embedding.provider=none", "--set", &profile, "bench", "--resident"])
            .arg(root);
        command.arg("--sizes").arg(traces.to_string());
        command
    }))
}

fn read(file: &Path) -> anyhow::Result<BenchReport> {
    let text = fs::read_to_string(file)
        .map_err(|error| Fault::new(FaultKind::Usage, format!("{}: {error}", file.display())))?;
    let report: BenchReport =
        serde_json::from_str(&text).with_context(|| format!("{} holds no figures", file.display()))?;
    if report.v > BENCH_VERSION {
        let message = format!("{} was written by a newer program", file.display());
        return Err(Fault::new(FaultKind::Usage, message).into());
    }
    Ok(report)
}

/// A directory as a page names it that lies in another.
fn beside(dir: &Path, page: &Path) -> String {
    let within = page.parent().unwrap_or(Path::new(""));
    dir.strip_prefix(within).unwrap_or(dir).display().to_string()
}

fn write(file: &Path, text: &str) -> Result<(), Fault> {
    fs::write(file, text).map_err(|error| unwritable(file, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Unwritable, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_with_their_letters() {
        let check = |text, expected: Option<usize>| assert_eq!(size(text).ok(), expected, "{text}");
        check("500", Some(500));
        check("10k", Some(10_000));
        check("1M", Some(1_000_000));
        check("k", None);
        check("1g", None);
        check("99999999999999999999m", None);
    }

    #[test]
    fn a_page_names_plots_from_where_it_lies() {
        assert_eq!(beside(Path::new("docs/benchmarks"), Path::new("docs/benchmarks.md")), "benchmarks");
        assert_eq!(beside(Path::new("/tmp/x"), Path::new("docs/benchmarks.md")), "/tmp/x");
    }
}
