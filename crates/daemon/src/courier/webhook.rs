//! A webhook that reminders are posted to.

use bethink_protocol::{NotTaken, Parcel};
use bethink_providers::Webhook;
use bethink_runtime::{Courier, Delivering};

use super::shape;

/// Posts reminders to a webhook.
#[derive(Debug)]
pub struct Posted {
    webhook: Webhook,
}

impl Posted {
    /// To this one.
    #[must_use]
    pub fn new(webhook: Webhook) -> Self {
        Self { webhook }
    }
}

impl Courier for Posted {
    fn door(&self) -> &'static str {
        "webhook"
    }

    fn deliver<'a>(&'a self, parcel: &'a Parcel) -> Delivering<'a> {
        Box::pin(async move {
            let unix = parcel.at.as_millis().div_euclid(1_000);
            let sent = self.webhook.post(&parcel.due.id.to_string(), unix, shape(parcel).to_string()).await;
            sent.map_err(|error| NotTaken(error.to_string()))
        })
    }
}
