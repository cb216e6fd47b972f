//! Chooses the proxy for a server from the environment, by the usual rules.

use ureq::Proxy;

use crate::{Error, ServerUrl};

/// Returns the proxy for a server. An unusable proxy is an error; it is never bypassed silently.
pub(crate) fn choose(server: &ServerUrl, variable: impl Fn(&str) -> Option<String>) -> Result<Option<Proxy>, Error> {
    // As in most programs: no proxy can reach our loopback address.
    if server.is_loopback() {
        return Ok(None);
    }
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let either = |name: &str| set(&name.to_ascii_lowercase()).or_else(|| set(name));
    let scheme = if server.is_encrypted() { "HTTPS_PROXY" } else { "HTTP_PROXY" };
    let Some(address) = either(scheme).or_else(|| either("ALL_PROXY")) else {
        return Ok(None);
    };
    if either("NO_PROXY").is_some_and(|list| is_exempt(server, &list)) {
        return Ok(None);
    }
    let proxy = Proxy::new(address.trim());
    proxy.map(Some).map_err(|_| Error::network(format!("the proxy in `{scheme}` or `ALL_PROXY` cannot be used")))
}

/// Returns whether a `no_proxy` list (`example.com, .internal, host:8080, *`) contains the server.
fn is_exempt(server: &ServerUrl, list: &str) -> bool {
    let host = server.host().trim_matches(['[', ']']);
    list.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let (entry, port) = split_port(entry);
        let domain = entry.trim_start_matches('*').trim_start_matches('.').to_ascii_lowercase();
        let is_below = host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let names_host = entry == "*" || (!domain.is_empty() && is_below);
        names_host && port.is_none_or(|port| port == server.port())
    })
}

fn split_port(entry: &str) -> (&str, Option<u16>) {
    if let Some((host, port)) = entry.rsplit_once(':')
        && let Ok(port) = port.parse()
        && (!host.contains(':') || host.ends_with(']'))
    {
        return (host.trim_matches(['[', ']']), Some(port));
    }
    (entry.trim_matches(['[', ']']), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy_for(server: &str, variables: &[(&str, &str)]) -> Option<String> {
        let variable =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        choose(&server.parse().unwrap(), variable).unwrap().map(|proxy| proxy.host().to_owned())
    }

    #[test]
    fn proxy_follows_the_scheme() {
        let both = [("HTTPS_PROXY", "http://secure:3128"), ("http_proxy", "http://plain:3128")];
        assert_eq!(proxy_for("https://taiga.example.com", &both).as_deref(), Some("secure"));
        assert_eq!(proxy_for("http://taiga.example.com", &both).as_deref(), Some("plain"));
        assert_eq!(proxy_for("http://h", &[("ALL_PROXY", "all:1")]).as_deref(), Some("all"));
        assert_eq!(proxy_for("http://h", &[("HTTP_PROXY", " ")]), None);
    }

    #[test]
    fn exempt_hosts_are_asked_directly() {
        for (list, is_exempt) in [
            ("*", true),
            ("example.com", true),
            (".example.com", true),
            ("*.example.com", true),
            ("localhost, taiga.example.com", true),
            ("taiga.example.com:8443", false),
            ("taiga.example.com:443", true),
            ("ample.com", false),
            ("example.org,", false),
        ] {
            let variables = [("HTTPS_PROXY", "http://proxy:1"), ("NO_PROXY", list)];
            assert_eq!(proxy_for("https://taiga.example.com", &variables).is_none(), is_exempt, "{list}");
        }
        assert_eq!(proxy_for("http://[fd00::1]:80", &[("HTTP_PROXY", "http://p"), ("no_proxy", "fd00::1")]), None);
        assert_eq!(proxy_for("http://127.0.0.1:9000", &[("HTTP_PROXY", "http://p")]), None);
    }

    #[test]
    fn unusable_proxy_is_an_error() {
        let variable = |name: &str| (name == "HTTPS_PROXY").then(|| "gopher://u:sesame@h".to_owned());
        let error = choose(&"https://h".parse().unwrap(), variable).unwrap_err();
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
}
