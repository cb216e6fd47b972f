//! HTTP requests: limits on time and size, and no redirects to another host.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderValue, Method, Request, Response, header};
use ureq::tls::{RootCerts, TlsConfig};
use zeroize::Zeroizing;

use crate::response::HttpResponse;
use crate::{Error, Secret, ServerUrl, Settings, proxy};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Patch,
    Delete,
}

impl Verb {
    /// Returns whether the request is safe to repeat.
    pub(crate) fn is_read(self) -> bool {
        self == Self::Get
    }

    fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}

/// A request to send.
pub(crate) struct Outgoing<'call> {
    pub(crate) verb: Verb,
    /// Relative to the root of the API, with a leading slash.
    pub(crate) path_and_query: &'call str,
    /// The whole value of the header.
    pub(crate) authorization: Option<&'call Secret>,
    /// JSON.
    pub(crate) body: Option<&'call [u8]>,
    /// Timeout, including the response.
    pub(crate) timeout: Duration,
}

/// Why there is no response.
#[derive(Debug)]
pub(crate) struct TransportFailure {
    pub(crate) error: Error,
    /// Whether a retry may succeed.
    pub(crate) is_passing: bool,
    /// Whether the server cannot have received the request.
    pub(crate) is_unsent: bool,
}

pub(crate) trait Transport: Send + Sync {
    fn send(&self, outgoing: &Outgoing<'_>) -> Result<HttpResponse, TransportFailure>;
}

/// Sends requests over the network.
pub(crate) struct Http {
    server: ServerUrl,
    max_response_bytes: u64,
    /// Host of the proxy, if requests go through one.
    proxy: Option<String>,
    reading: Agent,
    /// An agent without keep-alive. A kept connection may have just been closed by the server, and a write that fails
    /// on it must not be repeated.
    writing: Agent,
}

const MAX_REDIRECTS: usize = 3;

impl Http {
    /// Configures the agents. `variable` reads the environment, which may name a proxy.
    pub(crate) fn new(settings: &Settings, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let proxy = proxy::choose(&settings.server, variable)?;
        let agent = |idle| -> Agent {
            let tls = TlsConfig::builder()
                .root_certs(RootCerts::PlatformVerifier)
                .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .build();
            Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .timeout_global(Some(settings.timeout))
                .user_agent(&settings.user_agent)
                .accept("application/json")
                .max_idle_connections(idle)
                .max_idle_connections_per_host(idle)
                .proxy(proxy.clone())
                .tls_config(tls)
                .build()
                .into()
        };
        let reading = agent(settings.max_concurrent);
        Ok(Self {
            server: settings.server.clone(),
            max_response_bytes: settings.max_response_bytes,
            proxy: proxy.as_ref().map(|proxy| format!("{}:{}", proxy.host(), proxy.port())),
            reading,
            writing: agent(0),
        })
    }

    fn send_to(&self, address: &str, outgoing: &Outgoing<'_>) -> Result<Response<ureq::Body>, TransportFailure> {
        let agent = if outgoing.verb.is_read() { &self.reading } else { &self.writing };
        let request = request_to(address, outgoing).map_err(TransportFailure::lasting)?;
        let timeout = Some(outgoing.timeout);
        let sent = match outgoing.body {
            Some(body) => agent.run(agent.configure_request(request.map(|()| body)).timeout_global(timeout).build()),
            None => agent.run(agent.configure_request(request).timeout_global(timeout).build()),
        };
        sent.map_err(|error| self.transport_failure(&error))
    }

    fn read(&self, response: Response<ureq::Body>) -> Result<HttpResponse, TransportFailure> {
        let (parts, mut body) = response.into_parts();
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        let headers = headers.collect();
        let bytes = body.with_config().limit(self.max_response_bytes).read_to_vec();
        let body = Zeroizing::new(bytes.map_err(|error| self.transport_failure(&error))?);
        Ok(HttpResponse { status: parts.status.as_u16(), headers, body })
    }

    fn transport_failure(&self, error: &ureq::Error) -> TransportFailure {
        let host = self.server.host();
        let way = self.proxy.as_ref().map(|proxy| format!(" through the proxy `{proxy}`")).unwrap_or_default();
        match error {
            ureq::Error::BodyExceedsLimit(limit) => {
                let error = Error::unknown(format!("the answer of `{host}` is larger than {limit} bytes"));
                TransportFailure { is_unsent: false, ..TransportFailure::lasting(error) }
            }
            ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => {
                TransportFailure::passing(format!("`{host}` did not answer in time")).unsent()
            }
            ureq::Error::Timeout(_) => TransportFailure::passing(format!("`{host}` did not answer in time")),
            ureq::Error::HostNotFound => TransportFailure::passing(format!("the host `{host}` is not known")).unsent(),
            ureq::Error::ConnectionFailed => {
                TransportFailure::passing(format!("cannot connect to `{host}`{way}")).unsent()
            }
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => distrust(host, error),
            // TLS handshake failures arrive as I/O errors.
            ureq::Error::Io(cause) if is_about_trust(cause) => distrust(host, cause),
            ureq::Error::Io(cause) => {
                let failure = TransportFailure::passing(format!("cannot talk to `{host}`{way}: {cause}"));
                if cause.kind() == std::io::ErrorKind::ConnectionRefused { failure.unsent() } else { failure }
            }
            other => TransportFailure::passing(format!("cannot talk to `{host}`{way}: {other}")),
        }
    }

    fn refused_redirect(&self, location: Option<&str>) -> TransportFailure {
        // Only the host: the rest of the URL may contain secrets.
        let uri = location.and_then(|location| location.parse::<ureq::http::Uri>().ok());
        let target = uri.as_ref().and_then(|uri| uri.host()).unwrap_or("another place");
        let scheme = uri.as_ref().and_then(|uri| uri.scheme_str()).unwrap_or("http");
        let message = format!(
            "`{}` sends requests on to `{target}` by {scheme}, which is not followed: is the address of the server right?",
            self.server
        );
        TransportFailure::lasting(Error::network(message))
    }
}

impl Transport for Http {
    /// Sends a request and reads the response. Follows redirects of reads on the same server; others are refused,
    /// because the token would be sent along.
    fn send(&self, outgoing: &Outgoing<'_>) -> Result<HttpResponse, TransportFailure> {
        let mut address = self.server.resource(outgoing.path_and_query);
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_to(&address, outgoing)?;
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return self.read(response);
            }
            let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            let next = location.and_then(|location| self.server.redirect(&address, location));
            match next {
                Some(next) if outgoing.verb.is_read() => address = next,
                _ => return Err(self.refused_redirect(location)),
            }
        }
        Err(TransportFailure::lasting(Error::network(format!("`{}` sends requests round in circles", self.server))))
    }
}

impl TransportFailure {
    fn passing(message: String) -> Self {
        Self { error: Error::network(message), is_passing: true, is_unsent: false }
    }

    fn lasting(error: Error) -> Self {
        Self { error, is_passing: false, is_unsent: true }
    }

    fn unsent(self) -> Self {
        Self { is_unsent: true, ..self }
    }
}

fn request_to(address: &str, outgoing: &Outgoing<'_>) -> Result<Request<()>, Error> {
    let mut request = Request::builder()
        .method(outgoing.verb.method())
        .uri(address)
        // Error messages are localized, and some must be recognized.
        .header(header::ACCEPT_LANGUAGE, "en");
    if outgoing.body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    if let Some(authorization) = outgoing.authorization {
        let mut value = HeaderValue::from_str(authorization.expose())
            .map_err(|_| Error::auth(crate::AuthProblem::Refused, "the token contains characters that no token has"))?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    request.body(()).map_err(|_| Error::unknown("the address of the request cannot be written"))
}

/// The error for a server with an invalid certificate, or without TLS.
fn distrust(host: &str, cause: &dyn std::fmt::Display) -> TransportFailure {
    let cause = cause.to_string();
    let advice = if cause.contains("certificate") {
        "if it is your own, name the authority that signed it in `SSL_CERT_FILE`"
    } else {
        "does the server speak `https` on this port?"
    };
    TransportFailure::lasting(Error::network(format!(
        "the connection to `{host}` cannot be trusted: {cause}; {advice}"
    )))
}

fn is_about_trust(cause: &std::io::Error) -> bool {
    cause.kind() == std::io::ErrorKind::InvalidData
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn proxy_of_the_environment_is_used_and_does_not_see_the_token() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let received = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let lines = BufReader::new(connection.try_clone().unwrap()).lines().map_while(Result::ok);
            let received: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            connection.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").unwrap();
            received.join("\n")
        });
        let settings = Settings::new("https://taiga.invalid".parse().unwrap());
        let http = Http::new(&settings, |name| (name == "HTTPS_PROXY").then(|| proxy.clone())).unwrap();
        let token = Secret::new("Bearer sesame");
        let outgoing = Outgoing {
            verb: Verb::Get,
            path_and_query: "/users/me",
            authorization: Some(&token),
            body: None,
            timeout: settings.timeout,
        };
        let Err(failure) = http.send(&outgoing) else { panic!("the proxy refuses") };
        assert_eq!(failure.error.kind.category(), "network");
        let received = received.join().unwrap();
        assert!(received.starts_with("CONNECT taiga.invalid:443 ") && !received.contains("sesame"), "{received}");
        let Err(failure) = http.send(&outgoing) else { panic!("the proxy is gone") };
        // The system's own words for the cause follow.
        let (start, _) = failure.error.message.split_once("`: ").unwrap();
        insta::assert_snapshot!(testkit::redact(start), @"cannot talk to `taiga.invalid` through the proxy `127.0.0.1:<port>");
    }
}
