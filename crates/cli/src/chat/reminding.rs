//! Reminders in a conversation: shown as they come due, then acknowledged.

use std::time::Duration;

use bethink_api::{Due, Request, Response};
use bethink_daemon::Responses;
use bethink_settings::Settings;
use serde_json::json;

use super::lines::Over;
use crate::commands::reminders::due_line;
use crate::open::Opened;
use crate::output::Output;

/// How long the end of a script waits at most for reminders that are due by then. Where none is, it does not wait.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Reminders as they come due.
pub(crate) struct Coming(Option<Responses>);

impl Coming {
    /// Listens from now on. A door that tells of none is no reason not to talk.
    pub(crate) async fn listen(opened: &Opened) -> Self {
        Self(opened.door.call(opened.space.clone(), Request::Listen).await.ok())
    }

    /// Nothing comes any more.
    pub(crate) fn closed() -> Self {
        Self(None)
    }

    /// The next one; none when the door closed, and never where it does not tell.
    pub(crate) async fn next(&mut self) -> Option<Due> {
        let Some(responses) = &mut self.0 else { return std::future::pending().await };
        match responses.recv().await {
            Some(Ok(Response::Due(due))) => Some(due),
            // An owner of an earlier version does not know what is asked.
            Some(_) => {
                self.0 = None;
                std::future::pending().await
            }
            None => None,
        }
    }

    /// Shows what is due at the end of a script.
    pub(crate) async fn rest(
        &mut self,
        opened: &Opened,
        settings: &Settings,
        output: Output,
    ) -> anyhow::Result<()> {
        if self.0.is_none() {
            return Ok(());
        }
        let looking = tokio::time::timeout(LAST_WAIT, opened.ask(Request::Look));
        tokio::pin!(looking);
        loop {
            tokio::select! {
                biased;
                due = self.next() => match due {
                    Some(due) => show(opened, output, settings, &due, (&Place::Turn, false)).await?,
                    None => return Ok(()),
                },
                // A door that can't look has nothing to show.
                _ = &mut looking => return Ok(()),
            }
        }
    }
}

/// Where a reminder is shown.
#[derive(Debug)]
pub(crate) enum Place {
    /// While the user may be typing.
    Prompt(Over),
    /// Within a turn, or after the last.
    Turn,
}

/// Shows one, then says so, which acknowledges it for everybody. One that is shown in private is not acknowledged.
pub(crate) async fn show(
    opened: &Opened,
    output: Output,
    settings: &Settings,
    due: &Due,
    (place, private): (&Place, bool),
) -> anyhow::Result<()> {
    let mut object = serde_json::to_value(due).unwrap_or_default();
    object["event"] = json!("reminder");
    output.object(&object)?;
    let line = due_line(due, settings);
    match place {
        Place::Prompt(over) => over.line(output, &line).await?,
        Place::Turn => output.line(&line)?,
    }
    if private {
        return Ok(());
    }
    let request = Request::Attend {
        which: Some(due.delivery.clone()),
        act: "acknowledge".to_owned(),
        when: None,
        text: None,
        zone: None,
    };
    if let Err(fault) = opened.ask(request).await {
        // It comes again, and is marked so.
        tracing::warn!(%fault, "a reminder could not be acknowledged");
    }
    Ok(())
}
