//! The connection: where to, and how.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};

use super::config::{LanguageProvider, Receiver};
use super::secret::ApiKey;

/// A server's address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Without a slash at its end.
    pub(crate) url: String,
    /// Host and port.
    pub(crate) host: String,
    /// On this machine.
    pub(crate) local: bool,
    pub(crate) encrypted: bool,
}

/// Takes a base address apart, or says what is wrong with it without repeating it.
pub(crate) fn address(url: &str) -> Result<Address, &'static str> {
    let parsed = Url::parse(url.trim()).map_err(|_| "must be an address such as http://127.0.0.1:8080/v1")?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://");
    }
    let (Some(host), Some(port)) = (parsed.host_str(), parsed.port_or_known_default()) else {
        return Err("must name a host");
    };
    if !parsed.username().is_empty() || parsed.password().is_some() || parsed.query().is_some() {
        return Err("must be an address alone; a key belongs where `api_key_env` or `api_key_file` says");
    }
    let number: Option<std::net::IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let local = host == "localhost" || number.is_some_and(|number| number.is_loopback());
    Ok(Address {
        url: parsed.as_str().trim_end_matches('/').to_owned(),
        host: format!("{host}:{port}"),
        local,
        encrypted: parsed.scheme() == "https",
    })
}

/// Whether a place is spoken to over TLS.
pub(crate) trait Encrypts {
    fn encrypted(&self) -> bool;
}

impl Encrypts for Address {
    fn encrypted(&self) -> bool {
        self.encrypted
    }
}

/// The address of a webhook, which may carry a token in its path or query.
#[derive(Debug, Clone)]
pub(crate) struct WebhookAddress {
    url: Url,
    receiver: Receiver,
}

impl WebhookAddress {
    pub(crate) fn of(url: &str) -> Result<Self, &'static str> {
        let mut bare =
            Url::parse(url.trim()).map_err(|_| "is no address such as https://example.org/hook")?;
        let whole = bare.clone();
        bare.set_query(None);
        let Address { host, local, encrypted, .. } = address(bare.as_str())?;
        Ok(Self { url: whole, receiver: Receiver { host, local, encrypted } })
    }

    pub(crate) fn url(&self) -> Url {
        self.url.clone()
    }

    pub(crate) fn receiver(&self) -> Receiver {
        self.receiver.clone()
    }
}

impl Encrypts for WebhookAddress {
    fn encrypted(&self) -> bool {
        self.receiver.encrypted
    }
}

/// A client that does as it is told and nothing more: no redirect takes a prompt to another host, no variable of the
/// environment puts a proxy in between, and nothing is tried twice unasked.
///
/// The key stands in its headers, marked as secret, so that no other library handles it. The TLS provider is handed in
/// and not installed for the whole process.
///
/// `connect` bounds reaching the server, `call` everything.
pub(crate) fn client(
    address: &impl Encrypts,
    headers: HeaderMap,
    connect: Duration,
    call: Duration,
) -> Result<Client, String> {
    Client::builder()
        .tls_backend_preconfigured(tls(address.encrypted())?)
        .default_headers(headers)
        .connect_timeout(connect)
        // Ends a body that never pauses; the deadline of the caller can't interrupt a poll.
        .timeout(call)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .no_gzip()
        .tcp_nodelay(true)
        .user_agent(concat!("bethink/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| format!("the connection can't be prepared: {error}"))
}

/// The headers that carry the key.
pub(super) fn headers(provider: LanguageProvider, key: &ApiKey) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let ApiKey::Known { key, .. } = key else { return Ok(headers) };
    let (name, text) = match provider {
        LanguageProvider::Anthropic => (HeaderName::from_static("x-api-key"), key.reveal().to_owned()),
        _ => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| "the key fits no header".to_owned())?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

/// Trusts what the system trusts. An unencrypted address needs no certificates, and a machine may have none.
fn tls(encrypted: bool) -> Result<rustls::ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let said = |error: rustls::Error| format!("encryption can't be prepared: {error}");
    let builder = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(said)?;
    if !encrypted {
        return Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = rustls_platform_verifier::Verifier::new(provider).map_err(said)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encryption_needs_nothing_installed_for_the_whole_process() {
        for url in ["http://127.0.0.1:1/v1/", "https://example.org"] {
            let address = address(url).unwrap();
            let headers = headers(LanguageProvider::Openai, &ApiKey::NotConfigured).unwrap();
            let client = client(&address, headers, Duration::from_secs(1), Duration::from_secs(1));
            assert!(client.is_ok(), "{url}");
        }
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }
}
