//! Security headers and trace ids.

use web::Proxy;

use crate::site::Site;

#[test]
fn pages_forbid_inline_scripts_framing_and_sniffing() {
    let site = Site::new(&["One"]);
    for path in ["/login", "/", "/item/1", "/nothing"] {
        let answer = site.get(path, &site.reader);
        insta::allow_duplicates! {
            insta::assert_snapshot!(answer.header("content-security-policy").replace("; ", "\n"), @"
            default-src 'none'
            script-src 'self'
            style-src 'self'
            img-src 'self' data:
            font-src 'self'
            connect-src 'self'
            manifest-src 'self'
            form-action 'self'
            base-uri 'none'
            frame-ancestors 'none'
            ");
        }
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert!(!answer.header("referrer-policy").is_empty(), "{path}");
    }
}

#[test]
fn every_answer_has_a_trace_id_of_its_own() {
    let site = Site::new(&[]);
    let traces: Vec<String> = ["/health/live", "/api/items", "/login", "/mcp/mile"]
        .iter()
        .map(|path| site.get(path, "wrong").header("x-trace-id").to_owned())
        .collect();
    assert!(traces.iter().all(|trace| trace.len() == 36), "{traces:?}");
    assert_eq!(traces.iter().collect::<std::collections::HashSet<_>>().len(), 4);
}

#[test]
fn only_encrypted_connections_get_hsts() {
    assert_eq!(Site::new(&[]).send("GET", "/login", &[], "").header("strict-transport-security"), "");
    let proxied = Site::with(&[], |settings| {
        settings.proxy = Proxy::InFront;
        settings.hosts = vec!["board.example.org".to_owned()];
    });
    let told = |host: &str, proto: &str| {
        let answer = proxied.send("GET", "/login", &[("host", host), ("x-forwarded-proto", proto)], "");
        answer.header("strict-transport-security").starts_with("max-age=")
    };
    assert!(told("board.example.org", "https"));
    assert!(!told("board.example.org", "http"), "the proxy was reached without TLS");
    assert!(!told("localhost:8931", "https"), "other servers of this machine share the name");
}
