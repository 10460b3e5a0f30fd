//! Taking traces out and in through the door of this process.

use bethink_api::{self as api, ExportLine, ExportPage, Fault, FaultKind, Request, Response};
use bethink_domain::SpaceId;
use bethink_protocol as protocol;

use crate::local::{LocalDoor, parse};

/// Most lines of one page.
const PAGE_MAX: usize = 1_000;

impl LocalDoor {
    /// Answers the requests of exports and imports.
    pub(crate) async fn transfer(&self, space: &SpaceId, request: Request) -> Result<Response, Fault> {
        match request {
            Request::Export { after, limit } => {
                let (after, limit) = (after.as_deref().map(parse).transpose()?, checked(limit)?);
                let message = protocol::ExportTraces { after, limit };
                let page = self.memory(space, |ports| &ports.memory.export, message).await?;
                let line = |trace| ExportLine::Trace(Box::new(api::ExportedTrace::from(trace)));
                Ok(Response::Export(ExportPage {
                    lines: page.traces.iter().map(line).collect(),
                    more: page.more,
                }))
            }
            Request::ExportTurns { after, limit } => {
                let (after, limit) = (after.as_deref().map(parse).transpose()?, checked(limit)?);
                let message = protocol::ExportTurns { after, limit };
                let page = self.memory(space, |ports| &ports.memory.export_turns, message).await?;
                let line = |turn| ExportLine::Turn(api::ExportedTurn::from(turn));
                Ok(Response::Export(ExportPage {
                    lines: page.turns.iter().map(line).collect(),
                    more: page.more,
                }))
            }
            Request::Import { trace, revive } => {
                if trace.replaced_by.is_some() {
                    return Ok(Response::Imported(api::Imported::Replaced));
                }
                let at = self.now();
                let trace =
                    trace.trace(at).map_err(|error| Fault::new(FaultKind::Usage, error.to_string()))?;
                let message = protocol::Import { trace: Box::new(trace), embedding: None, revive, at };
                let done = self.memory(space, |ports| &ports.memory.import, message).await?;
                Ok(Response::Imported(done.into()))
            }
            _ => Err(Fault::new(FaultKind::Usage, "neither an export nor an import")),
        }
    }
}

fn checked(limit: usize) -> Result<usize, Fault> {
    if (1..=PAGE_MAX).contains(&limit) {
        return Ok(limit);
    }
    Err(Fault::new(FaultKind::Usage, format!("the limit is {limit}; it can be 1 to {PAGE_MAX}")))
}
