//! Moving memories to another embedder through the door of this process.

use bethink_api::{EmbedderView, Fault, FaultKind, Request, Response};
use bethink_domain::SpaceId;
use bethink_protocol as protocol;

use crate::local::LocalDoor;

impl LocalDoor {
    /// Answers the requests about embedders.
    pub(crate) async fn embedder(&self, space: &SpaceId, request: Request) -> Result<Response, Fault> {
        let at = self.now();
        match request {
            Request::Embedder => {}
            Request::Migrate { anyway } => {
                let message = protocol::Migrate { at, anyway };
                self.memory(space, |ports| &ports.memory.migrate, message).await?;
            }
            Request::CancelMigration => {
                let message = protocol::CancelMigration { at };
                self.memory(space, |ports| &ports.memory.cancel_migration, message).await?;
            }
            _ => return Err(Fault::new(FaultKind::Usage, "this is about no embedder")),
        }
        let figures = self.memory(space, |ports| &ports.memory.show_embedder, protocol::ShowEmbedder).await?;
        Ok(Response::Embedder(EmbedderView::from(&figures)))
    }
}
