//! Protocol era of a request: legacy clients begin with `initialize`; modern clients (2026-07-28) name their version in
//! every request.

use axum::http::HeaderMap;
use rmcp::model::ProtocolVersion;

use super::endpoint::VERSION;
use crate::validate::{VERSION_IN_BODY as IN_BODY, Verdict};

/// The protocol era of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(super) fn of(headers: &HeaderMap, shape: &Verdict) -> Self {
        let newest = ProtocolVersion::LATEST;
        let is_new = |version: &str| version >= newest.as_str();
        let is_date =
            |version: &&str| version.len() == 10 && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let message = match shape {
            Verdict::Request { message, .. } | Verdict::Notification(message) | Verdict::Response(message) => {
                Some(message)
            }
            Verdict::Nothing | Verdict::Batch(_) | Verdict::Shutdown { .. } | Verdict::Refuse(_) => None,
        };
        let meta = message.and_then(|message| message.get("params")?.get("_meta")?.get(IN_BODY)?.as_str());
        let is_first =
            message.is_some_and(|message| message.get("method").is_some_and(|method| method == "initialize"));
        // Only modern clients name a version in the body, so any value there means modern. In a header, any client may
        // send nonsense, so only a date counts.
        let in_body = meta.is_some_and(is_new);
        let in_header = headers.get(VERSION).and_then(|value| value.to_str().ok());
        let in_header = in_header.filter(is_date).is_some_and(is_new);
        // A client that sends `initialize` is served as legacy, whatever its header says.
        let is_modern = in_body || (in_header && !is_first);
        if is_modern { Self::Modern } else { Self::Legacy }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;
    use crate::validate::shape;

    fn era(header: Option<&'static str>, method: &str, in_body: Option<&str>) -> Era {
        let mut headers = HeaderMap::new();
        if let Some(version) = header {
            headers.insert(VERSION, HeaderValue::from_static(version));
        }
        let meta = in_body.map(|version| json!({ IN_BODY: version }));
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": meta } });
        Era::of(&headers, &shape(body.to_string().as_bytes()))
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
    fn client_of_the_older_protocol_is_answered_in_it() {
        assert!(era(Some("2026-07-28"), "initialize", None) == Era::Legacy);
    }
}
