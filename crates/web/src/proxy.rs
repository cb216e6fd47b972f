//! Headers of a reverse proxy. They are ignored unless the server was started with the option that says there is a
//! proxy, because any client can send them.

use std::net::IpAddr;

use axum::http::{Extensions, HeaderMap};

use crate::listen::Peer;

/// Whether a reverse proxy is in front of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proxy {
    /// Clients connect directly.
    None,
    /// A proxy terminates TLS and forwards requests; nothing else can reach the server.
    InFront,
}

impl Proxy {
    /// Returns the client address. Each proxy appends its peer to `X-Forwarded-For`, so only the last entry, from our
    /// proxy, can be trusted; earlier entries may be forged.
    pub(crate) fn client_address(self, extensions: &Extensions, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = extensions.get::<Peer>().map(|peer| peer.0.ip());
        let forwarded = if self == Self::InFront { last(headers, "x-forwarded-for") } else { None };
        forwarded.and_then(address).or(peer)
    }

    /// Returns whether the proxy reports that its client connected without TLS.
    pub(crate) fn says_plain(self, headers: &HeaderMap) -> bool {
        self == Self::InFront
            && last(headers, "x-forwarded-proto").is_some_and(|name| name.eq_ignore_ascii_case("http"))
    }
}

fn last<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get_all(name).iter().next_back()?.to_str().ok()?.rsplit(',').next().map(str::trim)
}

// Some proxies append the port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(address, _)| address);
    let without_port = || text.parse().ok().map(|address: std::net::SocketAddr| address.ip());
    bare.parse().ok().or_else(without_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(proxy: Proxy, values: &[&str]) -> Option<String> {
        let mut extensions = Extensions::new();
        extensions.insert(Peer("127.0.0.1:1".parse().expect("an address")));
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", value.parse().expect("a header"));
        }
        proxy.client_address(&extensions, &headers).map(|address| address.to_string())
    }

    #[test]
    fn only_a_proxy_that_was_announced_is_believed() {
        for values in [&["192.0.2.1"][..], &["nonsense"], &[]] {
            assert_eq!(heard(Proxy::None, values).as_deref(), Some("127.0.0.1"));
        }
        let check = |values: &[&str], expected| assert_eq!(heard(Proxy::InFront, values).as_deref(), Some(expected));
        check(&["192.0.2.1"], "192.0.2.1");
        check(&["10.9.9.9, 192.0.2.1"], "192.0.2.1");
        check(&["10.9.9.9", "192.0.2.1:4711"], "192.0.2.1");
        check(&["[2001:db8::1]:443"], "2001:db8::1");
        check(&["nonsense"], "127.0.0.1");
        check(&[], "127.0.0.1");
    }
}
