//! What lies beside the spaces and may hold their words: the lines that were typed in `chat`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_domain::EventKind;
use bethink_protocol::{EventBus, Offload, offload};
use tokio::task::JoinHandle;

/// The history of the line editor, in the data directory. `chat` writes it.
pub const TYPED_LINES: &str = "chat_history";

/// Removes the lines that were typed whenever something is forgotten: which of them spoke of it, nobody can tell.
pub(crate) fn forget_typed_lines(
    events: &EventBus,
    data_dir: &Arc<PathBuf>,
    blocking: &Arc<dyn Offload>,
) -> JoinHandle<()> {
    let (mut events, data_dir, blocking) = (events.listen(), Arc::clone(data_dir), Arc::clone(blocking));
    tokio::spawn(async move {
        while let Some(heard) = events.next().await {
            // What was missed may have been a forgetting.
            let forgotten =
                heard.map_or(true, |event| matches!(event.kind, EventKind::TraceForgotten { .. }));
            if forgotten {
                let path = data_dir.join(TYPED_LINES);
                // Abandoned only when the process ends.
                let _ = offload(&blocking, move || remove(&path)).await;
            }
        }
    })
}

fn remove(path: &Path) {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "typed lines may hold what was forgotten");
        }
        _ => {}
    }
}
