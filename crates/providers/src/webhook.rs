//! Posting to a webhook, signed.
//!
//! The signature is an HMAC with SHA-256 (RFC 2104) over the time of sending, a dot and the body, so that a receiver can
//! refuse what was forged or sent long ago.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use ring::hmac;

use crate::remote::{Receiver, Secret, WebhookAddress, webhook_client};

/// For reaching the receiver.
const CONNECT: Duration = Duration::from_secs(5);
/// For the whole call.
const CALL: Duration = Duration::from_secs(10);

/// Why a webhook can't be used, or did not take what was posted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// Its address is none.
    #[error("`{url}` {fault}")]
    Address {
        /// As configured.
        url: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The connection could not be prepared or used; posting again later may do.
    #[error("{0}")]
    Unreachable(String),
    /// It answered that it did not take it.
    #[error("{host} answered {status}")]
    Refused {
        /// Which.
        host: String,
        /// HTTP status.
        status: u16,
    },
}

/// Where something is posted.
#[derive(Debug)]
pub struct Webhook {
    address: WebhookAddress,
    client: reqwest::Client,
    secret: Option<Secret>,
}

impl Webhook {
    /// A webhook at an address; requests are signed where there is a secret.
    ///
    /// # Errors
    /// [`WebhookError::Address`] where the address is none, [`WebhookError::Unreachable`] where encryption can't be
    /// prepared.
    pub fn new(url: &str, secret: Option<Secret>) -> Result<Self, WebhookError> {
        let fault = |fault| WebhookError::Address { url: url.to_owned(), fault };
        let address = WebhookAddress::of(url).map_err(fault)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let client = webhook_client(&address, headers, CONNECT, CALL).map_err(WebhookError::Unreachable)?;
        Ok(Self { address, client, secret })
    }

    /// Where it is.
    #[must_use]
    pub fn receiver(&self) -> Receiver {
        self.address.receiver()
    }

    /// Posts a body under the name of a delivery; `unix` is the time of sending in seconds since 1970. Taken where the
    /// answer is 200 to 299.
    ///
    /// # Errors
    /// What kept it from being taken.
    pub async fn post(&self, delivery: &str, unix: i64, body: String) -> Result<(), WebhookError> {
        let mut request = self.client.post(self.address.url()).header("X-Bethink-Delivery", delivery);
        if let Some(secret) = &self.secret {
            request = request.header("X-Bethink-Signature", signature(secret.reveal(), unix, &body));
        }
        // What an error says of the address may hold a token.
        let sent = request.body(body).send().await.map_err(|error| {
            let what = if error.is_timeout() { "did not answer in time" } else { "could not be reached" };
            WebhookError::Unreachable(format!("{} {what}", self.receiver().host))
        })?;
        let status = sent.status();
        if status.is_success() {
            return Ok(());
        }
        Err(WebhookError::Refused { host: self.receiver().host, status: status.as_u16() })
    }
}

/// `t=<time>,v1=<hex of the HMAC of "<time>.<body>">`.
fn signature(secret: &str, unix: i64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{unix}.{body}").as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={unix},v1={hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_handbook() {
        let page = include_str!("../../../docs/reminders.md");
        let made = signature("our secret", 1_796_054_400, "{\"id\":\"x\"}");
        assert!(page.contains(&made), "the page lacks {made}");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in ["", "example.org", "ftp://example.org", "https://user:word@example.org/hook"] {
            assert!(matches!(Webhook::new(url, None), Err(WebhookError::Address { .. })), "{url}");
        }
        let hook = Webhook::new("https://example.org/hook?team=7", None);
        assert!(hook.is_ok_and(|hook| hook.receiver().host == "example.org:443"));
    }
}
