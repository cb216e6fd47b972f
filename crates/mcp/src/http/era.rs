//! Whose rules a request follows: those of clients that begin with `initialize`, or those of the newer ones, which name
//! their version in every request.

use axum::http::HeaderMap;
use rmcp::model::ProtocolVersion;
use serde_json::Value;

use super::endpoint::VERSION;

/// Whose rules a request follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(super) fn of(headers: &HeaderMap, bytes: &[u8]) -> Self {
        let newest = ProtocolVersion::LATEST;
        let is_new = |version: &str| version >= newest.as_str();
        let is_date =
            |version: &&str| version.len() == 10 && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let message: Option<Value> = serde_json::from_slice(bytes).ok();
        let at = |place| message.as_ref().and_then(|message| message.pointer(place)).and_then(Value::as_str);
        // Only newer clients name a version in the body, so nonsense there is theirs; in a header it may be anyone's.
        let in_body = at("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some_and(is_new);
        let in_header = headers.get(VERSION).and_then(|value| value.to_str().ok());
        let in_header = in_header.filter(is_date).is_some_and(is_new);
        // Whoever begins the old way is answered the old way, whatever the header says.
        let is_modern = in_body || (in_header && at("/method") != Some("initialize"));
        if is_modern { Self::Modern } else { Self::Legacy }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;

    fn era(header: Option<&'static str>, method: &str, in_body: Option<&str>) -> Era {
        let mut headers = HeaderMap::new();
        if let Some(version) = header {
            headers.insert(VERSION, HeaderValue::from_static(version));
        }
        let meta = in_body.map(|version| json!({ "io.modelcontextprotocol/protocolVersion": version }));
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": meta } });
        Era::of(&headers, body.to_string().as_bytes())
    }

    #[test]
    fn a_version_in_the_body_is_a_newer_clients() {
        assert!(era(None, "tools/list", Some("2026-07-28")) == Era::Modern);
        assert!(era(Some("v999.0.0"), "tools/list", Some("v999.0.0")) == Era::Modern);
        assert!(era(None, "tools/list", Some("2025-06-18")) == Era::Legacy);
    }

    #[test]
    fn a_header_is_a_newer_clients_only_when_it_is_a_date() {
        assert!(era(Some("2026-07-28"), "tools/list", None) == Era::Modern);
        assert!(era(Some("nonsense"), "tools/list", None) == Era::Legacy);
        assert!(era(Some("2025-06-18"), "tools/list", None) == Era::Legacy);
    }

    #[test]
    fn whoever_begins_the_old_way_is_answered_the_old_way() {
        assert!(era(Some("2026-07-28"), "initialize", None) == Era::Legacy);
    }
}
