//! `eval`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use bethink_api::{Fault, FaultKind};
use bethink_evaluation::{
    Endpoint, EvaluationError, EvaluationParts, FirstToken, Level, Life, Load, Mode, Progress, Reminding,
    Retrieval, first_token, intents, overhead, recall, reminders, retrieval, soak, times,
};
use bethink_settings::Settings;
use bethink_text::times::Locale;

use crate::args::{EvalCommand, LevelArgument};
use crate::output::Output;

fn tell(output: Output, json: &serde_json::Value, human: &str) -> anyhow::Result<()> {
    output.object(json)?;
    Ok(output.line(human.trim_end())?)
}

/// Reads time phrases; needs no memory.
fn phrases(output: Output, file: &Path, out: &Path, locale: &str) -> anyhow::Result<ExitCode> {
    let known = Locale::from_tag(locale).ok_or_else(|| {
        Fault::new(FaultKind::Usage, format!("`{locale}` is no locale; write it as en-GB or en-US"))
    })?;
    let report = times(file, out, known).map_err(fault)?;
    output.object(&report.json())?;
    output.line(&report.human())?;
    Ok(ExitCode::SUCCESS)
}

/// Measures, in a directory of its own beside the data, which is never opened.
pub(crate) async fn run(
    settings: &Settings,
    output: Output,
    command: EvalCommand,
) -> anyhow::Result<ExitCode> {
    if let EvalCommand::Times { file, out, locale } = &command {
        return phrases(output, file, out, locale);
    }
    let scratch = match &command {
        EvalCommand::Times { .. } => None,
        EvalCommand::Recall { scratch, .. }
        | EvalCommand::Intents { scratch, .. }
        | EvalCommand::Retrieval { scratch, .. }
        | EvalCommand::Reminders { scratch, .. }
        | EvalCommand::Soak { scratch, .. }
        | EvalCommand::FirstToken { scratch, .. }
        | EvalCommand::Overhead { scratch, .. } => scratch.clone(),
    };
    let recipe = settings.clone();
    let parts = EvaluationParts {
        recipe: Arc::new(move |data_dir| recipe.ingredients(data_dir)),
        scratch: scratch.unwrap_or_else(std::env::temp_dir),
    };
    let mut meter = Meter { output, terminal: std::io::stderr().is_terminal() };
    let mut watch = |progress: Progress| meter.show(&progress);
    match command {
        EvalCommand::Recall { files, .. } => {
            let report = recall(&files, &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
        EvalCommand::Intents { file, out, .. } => {
            let report = intents(&file, out.as_deref(), &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
        EvalCommand::Times { .. } => {}
        EvalCommand::Retrieval { dir, out, questions, level, k, live, .. } => {
            let level = match level {
                LevelArgument::Turn => Level::Turn,
                LevelArgument::Session => Level::Session,
            };
            let mode = if live { Mode::Live } else { Mode::Ranking };
            let asked = Retrieval { dir, questions, out, level, k, mode };
            let report = retrieval(&asked, &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
        EvalCommand::Reminders { spaces, each, told, .. } => {
            let report =
                reminders(Reminding { spaces, each, told }, &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
        EvalCommand::Soak { days, users, turns, .. } => {
            let report = soak(Life { days, users, turns }, &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
        EvalCommand::FirstToken { turns, traces, base_url, model, .. } => {
            let endpoint = base_url.zip(model).map(|(base_url, model)| Endpoint { base_url, model });
            let asked = FirstToken { turns, traces, endpoint };
            let report = first_token(&asked, &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
        EvalCommand::Overhead { traces, hashed, .. } => {
            let report = overhead(Load { traces, hashed }, &parts, &mut watch).await.map_err(fault)?;
            tell(output, &report.json(), &report.human())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) struct Meter {
    pub(crate) output: Output,
    pub(crate) terminal: bool,
}

impl Meter {
    pub(crate) fn show(&mut self, progress: &Progress) {
        let Progress { what, done, total, left } = progress;
        let line = format!("{what}: {done} of {total}, {} s left", left.as_secs());
        if self.terminal {
            self.output.overwrite(&line, done == total);
        } else {
            self.output.note(&line);
        }
    }
}

pub(crate) fn fault(error: EvaluationError) -> Fault {
    let kind = match &error {
        EvaluationError::Scratch { .. } | EvaluationError::Results { .. } => FaultKind::Unwritable,
        EvaluationError::Memory(_) | EvaluationError::Runtime(_) => FaultKind::Failed,
        EvaluationError::Embedder(_) | EvaluationError::Model(_) => FaultKind::Model,
        _ => FaultKind::Usage,
    };
    Fault::new(kind, error.to_string())
}
