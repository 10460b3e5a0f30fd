//! Who can be shown a reminder at its time: open conversations first, then what is configured.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bethink_domain::SpaceId;
use bethink_protocol::{Couriers, NotTaken, Parcel};
use tokio::sync::{mpsc, oneshot};

/// How long an open conversation may take to show a reminder and say so.
const SHOWING_MAX: Duration = Duration::from_secs(30);
/// Reminders that wait for one conversation to show them. They come one after another.
const WAITING_MAX: usize = 16;
/// Conversations of one space that are told.
const LISTENERS_MAX: usize = 256;

/// What a courier's delivery comes to.
pub type Delivering<'a> = Pin<Box<dyn Future<Output = Result<(), NotTaken>> + Send + 'a>>;

/// Somebody or something that takes reminders, such as a command or a webhook.
pub trait Courier: Send + Sync + std::fmt::Debug {
    /// What it is called in the log, such as `webhook`.
    fn door(&self) -> &'static str;

    /// Delivers one; it is taken when this says so.
    fn deliver<'a>(&'a self, parcel: &'a Parcel) -> Delivering<'a>;
}

/// A reminder that is handed to an open conversation.
#[derive(Debug)]
pub struct Handed {
    /// It.
    pub parcel: Parcel,
    /// To be told once it was shown.
    pub taken: oneshot::Sender<()>,
}

/// Everybody who can be shown reminders. Clones are the same ones.
#[derive(Debug, Clone, Default)]
pub struct Bells(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    listeners: Mutex<HashMap<SpaceId, Vec<mpsc::Sender<Handed>>>>,
    couriers: Mutex<Vec<Arc<dyn Courier>>>,
    stays: AtomicBool,
}

impl Bells {
    /// From now on reminders of a space are handed out here, until the receiver is dropped; none when too many listen.
    #[must_use]
    pub fn listen(&self, space: &SpaceId) -> Option<mpsc::Receiver<Handed>> {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        let mut listeners = self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let own = listeners.entry(space.clone()).or_default();
        own.retain(|listener| !listener.is_closed());
        if own.len() >= LISTENERS_MAX {
            return None;
        }
        own.push(sender);
        Some(receiver)
    }

    /// Adds one who takes reminders of every space when no conversation did.
    pub fn add(&self, courier: Arc<dyn Courier>) {
        self.0.couriers.lock().unwrap_or_else(PoisonError::into_inner).push(courier);
    }

    /// This process stays in the background: what comes due is told at its time.
    pub fn set_stays(&self) {
        self.0.stays.store(true, Ordering::SeqCst);
    }

    fn listeners(&self, space: &SpaceId) -> Vec<mpsc::Sender<Handed>> {
        let mut listeners = self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(own) = listeners.get_mut(space) else { return Vec::new() };
        own.retain(|listener| !listener.is_closed());
        own.clone()
    }

    fn couriers(&self) -> Vec<Arc<dyn Courier>> {
        self.0.couriers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Couriers for Bells {
    fn stay(&self) -> bool {
        self.0.stays.load(Ordering::SeqCst)
    }

    fn present(&self, space: &SpaceId) -> bool {
        !self.couriers().is_empty() || !self.listeners(space).is_empty()
    }

    fn deliver<'a>(
        &'a self,
        parcel: &'a Parcel,
    ) -> Pin<Box<dyn Future<Output = Result<&'static str, NotTaken>> + Send + 'a>> {
        Box::pin(async move {
            let mut reasons = Vec::new();
            for listener in self.listeners(&parcel.space) {
                let (taken, shown) = oneshot::channel();
                if listener.try_send(Handed { parcel: parcel.clone(), taken }).is_err() {
                    continue;
                }
                match tokio::time::timeout(SHOWING_MAX, shown).await {
                    Ok(Ok(())) => return Ok("chat"),
                    Ok(Err(_)) => reasons.push("a conversation ended".to_owned()),
                    Err(_) => reasons.push("a conversation showed it too slowly".to_owned()),
                }
            }
            for courier in self.couriers() {
                match courier.deliver(parcel).await {
                    Ok(()) => return Ok(courier.door()),
                    Err(NotTaken(reason)) => reasons.push(format!("{}: {reason}", courier.door())),
                }
            }
            Err(NotTaken(if reasons.is_empty() { "nobody is there".to_owned() } else { reasons.join("; ") }))
        })
    }
}
