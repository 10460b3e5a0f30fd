//! Embedders whose vectors still serve while memories move to the configured one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_domain::EmbedderIdentity;
use bethink_protocol::{EmbedPort, Offload, offload};
use bethink_providers::{Embedder, EmbedderArgs, EmbeddingModel};
use kameo::actor::ActorRef;
use kameo::mailbox;
use kameo::prelude::Spawn;
use kameo::supervision::RestartPolicy;
use tokio::sync::OnceCell;

use crate::family::counted;
use crate::health::Builds;
use crate::start::{CRASHES_MAX, EMBEDDER_MAILBOX, FORGIVING_QUIET, Root};

/// Gives the embedder of an identity, where it can be had beside the configured one. Blocks on the disk.
pub type FormerEmbedders =
    Arc<dyn Fn(&EmbedderIdentity) -> Result<Option<Arc<dyn EmbeddingModel>>, String> + Send + Sync>;

/// No other embedder can be had.
#[must_use]
pub fn no_former_embedders() -> FormerEmbedders {
    Arc::new(|_| Ok(None))
}

/// The process's other embedders, an actor each, made when the first space needs one. There are as many as its memories hold
/// vectors of, which is one as a rule.
#[derive(Clone)]
pub(crate) struct Formers {
    pub(crate) make: FormerEmbedders,
    pub(crate) root: ActorRef<Root>,
    /// Where they are loaded.
    pub(crate) blocking: Arc<dyn Offload>,
    /// Where they run: the thread that the configured one has, so that they take no more of the machine.
    pub(crate) inference: Arc<dyn Offload>,
    made: Arc<Mutex<HashMap<EmbedderIdentity, Arc<Made>>>>,
}

/// None for one that can't be had.
type Made = OnceCell<Option<EmbedPort>>;

impl Formers {
    pub(crate) fn new(
        make: FormerEmbedders,
        root: ActorRef<Root>,
        blocking: Arc<dyn Offload>,
        inference: Arc<dyn Offload>,
    ) -> Self {
        Self { make, root, blocking, inference, made: Arc::default() }
    }

    /// The port of an embedder, where it can be had.
    pub(crate) async fn port(&self, identity: &EmbedderIdentity) -> Option<EmbedPort> {
        let made = {
            let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(identity.clone()).or_default())
        };
        made.get_or_init(|| self.make(identity)).await.clone()
    }

    async fn make(&self, identity: &EmbedderIdentity) -> Option<EmbedPort> {
        let (make, wanted) = (Arc::clone(&self.make), identity.clone());
        let model = match offload(&self.blocking, move || make(&wanted)).await {
            Ok(Ok(model)) => model.filter(|model| model.identity() == *identity)?,
            Ok(Err(error)) => {
                tracing::warn!(model = %identity.model, error, "the former embedder can't be had");
                return None;
            }
            // The process is ending.
            Err(_) => return None,
        };
        Some(self.start(model).await)
    }

    async fn start(&self, model: Arc<dyn EmbeddingModel>) -> EmbedPort {
        let args = EmbedderArgs { model, offload: Arc::clone(&self.inference) };
        let embedder = Embedder::supervise_with(&self.root, counted(args, &Builds::default()))
            .restart_policy(RestartPolicy::Transient)
            .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
            .spawn_with_mailbox(mailbox::bounded(EMBEDDER_MAILBOX))
            .await;
        embedder.wait_for_startup().await;
        embedder.reply_recipient()
    }
}
