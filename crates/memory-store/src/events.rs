//! What a commit tells those who listen, read off the journal.

use bethink_domain::{DeliveryId, Event, EventKind, Quantity, SpaceId, TurnEnd};

use crate::file::tables::Op;

/// The events of one command's changes, in their order.
pub(crate) fn events(space: &SpaceId, ops: &[Op]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut add = |at, kind| events.push(Event { space: space.clone(), at, kind });
    for op in ops {
        match op {
            Op::Journal(entry) => {
                for change in &entry.changes {
                    let trace = change.trace;
                    match change.quantity {
                        Quantity::Encoded => add(entry.at, EventKind::TraceEncoded { trace }),
                        // A use counts one up; nothing else changes this number.
                        Quantity::Uses => add(entry.at, EventKind::TraceCredited { trace }),
                        Quantity::Acknowledged => {
                            // The occurrence that ended is the number before.
                            let delivery = DeliveryId { reminder: trace, occurrence: change.before as u32 };
                            add(entry.at, EventKind::ReminderAcknowledged { delivery });
                        }
                        Quantity::Forgotten => add(entry.at, EventKind::TraceForgotten { trace }),
                        _ => {}
                    }
                }
            }
            Op::Turn(record) if record.end == TurnEnd::Done => {
                let kind = EventKind::TurnCompleted {
                    session: record.session,
                    turn: record.turn,
                    encoded: record.encoded.clone(),
                    used: record.used.clone(),
                };
                add(record.at, kind);
            }
            _ => {}
        }
    }
    events
}
