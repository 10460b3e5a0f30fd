//! Starting the reminders of a space.

use std::sync::Arc;

use bethink_domain::SpaceId;
use bethink_memory_store::MemoryStore;
use bethink_protocol::Look;
use bethink_reminders::{Reminders, RemindersArgs};
use kameo::actor::ActorRef;
use kameo::mailbox;
use kameo::prelude::Spawn;
use kameo::supervision::RestartPolicy;

use super::{CRASHES_MAX, FORGIVING_QUIET, Parts, Supervisor, counted, started};
use crate::error::RuntimeError;
use crate::health::Builds;

/// Messages that may wait for the reminders: each takes microseconds to begin.
const REMINDERS_MAILBOX: usize = 256;

/// Starts the reminders of a space; what time did while it slept is settled before anybody asks.
pub(super) async fn spawn_reminders(
    parts: &Parts,
    space: &SpaceId,
    supervisor: &ActorRef<Supervisor>,
    store: &ActorRef<MemoryStore>,
    builds: &Builds,
) -> Result<ActorRef<Reminders>, RuntimeError> {
    let args = RemindersArgs {
        space: space.clone(),
        store: bethink_memory_store::reminder_ports(store),
        embed: parts.embed.clone(),
        couriers: Arc::new(parts.bells.clone()),
        next_look: Arc::new(parts.wakes.clone()),
        zone: parts.zone_name.clone(),
        locale: parts.locale,
        config: parts.store.prospective,
    };
    let reminders = Reminders::supervise_with(supervisor, counted(args, builds))
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
        .spawn_with_mailbox(mailbox::bounded(REMINDERS_MAILBOX))
        .await;
    started(&reminders, "reminders").await?;
    if let Err(error) = reminders.ask(Look { at: parts.clock.now() }).send().await {
        tracing::warn!(%space, %error, "reminders could not be looked at");
    }
    // What is overdue is shown once the space is awake; nobody waits for that.
    let _ = reminders.tell(Look { at: parts.clock.now() }).try_send();
    Ok(reminders)
}
