//! Messages that take traces out of a space and into it.

use bethink_protocol::{
    ExportTraces, ExportTurns, ExportedTraces, ExportedTurns, Import, Imported, MemoryError,
};
use kameo::message::{Context, Message};
use kameo::reply::DelegatedReply;

use super::MemoryStore;
use super::writing::Delegated;
use crate::apply::{Answer, Command, known};
use crate::file::read;
use crate::view;

/// Bytes of text of one page: a page goes through the socket as one frame, where a byte can take six.
const PAGE_BYTES_MAX: usize = 1 << 20;
/// Turns of one page.
const TURNS_MAX: usize = 1_000;

impl Message<ExportTraces> for MemoryStore {
    type Reply = Delegated<ExportedTraces>;

    async fn handle(&mut self, request: ExportTraces, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        ctx.spawn(self.look(move |snapshot| view::export(snapshot, &request, PAGE_BYTES_MAX)))
    }
}

impl Message<ExportTurns> for MemoryStore {
    type Reply = Delegated<ExportedTurns>;

    async fn handle(&mut self, request: ExportTurns, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let slot = self.args.slot.clone();
        let ExportTurns { after, limit } = request;
        let size = (limit.clamp(1, TURNS_MAX), PAGE_BYTES_MAX);
        let work = self.look(move |_| {
            let page = slot.with(|database| read::turns_above(slot.path(), database, after, size));
            page.map(|(turns, more)| ExportedTurns { turns, more }).map_err(|error| error.told())
        });
        ctx.spawn(async move { work.await? })
    }
}

impl Message<Import> for MemoryStore {
    type Reply = DelegatedReply<Result<Imported, MemoryError>>;

    async fn handle(&mut self, import: Import, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        // Told at once, without a vector or a commit, so that an import that goes on passes quickly over what is there.
        if let Some(id) = known(&self.published.load(), &import.trace) {
            let (delegated, sender) = ctx.reply_sender();
            if let Some(sender) = sender {
                sender.send(Ok(Imported::Known { id }));
            }
            return delegated;
        }
        let at = import.at;
        self.accept(Command::Import { import, masked: Vec::new() }, at, ctx, |answer| {
            if let Answer::Imported(imported) = answer { Some(imported) } else { None }
        })
    }
}
