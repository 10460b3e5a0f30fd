//! Telling what happened to whoever listens.
//!
//! Nobody waits for a listener. One that is too slow is told how many events it missed.

use bethink_domain::Event;
use futures_util::Stream;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// Events that wait for the slowest listener; what is older, it misses. A turn makes a handful, an import one for each
/// statement.
pub const EVENTS_MAX: usize = 1_024;

/// A listener was too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{events} events were missed")]
pub struct Missed {
    /// How many events it did not hear.
    pub events: u64,
}

/// What a listener hears next: an event, or how many it missed here.
pub type Heard = Result<Event, Missed>;

/// Where events are told and heard. Clones are one bus.
#[derive(Debug, Clone)]
pub struct EventBus {
    sender: broadcast::Sender<Event>,
    /// Set when nothing more will happen.
    over: CancellationToken,
}

impl Default for EventBus {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(EVENTS_MAX), over: CancellationToken::new() }
    }
}

impl EventBus {
    /// Tells an event. Never waits.
    pub fn tell(&self, event: Event) {
        // Fails only when nobody listens.
        let _ = self.sender.send(event);
    }

    /// Listens from now on, until the runtime has shut down.
    #[must_use]
    pub fn listen(&self) -> Events {
        self.listen_until(&self.over)
    }

    /// Listens from now on, until `over` is set; what was told before that is heard first.
    #[must_use]
    pub fn listen_until(&self, over: &CancellationToken) -> Events {
        Events { receiver: self.sender.subscribe(), over: over.clone() }
    }

    /// Set when nothing more will happen.
    #[must_use]
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Lets every listener come to the end of what was told.
    pub fn close(&self) {
        self.over.cancel();
    }
}

/// Events as they come.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Event>,
    over: CancellationToken,
}

impl Events {
    /// The next event, or how many were missed before it; none when there will be no more.
    pub async fn next(&mut self) -> Option<Heard> {
        let next = tokio::select! {
            // What was told is heard before the end is.
            biased;
            next = self.receiver.recv() => next,
            () = self.over.cancelled() => return None,
        };
        match next {
            Ok(event) => Some(Ok(event)),
            Err(RecvError::Lagged(events)) => Some(Err(Missed { events })),
            Err(RecvError::Closed) => None,
        }
    }

    /// The same as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Heard> + Send + Unpin + 'static {
        Box::pin(futures_util::stream::unfold(self, |mut events| async {
            let heard = events.next().await?;
            Some((heard, events))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bethink_domain::{AgentName, EventKind, SpaceId, Timestamp, UserName};

    fn event(at: i64) -> Event {
        let space = SpaceId { agent: AgentName::new("a").unwrap(), user: UserName::new("u").unwrap() };
        Event { space, at: Timestamp::from_millis(at), kind: EventKind::SpaceWoken }
    }

    #[tokio::test]
    async fn a_slow_listener_is_told_how_many_events_it_missed() {
        let bus = EventBus::default();
        let mut slow = bus.listen();
        let told = EVENTS_MAX as i64 + 7;
        (0..told).for_each(|at| bus.tell(event(at)));
        assert_eq!(slow.next().await, Some(Err(Missed { events: 7 })));
        assert_eq!(slow.next().await, Some(Ok(event(7))), "it goes on with the oldest that is left");
        bus.close();
        let mut left = 0;
        while let Some(heard) = slow.next().await {
            heard.unwrap();
            left += 1;
        }
        assert_eq!(left, EVENTS_MAX - 1, "what was told before the end is heard");
    }
}
