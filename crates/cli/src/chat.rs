//! `chat`: talking to the agent, on a terminal or line by line from a pipe.

mod lines;
mod reminding;
mod terminal;
mod turns;

use std::process::ExitCode;
use std::time::Duration;

use bethink_api::{Fault, FaultKind, Request, Response};
use bethink_clock::{Clock, Entropy, SystemClock};
use bethink_domain::{AgentName, SessionId, SpaceId, Span, Timestamp, UserName};
use bethink_runtime::TYPED_LINES;
use bethink_settings::Settings;
use serde_json::json;

use crate::args::RemindersCommand;
use crate::commands::{forget, mismatch, reminders};
use crate::open::Opened;
use crate::output::Output;
use crate::say;
use lines::{Lines, Read};
use reminding::{Coming, Place};
use terminal::Terminal;
use turns::{Interrupts, Shown};

const HELP: &str = "\
Just talk: tell me things, and ask me about them later.
  /why         how the last answer came about
  /reminders   what I am to remind you of
  /done WHICH  it was seen to: an id or words, or nothing for the one that was shown last
  /snooze WHEN show me the last one again then
  /private     recall, but write nothing, from here on; /private again ends it
  /forget ID   delete a memory for ever (ids: bethink memory list)
  /help        this
  /quit        leave (so does Ctrl-D); Ctrl-C stops an answer";

/// Until a door that ended is knocked at again.
const RENEWED_AFTER: Duration = Duration::from_millis(500);

/// A conversation through a door.
struct Chat<'a> {
    opened: &'a mut Opened,
    settings: &'a Settings,
    output: Output,
    session: SessionId,
    spoke_at: Timestamp,
    private: bool,
    /// The worst fault of the conversation, for the exit code of a pipe.
    fault: Option<FaultKind>,
}

/// What a line of input led to.
enum Next {
    Continue,
    Leave,
}

/// Talks until the input ends.
pub(crate) async fn run(
    opened: &mut Opened,
    settings: &Settings,
    output: Output,
    private: bool,
) -> anyhow::Result<ExitCode> {
    let terminal = Output::is_terminal() && !output.json;
    let mut interrupts = Interrupts::new()?;
    let held = terminal.then(Terminal::hold).flatten();
    let mut lines = Lines::start(terminal.then(|| settings.data_dir.join(TYPED_LINES)))?;
    let now = SystemClock.now();
    let session = new_session(opened, now);
    let mut chat = Chat { opened, settings, output, session, spoke_at: now, private, fault: None };
    chat.greet()?;
    chat.opened.courier(settings, false).await?;
    let mut coming = Coming::listen(chat.opened).await;
    loop {
        let read = chat.read(&mut lines, &mut interrupts, &mut coming).await?;
        match read {
            Read::Line(line) => match chat.line(&line, &mut lines, (&mut interrupts, &mut coming)).await? {
                Next::Continue => {}
                Next::Leave => break,
            },
            Read::Refused(why) => {
                output.note(&why);
                chat.fault = Some(FaultKind::Usage);
            }
            Read::Interrupted => output.line("(Ctrl-D or /quit leaves)")?,
            Read::Stopped => {
                output.line("")?;
                chat.fault = Some(FaultKind::Interrupted);
                break;
            }
            Read::End => break,
        }
    }
    coming.rest(chat.opened, settings, output).await?;
    drop(held);
    // On a terminal every fault has been seen and talked over.
    let fault = chat.fault.filter(|kind| !terminal || *kind == FaultKind::Interrupted);
    Ok(fault.map_or(ExitCode::SUCCESS, |kind| ExitCode::from(kind.exit_code())))
}

fn new_session(opened: &Opened, now: Timestamp) -> SessionId {
    let space = AgentName::new(&opened.space.agent)
        .ok()
        .zip(UserName::new(&opened.space.user).ok())
        .map(|(agent, user)| SpaceId { agent, user });
    // A name that is not valid is refused with the first message; until then any session will do.
    let chance =
        space.map_or(0, |space| Entropy::system().draw(&space, "session", now.as_millis() as u64, 0));
    SessionId::compose(now, chance, 0)
}

impl Chat<'_> {
    fn greet(&self) -> anyhow::Result<()> {
        let data = self.settings.data_dir.display().to_string();
        let private = if self.private { " Private: nothing of this is kept." } else { "" };
        self.output.object(&json!({ "event": "opened", "data_dir": data, "private": self.private }))?;
        self.output.line(&format!(
            "Memory is in {data}; {}.{private}\n/help shows what else you can do.",
            self.settings.egress()
        ))?;
        Ok(())
    }

    /// The next line; what comes due meanwhile is shown.
    async fn read(
        &mut self,
        lines: &mut Lines,
        interrupts: &mut Interrupts,
        coming: &mut Coming,
    ) -> anyhow::Result<Read> {
        let prompt = Place::Prompt(lines.over());
        let reading = lines.next(self.private);
        tokio::pin!(reading);
        loop {
            tokio::select! {
                read = &mut reading => return Ok(read),
                () = interrupts.next() => return Ok(Read::Stopped),
                due = coming.next() => match due {
                    Some(due) => reminding::show(self.opened, self.output, self.settings, &due, (&prompt, false)).await?,
                    None => self.renew(coming).await,
                },
            }
        }
    }

    /// The process that told of reminders ended: another one does now.
    async fn renew(&mut self, coming: &mut Coming) {
        tokio::time::sleep(RENEWED_AFTER).await;
        if self.opened.owns() || self.opened.ask(Request::Hello).await.is_ok() {
            *coming = Coming::listen(self.opened).await;
        } else if let Err(fault) = self.reopen(coming).await {
            // It is knocked at again; whoever says something is told.
            tracing::debug!(%fault, "nobody tells of reminders now");
        }
    }

    /// Finds the way in anew, after the process that owned the memory ended.
    async fn reopen(&mut self, coming: &mut Coming) -> Result<(), Fault> {
        let builder = self.opened.builder.clone();
        *self.opened = crate::open::open(&builder, self.settings).await?;
        self.opened.courier(self.settings, false).await?;
        *coming = Coming::listen(self.opened).await;
        Ok(())
    }

    async fn line(
        &mut self,
        line: &str,
        lines: &mut Lines,
        (interrupts, coming): (&mut Interrupts, &mut Coming),
    ) -> anyhow::Result<Next> {
        let trimmed = line.trim();
        if trimmed.starts_with('/') {
            return self.command(trimmed, lines).await;
        }
        if trimmed.is_empty() {
            return Ok(Next::Continue);
        }
        self.renew_session();
        let asked = turns::Asked { session: self.session, message: line.to_owned(), private: self.private };
        let mut shown =
            turns::run(self.opened, self.settings, self.output, &asked, (interrupts, coming)).await?;
        if let Shown::Fault(fault) = &shown
            && fault.fault.kind == FaultKind::Gone
        {
            self.reopen(coming).await?;
            if !fault.begun {
                shown =
                    turns::run(self.opened, self.settings, self.output, &asked, (interrupts, coming)).await?;
            }
        }
        match shown {
            Shown::Answered { interrupted: true, .. } => Ok(self.interrupted()),
            Shown::Answered { kept, .. } => {
                if !kept {
                    self.fault = Some(FaultKind::Unwritable);
                }
                Ok(Next::Continue)
            }
            Shown::Fault(turns::Broken { fault, .. }) => {
                self.output
                    .object(&json!({ "event": "fault", "kind": fault.kind, "message": fault.message }))?;
                self.output.line(&format!("({fault})"))?;
                if fault.kind == FaultKind::Interrupted {
                    return Ok(self.interrupted());
                }
                self.fault = Some(fault.kind);
                Ok(Next::Continue)
            }
        }
    }

    /// A script's Ctrl-C ends the script; a person's ends the answer.
    fn interrupted(&mut self) -> Next {
        if Output::is_terminal() {
            return Next::Continue;
        }
        self.fault = Some(FaultKind::Interrupted);
        Next::Leave
    }

    /// After a long silence a new session begins, with nothing left in mind.
    fn renew_session(&mut self) {
        let now = SystemClock.now();
        if now.since(self.spoke_at) >= Span::from_seconds(self.settings.session_idle_seconds) {
            self.session = new_session(self.opened, now);
        }
        self.spoke_at = now;
    }

    async fn command(&mut self, line: &str, lines: &mut Lines) -> anyhow::Result<Next> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match name {
            "/quit" | "/exit" => return Ok(Next::Leave),
            "/help" => self.output.line(HELP)?,
            "/private" => {
                self.private = !self.private;
                self.output.line(if self.private {
                    "Private from here on: I recall, and keep nothing of what is said. /private ends it."
                } else {
                    "No longer private: what you tell me is kept again."
                })?;
            }
            "/reminders" => self.reminders(None).await?,
            "/done" => {
                let which = vec![rest.trim().to_owned()];
                self.reminders(Some(RemindersCommand::Done { which })).await?;
            }
            "/snooze" if rest.trim().is_empty() => self.output.line("Until when? /snooze an hour")?,
            "/snooze" => {
                let until = rest.trim().to_owned();
                self.reminders(Some(RemindersCommand::Snooze { which: Vec::new(), until })).await?;
            }
            "/why" => self.why().await?,
            "/forget" => self.forget(rest.trim(), lines).await?,
            other => self.output.line(&format!("I don't know {other}. /help shows what there is."))?,
        }
        Ok(Next::Continue)
    }

    async fn reminders(&mut self, command: Option<RemindersCommand>) -> anyhow::Result<()> {
        let ran = reminders::run(self.opened, self.output, (false, Vec::new()), command).await;
        if let Err(error) = ran {
            self.output.line(&format!("({error})"))?;
        }
        Ok(())
    }

    async fn why(&mut self) -> anyhow::Result<()> {
        match self.opened.ask(Request::ShowTurn { turn: None }).await {
            Ok(Response::TurnRecord(turn)) => {
                self.output.object(&serde_json::to_value(&turn)?)?;
                for line in say::turn(&turn, self.settings) {
                    self.output.line(&line)?;
                }
                Ok(())
            }
            Ok(_) => Err(mismatch().into()),
            Err(fault) => Ok(self.output.line(&format!("({fault})"))?),
        }
    }

    async fn forget(&mut self, id: &str, lines: &mut Lines) -> anyhow::Result<()> {
        if id.is_empty() {
            return Ok(self.output.line("Which one? /forget ID, with an id from `bethink memory list`.")?);
        }
        let plan = match self.forgotten(id, true).await {
            Ok(plan) => plan,
            Err(fault) => return Ok(self.output.line(&format!("({fault})"))?),
        };
        for line in forget::describe(&plan) {
            self.output.line(&line)?;
        }
        self.output.line("Delete this for ever? Answer yes or no.")?;
        let sure =
            matches!(lines.next(true).await, Read::Line(line) if matches!(line.trim(), "y" | "yes" | "Yes"));
        if !sure {
            return Ok(self.output.line("Nothing was deleted.")?);
        }
        match self.forgotten(id, false).await {
            Ok(mut done) => {
                forget::await_disk(self.opened, &mut done).await?;
                Ok(self.output.line(&forget::receipt(&done, self.settings))?)
            }
            Err(fault) => Ok(self.output.line(&format!("({fault})"))?),
        }
    }

    async fn forgotten(&self, id: &str, rehearse: bool) -> Result<bethink_api::Forgotten, Fault> {
        match self.opened.ask(Request::Forget { id: id.to_owned(), rehearse }).await? {
            Response::Forgotten(forgotten) => Ok(forgotten),
            _ => Err(mismatch()),
        }
    }
}
