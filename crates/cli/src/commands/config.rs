//! `config`: whether the configuration holds, what is in force, and what there is to set.

use std::path::Path;
use std::process::ExitCode;

use bethink::Builder;
use bethink_api::{Fault, FaultKind};
use bethink_settings::{Mistake, Origin, Overrides, Settings, SettingsError, Shown, reference};
use serde_json::{Value, json};

use crate::args::ConfigCommand;
use crate::commands::fault;
use crate::output::Output;

/// Runs a command on the configuration. It opens no memory.
pub(crate) fn run(builder: &Builder, output: Output, command: ConfigCommand) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Check { file } => {
            let over = Overrides { config: file, ..Overrides::default() };
            check(&builder.clone().over(over), output)
        }
        ConfigCommand::Show { egress: true, .. } => egress(&builder.settings().map_err(fault)?, output),
        ConfigCommand::Show { section, changed, .. } => {
            show(&builder.settings().map_err(fault)?, output, section.as_deref(), changed)
        }
        ConfigCommand::Reference => {
            let page = reference();
            output.part(&page)?;
            output.object(&json!({ "markdown": page }))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn usage(error: SettingsError) -> Fault {
    Fault::new(FaultKind::Usage, error.to_string())
}

fn check(builder: &Builder, output: Output) -> anyhow::Result<ExitCode> {
    let mistakes = match builder.settings() {
        Ok(settings) => {
            let path = settings.path.as_deref().map(Path::display);
            output.line(&match &path {
                Some(path) => format!("{path}: nothing is wrong"),
                None => "there is no configuration file: the defaults are in force".to_owned(),
            })?;
            output.object(&json!({ "ok": true, "path": path.map(|path| path.to_string()) }))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(bethink::Error::Settings(SettingsError::Wrong(mistakes))) => mistakes,
        Err(error) => return Err(fault(error).into()),
    };
    for mistake in &mistakes {
        output.object(&said(mistake))?;
    }
    output.object(&json!({ "ok": false, "mistakes": mistakes.len() }))?;
    if output.json {
        return Ok(ExitCode::from(FaultKind::Usage.exit_code()));
    }
    Err(usage(SettingsError::Wrong(mistakes)).into())
}

fn said(mistake: &Mistake) -> Value {
    json!({ "key": mistake.key, "origin": origin(&mistake.origin), "message": mistake.message })
}

fn origin(origin: &Origin) -> Value {
    match origin {
        Origin::File { path, line } => {
            json!({ "from": "file", "path": path.display().to_string(), "line": line })
        }
        Origin::Environment(name) => json!({ "from": "environment", "name": name }),
        Origin::Flag(name) => json!({ "from": "flag", "name": name }),
        _ => json!({ "from": "default" }),
    }
}

fn show(
    settings: &Settings,
    output: Output,
    section: Option<&str>,
    changed: bool,
) -> anyhow::Result<ExitCode> {
    let mut last = String::new();
    for shown in settings.shown(section).map_err(usage)? {
        if changed && shown.origin == Origin::Default {
            continue;
        }
        if shown.section != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            output.line(&format!("{gap}{}", header(&shown.section)))?;
            last.clone_from(&shown.section);
        }
        output.line(&line(&shown))?;
        output.object(&json!({
            "section": shown.section, "key": shown.name, "value": shown.value,
            "origin": origin(&shown.origin), "note": shown.note,
        }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The header of a section; of one of several, `agents[0]`, that of a further one.
fn header(section: &str) -> String {
    match section.split_once('[') {
        Some((several, _)) => format!("[[{several}]]"),
        None => format!("[{section}]"),
    }
}

fn line(shown: &Shown) -> String {
    let Some(value) = &shown.value else { return format!("# {} is not set", shown.name) };
    let note = shown.note.map(|note| format!(", {note}")).unwrap_or_default();
    format!("{} = {value}  # {}{note}", shown.name, shown.origin)
}

fn egress(settings: &Settings, output: Output) -> anyhow::Result<ExitCode> {
    let flows = settings.flows();
    if flows.is_empty() {
        output.line(&settings.egress())?;
    }
    let width = |of: fn(&bethink_settings::Flow) -> usize| flows.iter().map(of).max().unwrap_or_default();
    let (host, data) = (width(|flow| flow.host.chars().count()), width(|flow| flow.data.chars().count()));
    for flow in &flows {
        output.line(&format!("{:host$}  {:data$}  {}", flow.host, flow.data, flow.key))?;
        output.object(&json!({ "host": flow.host, "data": flow.data, "key": flow.key }))?;
    }
    Ok(ExitCode::SUCCESS)
}
