//! The address of a server: parsing of what a person types, and URLs below it.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use ureq::http::Uri;

use crate::Error;

/// The address of a Taiga server, optionally with a path: `https://taiga.example.com/agile`.
///
/// Contains no user name, password or query, so it may be displayed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerUrl {
    encrypted: bool,
    host: String,
    port: u16,
    /// Empty, or begins with a slash and ends without one.
    path: String,
}

impl ServerUrl {
    /// Returns the host name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns a unique name for the server: the host, and the port and the path if they are not the default.
    pub fn short_name(&self) -> String {
        let port = if self.port == default_port(self.encrypted) { String::new() } else { format!("-{}", self.port) };
        format!("{}{port}{}", self.host, self.path.replace('/', "-"))
    }

    /// Returns whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Returns whether the server is on this machine, so that nothing goes over a network.
    pub fn is_loopback(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        let is_loopback_address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        is_loopback_address || host.eq_ignore_ascii_case("localhost")
    }

    /// Returns the URL of a web page, by a path that begins with a slash. Taiga's cloud serves its pages from another
    /// host than its API.
    pub fn page(&self, path: &str) -> String {
        let is_cloud = self.host.eq_ignore_ascii_case("api.taiga.io");
        if is_cloud { format!("https://tree.taiga.io{path}") } else { format!("{self}{path}") }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of an API resource, by a path that begins with a slash.
    pub(crate) fn resource(&self, path_and_query: &str) -> String {
        format!("{self}/api/v1{path_and_query}")
    }

    /// Returns the target of a redirect from `from`, if it is the same server: same host and port, or an upgrade from
    /// port 80 to 443 of the same host.
    pub(crate) fn redirect(&self, from: &str, location: &str) -> Option<String> {
        let target = self.absolute(from, location)?;
        let there = Origin::of(&target.parse().ok()?)?;
        let here = Origin { encrypted: self.encrypted, host: self.host.clone(), port: self.port };
        let is_upgrade = !here.encrypted && there.encrypted && here.port == 80 && there.port == 443;
        let is_same_host = there.host.eq_ignore_ascii_case(&here.host);
        let is_same_door = there.encrypted == here.encrypted && there.port == here.port;
        (is_same_host && (is_same_door || is_upgrade)).then_some(target)
    }

    fn absolute(&self, from: &str, location: &str) -> Option<String> {
        let location = location.split('#').next().unwrap_or_default();
        if let Some(rest) = location.strip_prefix("//") {
            return Some(format!("{}://{rest}", self.scheme()));
        }
        if location.starts_with('/') {
            return Some(format!("{}{location}", self.origin()));
        }
        if location.contains("://") {
            return Some(location.to_owned());
        }
        let folder = &from[..=from.split('?').next()?.rfind('/')?];
        (!location.is_empty()).then(|| format!("{folder}{location}"))
    }

    fn scheme(&self) -> &'static str {
        if self.encrypted { "https" } else { "http" }
    }

    fn origin(&self) -> String {
        let port = if self.port == default_port(self.encrypted) { String::new() } else { format!(":{}", self.port) };
        format!("{}://{}{port}", self.scheme(), self.host)
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.origin(), self.path)
    }
}

impl FromStr for ServerUrl {
    type Err = Error;

    /// Parses an address as people type or copy it: with or without a trailing slash or `/api/v1`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = |why: &str| Error::invalid("server", format!("the address of the server {why}"));
        let text = text.trim();
        if !text.starts_with("https://") && !text.starts_with("http://") {
            return Err(refuse("must begin with `https://` or `http://`"));
        }
        let uri: Uri = text.parse().map_err(|_| refuse("is not one"))?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(refuse("must not contain a user name or password"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(refuse("must not contain `?` or `#`"));
        }
        let Origin { encrypted, host, port } = Origin::of(&uri).ok_or_else(|| refuse("is not one"))?;
        let path = uri.path().trim_end_matches('/');
        let path = path.strip_suffix("/api/v1").unwrap_or(path).trim_end_matches('/').to_owned();
        Ok(Self { encrypted, host, port, path })
    }
}

fn default_port(encrypted: bool) -> u16 {
    if encrypted { 443 } else { 80 }
}

struct Origin {
    encrypted: bool,
    host: String,
    port: u16,
}

impl Origin {
    fn of(uri: &Uri) -> Option<Self> {
        let encrypted = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = uri.host().filter(|host| is_host(host))?;
        // `Uri` also accepts other text beside the host, and writes it back without it.
        let port = match uri.authority()?.as_str().strip_prefix(host)? {
            "" => default_port(encrypted),
            _ => uri.port_u16()?,
        };
        let host = host.to_ascii_lowercase();
        Some(Self { encrypted, host, port })
    }
}

/// Returns whether a text is a name, or an IPv6 address in brackets; `Uri` accepts brackets elsewhere, too.
fn is_host(text: &str) -> bool {
    match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()),
        None => !text.is_empty() && !text.contains(['[', ']', ':']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> ServerUrl {
        text.parse().unwrap()
    }

    #[test]
    fn address_is_read_as_people_write_it() {
        let shown = |text| server(text).resource("/projects");
        assert_eq!(shown("https://taiga.example.com"), "https://taiga.example.com/api/v1/projects");
        assert_eq!(shown(" https://Taiga.example.com:443/ "), "https://taiga.example.com/api/v1/projects");
        assert_eq!(shown("http://127.0.0.1:9000/agile/"), "http://127.0.0.1:9000/agile/api/v1/projects");
        assert_eq!(shown("https://h/agile/api/v1/"), "https://h/agile/api/v1/projects");
        assert_eq!(shown("http://[::1]:80"), "http://[::1]/api/v1/projects");
        assert!(server("http://[::1]:80").is_loopback() && server("https://localhost").is_loopback());
        assert!(!server("https://localhost.example.com").is_loopback());
    }

    #[test]
    fn invalid_address_is_refused_without_being_quoted() {
        for text in [
            "",
            "taiga.example.com",
            "ftp://h",
            "https://",
            "https://u:sesame@h",
            "https://h/?sesame",
            "https://h/#a",
            "https://h:99999",
            "https://h:x",
            "https://[::1",
            "https://[::1]h",
            "https://[h]",
            "https://h[::1]",
            "https://h]",
        ] {
            let error = text.parse::<ServerUrl>().unwrap_err();
            assert!(!error.to_string().contains("sesame"), "{error}");
        }
    }

    #[test]
    fn redirects_stay_on_the_server() {
        let here = server("http://h:8080/agile");
        let from = here.resource("/projects?page=1");
        let to = |location| here.redirect(&from, location);
        assert_eq!(to("/agile/api/v1/x").as_deref(), Some("http://h:8080/agile/api/v1/x"));
        assert_eq!(to("other").as_deref(), Some("http://h:8080/agile/api/v1/other"));
        assert_eq!(to("http://H:8080/y").as_deref(), Some("http://H:8080/y"));
        for elsewhere in [
            "http://h/y",
            "https://h:8080/y",
            "//evil/y",
            "http://h:8080@evil/y",
            "http://evil:8080",
            "ftp://h:8080/y",
            "",
        ] {
            assert_eq!(to(elsewhere), None, "{elsewhere}");
        }
        let plain = server("http://h");
        assert_eq!(plain.redirect("http://h/a", "https://h/a").as_deref(), Some("https://h/a"));
        assert_eq!(server("https://h").redirect("https://h/a", "http://h/a"), None);
    }

    proptest::proptest! {
        #[test]
        fn parsed_address_reads_back(text in "https?://[a-zA-Z0-9.:\\[\\]/@?#%-]{0,30}|.{0,20}") {
            if let Ok(server) = text.parse::<ServerUrl>() {
                proptest::prop_assert_eq!(server.to_string().parse::<ServerUrl>().unwrap(), server);
            }
        }

        #[test]
        fn no_location_leads_to_another_host(location in "[a-z0-9.:/@?#\\\\%-]{0,30}|https?:[a-z0-9.:/@?#\\\\%-]{0,30}|.{0,20}") {
            let here = server("https://h/agile");
            if let Some(target) = here.redirect("https://h/agile/api/v1/x?y=/z", &location) {
                let uri: Uri = target.parse().unwrap();
                proptest::prop_assert_eq!((uri.scheme_str(), uri.host()), (Some("https"), Some("h")));
                proptest::prop_assert_eq!(uri.port_u16().unwrap_or(443), 443);
            }
        }
    }
}
