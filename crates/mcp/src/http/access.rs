//! Access checks: the `Host` and `Origin` headers, and a guard that authenticates.
//!
//! The header checks defend against cross-site requests and DNS rebinding: a foreign page can make a browser send a
//! request with the page's own origin, or with a host name that it resolves to this machine.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::response::Response;

use crate::call::Caller;

/// Authenticates a request or refuses it. It runs after the checks of `Host`, `Origin` and `Accept`.
pub type Guard = Arc<dyn Fn(&Parts) -> Result<Option<Caller>, Box<Response>> + Send + Sync>;

/// The access rules of a server.
#[derive(Clone)]
pub struct Access {
    authorities: Arc<[String]>,
    takes_numbers: bool,
    guard: Option<Guard>,
}

impl Access {
    /// Accepts requests on a loopback address only.
    pub fn loopback(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "only loopback addresses can be served"));
        }
        Ok(Self { authorities: own_names(address).into(), takes_numbers: false, guard: None })
    }

    /// Accepts requests on any address, under this machine's own names and `hosts` (`host` or `host:port`, as clients
    /// write them). On an address that other machines can reach, IP addresses are accepted as `Host` too: DNS rebinding
    /// needs a host name.
    pub fn anywhere(address: SocketAddr, hosts: &[String]) -> Self {
        let given =
            hosts.iter().flat_map(|host| [host.to_lowercase(), format!("{}:{}", host.to_lowercase(), address.port())]);
        let authorities = own_names(address).into_iter().chain(given).collect();
        Self { authorities, takes_numbers: !address.ip().is_loopback(), guard: None }
    }

    /// Adds a guard.
    #[must_use]
    pub fn with_guard(self, guard: Guard) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Returns whether `Host` and `Origin` name this server.
    pub fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?").to_lowercase());
        let is_named = |authority: &str| self.authorities.iter().any(|own| own == authority);
        let host = text(HOST).unwrap_or_default();
        let of_origin = |origin: String| {
            let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            // Same origin: the page was loaded from the host that it sends to.
            authority.is_some_and(|authority| is_named(authority) || authority == host)
        };
        let is_ours = is_named(&host) || self.takes_numbers && is_number(&host);
        is_ours && text(ORIGIN).is_none_or(of_origin)
    }

    /// Runs the guard, if there is one.
    pub(super) fn caller(&self, parts: &Parts) -> Result<Option<Caller>, Box<Response>> {
        self.guard.as_ref().map_or(Ok(None), |guard| guard(parts))
    }
}

fn own_names(address: SocketAddr) -> Vec<String> {
    let hosts = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    let with_port = hosts.iter().map(|host| format!("{host}:{}", address.port())).chain([address.to_string()]);
    // Clients leave out the default port.
    let is_usual = matches!(address.port(), 80 | 443);
    with_port.chain(hosts.iter().filter(|_| is_usual).cloned()).collect()
}

fn is_number(authority: &str) -> bool {
    let host = authority.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(authority);
    authority.parse::<SocketAddr>().is_ok() || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(access: &Access, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a header"));
        headers.extend(origin.map(|origin| (ORIGIN, origin.parse().expect("a header"))));
        access.admits(&headers)
    }

    #[test]
    fn only_names_that_were_given_are_ours() {
        let address = "0.0.0.0:8931".parse().expect("an address");
        let access = Access::anywhere(address, &["Board.example".to_owned(), "proxy.example:443".to_owned()]);
        for host in
            ["board.example", "BOARD.example:8931", "proxy.example:443", "localhost:8931", "10.0.0.7:8931", "[fe80::1]"]
        {
            assert!(admits(&access, host, None), "{host}");
        }
        for host in ["", "evil.example", "board.example:80", "board.example.evil.example", "localhost:1"] {
            assert!(!admits(&access, host, None), "{host}");
        }
    }

    #[test]
    fn page_of_another_site_is_not_ours_even_under_a_number() {
        let access = Access::anywhere("10.0.0.7:8931".parse().expect("an address"), &["board.example".to_owned()]);
        assert!(admits(&access, "board.example", Some("https://board.example")));
        assert!(admits(&access, "10.0.0.7:8931", Some("http://10.0.0.7:8931")));
        for origin in ["http://6.6.6.6", "null", "https://evil.example", "ftp://board.example"] {
            assert!(!admits(&access, "10.0.0.7:8931", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn numbers_are_names_only_where_others_can_come() {
        let access = Access::anywhere("127.0.0.1:8931".parse().expect("an address"), &[]);
        assert!(admits(&access, "localhost:8931", None));
        assert!(!admits(&access, "10.0.0.7:8931", None));
        assert!(!admits(&access, "localhost", None));
        let usual = Access::anywhere("127.0.0.1:443".parse().expect("an address"), &[]);
        assert!(admits(&usual, "localhost", Some("https://localhost")));
    }
}
