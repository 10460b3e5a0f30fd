//! One turn on the screen.

use bethink_api::{Fault, Request, Response, TurnProgress};
use bethink_domain::SessionId;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use bethink_settings::Settings;

use super::reminding::{self, Coming, Place};
use crate::commands::reminders;
use crate::open::Opened;
use crate::output::Output;

/// Ctrl-C and the request to end, as things to wait for.
pub(crate) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    /// From now on these signals no longer end the process by themselves.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for either.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// What is said.
pub(crate) struct Asked {
    pub(crate) session: SessionId,
    pub(crate) message: String,
    pub(crate) private: bool,
}

impl Asked {
    fn request(&self) -> Request {
        Request::Converse {
            session: self.session.to_string(),
            message: self.message.clone(),
            private: self.private,
            zone: reminders::system_zone(),
        }
    }
}

/// How it went.
pub(crate) enum Shown {
    /// The reply was shown, and what became of it; `interrupted` when it was complete before it could be stopped.
    /// `kept` is false when it should be on disk and is not.
    Answered { interrupted: bool, kept: bool },
    /// There is none.
    Fault(Broken),
}

/// A turn without an end.
pub(crate) struct Broken {
    pub(crate) fault: Fault,
    /// The other side had begun it, so that saying it again might do it twice.
    pub(crate) begun: bool,
}

/// Says something and shows the reply as it comes; returns only when the turn is on disk, or known not to be.
pub(crate) async fn run(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    asked: &Asked,
    (interrupts, coming): (&mut Interrupts, &mut Coming),
) -> anyhow::Result<Shown> {
    let mut parts = match opened.door.call(opened.space.clone(), asked.request()).await {
        Ok(parts) => parts,
        Err(fault) => return Ok(Shown::Fault(Broken { fault, begun: false })),
    };
    let mut turn = None;
    let (mut reply, mut warnings) = (String::new(), Vec::new());
    let mut interrupted = false;
    loop {
        let part = tokio::select! {
            part = parts.recv() => part,
            // Between the words of a reply it would be lost.
            due = coming.next(), if reply.is_empty() => {
                if let Some(due) = due {
                    reminding::show(opened, output, settings, &due, (&Place::Turn, false)).await?;
                } else {
                    *coming = Coming::closed();
                }
                continue;
            }
            () = interrupts.next() => {
                interrupted = true;
                if let Some(turn) = &turn {
                    // The turn's own end says what became of it.
                    drop(opened.ask(Request::Cancel { turn: String::clone(turn) }).await);
                }
                continue;
            }
        };
        match part {
            None => {
                // An owner that died before it said that it began has done nothing of it.
                let gone = turn.is_none() && !opened.owns();
                let fault = if gone { bethink_daemon::closed() } else { broken(output, &reply)? };
                return Ok(Shown::Fault(Broken { fault, begun: turn.is_some() }));
            }
            Some(Err(fault)) => {
                if !reply.is_empty() {
                    output.line("")?;
                }
                return Ok(Shown::Fault(Broken { fault, begun: turn.is_some() }));
            }
            Some(Ok(Response::Turn(TurnProgress::Began { turn: id }))) => turn = Some(id),
            Some(Ok(Response::Turn(TurnProgress::Text { text }))) => {
                output.part(&text)?;
                reply.push_str(&text);
            }
            Some(Ok(Response::Turn(TurnProgress::Warning { text }))) => warnings.push(text),
            Some(Ok(Response::Turn(TurnProgress::Due(due)))) => {
                reminding::show(opened, output, settings, &due, (&Place::Turn, asked.private)).await?;
            }
            Some(Ok(Response::Turn(end @ TurnProgress::Ended { .. }))) => {
                output.line("")?;
                let kept = ended(output, turn.as_deref(), &reply, &end)?;
                warnings.iter().for_each(|warning| output.note(&format!("Warning: {warning}")));
                return Ok(Shown::Answered { interrupted, kept });
            }
            Some(Ok(_)) => {
                return Ok(Shown::Fault(Broken { fault: crate::commands::mismatch(), begun: true }));
            }
        }
    }
}

fn broken(output: Output, reply: &str) -> anyhow::Result<Fault> {
    if !reply.is_empty() {
        output.line("")?;
    }
    Ok(Fault::new(bethink_api::FaultKind::Failed, "the answer broke off; it may not have been remembered"))
}

fn ended(output: Output, turn: Option<&str>, reply: &str, end: &TurnProgress) -> anyhow::Result<bool> {
    let TurnProgress::Ended { durable, private, not_remembered, encoded, used } = end else {
        return Ok(true);
    };
    if let Some(reason) = not_remembered {
        output.line(&format!("(not remembered: {reason})"))?;
    }
    output.object(&json!({
        "event": "answered", "turn": turn, "reply": reply, "durable": durable, "private": private,
        "not_remembered": not_remembered, "encoded": encoded, "used": used,
    }))?;
    Ok(not_remembered.is_none())
}
