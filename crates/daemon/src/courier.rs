//! What takes reminders when no conversation is open: a command, webhooks.

mod command;
mod webhook;

use bethink_protocol::Parcel;
use serde_json::{Value, json};

pub use command::OnDue;
pub use webhook::Posted;

/// A reminder as it is handed out: one shape for commands and webhooks. `id` names the delivery, the same at every attempt.
fn shape(parcel: &Parcel) -> Value {
    let due = bethink_api::due(&parcel.due);
    json!({
        "id": due.delivery, "reminder": due.id, "agent": parcel.space.agent.as_str(),
        "user": parcel.space.user.as_str(), "text": due.text, "tags": due.tags, "due_at": due.due_at,
        "when": parcel.when, "late": due.late, "again": due.again, "missed": due.missed,
    })
}
