//! Who gets in: tokens, sessions, the server's own name, and the limits on guessing.

use serde_json::json;
use web::{Proxy, Tokens};

use crate::site::{HOST, Site};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

#[test]
fn a_request_without_a_valid_token_gets_the_same_answer_everywhere() {
    let site = Site::new(&["One"]);
    for token in ["", "wrong", "cairn_0000000000000000000000000000000000000000000"] {
        for path in ["/api/items", "/api/items/1", "/api/nothing"] {
            let answer = site.get(path, token);
            answer.problem(401, "send a token");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
        let page = site.get("/item/1", token);
        assert_eq!((page.status, page.header("location")), (303, "/login?next=%2Fitem%2F1"));
        let accept = [("accept", "application/json, text/event-stream")];
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let call = site.write_with("POST", "/mcp/mile", token, &accept, &ping);
        assert_eq!((call.status, call.body.as_str()), (401, r#"{"error":"Unauthorized"}"#));
    }
    assert_eq!(site.get("/api/items", &site.reader).status, 200);
}

#[test]
fn health_is_open_and_metrics_are_not() {
    let site = Site::new(&[]);
    for path in ["/health/live", "/health/ready"] {
        assert_eq!(site.send("GET", path, &[], "").status, 200, "{path}");
    }
    site.send("GET", "/metrics", &[], "").problem(401, "token");
    let numbers = site.get("/metrics", &site.reader);
    assert_eq!(numbers.status, 200, "{}", numbers.body);
    insta::assert_snapshot!(testkit::lines_with(&numbers.body, "cairn_http_requests_total{route=\"/metrics\""), @r#"cairn_http_requests_total{route="/metrics",method="GET",status="401"} 1"#);
}

#[test]
fn a_request_for_another_host_is_refused() {
    let site = Site::new(&[]);
    let bearer = format!("Bearer {}", site.writer);
    for host in ["evil.example", "localhost:1", ""] {
        let answer = site.send("GET", "/api/items", &[("host", host), ("authorization", &bearer)], "");
        answer.problem(403, "--host NAME");
    }
    let named = Site::with(&[], |settings| settings.hosts = vec!["board.example.org".to_owned()]);
    let bearer = format!("Bearer {}", named.writer);
    let answer = named.send("GET", "/api/items", &[("host", "board.example.org"), ("authorization", &bearer)], "");
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn a_session_reads_and_writes_from_our_own_pages_only() {
    let site = Site::new(&["One"]);
    let cookie = site.log_in(&site.writer);
    let read = site.send("GET", "/api/items/1", &[("cookie", &cookie)], "");
    assert_eq!(read.status, 200, "{}", read.body);
    let edit = |headers: &[(&str, &str)]| {
        let own = [("cookie", cookie.as_str()), ("content-type", "application/json")];
        site.send("PATCH", "/api/items/1", &[&own[..], headers].concat(), r#"{"fields": {"title": "Two"}}"#)
    };
    let origin = format!("http://{HOST}");
    for foreign in [
        &[][..],
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site"), ("origin", &origin)],
        &[("sec-fetch-site", "same-site")],
    ] {
        edit(foreign).problem(403, "");
    }
    assert_eq!(site.get("/api/items/1", &site.reader).json()["title"], "One");
    for own in [&[("origin", origin.as_str())][..], &[("sec-fetch-site", "same-origin")]] {
        let edited = edit(own);
        assert_eq!((edited.status, &edited.json()["title"]), (200, &json!("Two")), "{}", edited.body);
    }
}

#[test]
fn a_session_is_not_a_token_of_a_program() {
    let site = Site::new(&[]);
    let cookie = site.log_in(&site.writer);
    let headers = [
        ("cookie", cookie.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("sec-fetch-site", "same-origin"),
    ];
    let answer = site.send("POST", "/mcp/mile", &headers, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(answer.status, 401, "{}", answer.body);
}

#[test]
fn a_cookie_is_invisible_to_scripts_and_ends_with_the_logout() {
    let site = Site::new(&[]);
    let answer = site.send("POST", "/login", &[FORM], &format!("token={}&next=%2Fitems", site.writer));
    assert_eq!((answer.status, answer.header("location")), (303, "/items"));
    let set = answer.header("set-cookie").to_owned();
    let (cookie, attributes) = set.split_once("; ").unwrap();
    insta::assert_snapshot!(attributes, @"Path=/; HttpOnly; SameSite=Strict; Max-Age=604800");
    site.send("POST", "/logout", &[("cookie", cookie)], "").status.to_string();
    assert_eq!(site.send("GET", "/", &[("cookie", cookie)], "").status, 200, "a foreign logout changes nothing");
    let out = site.send("POST", "/logout", &[("cookie", cookie), ("sec-fetch-site", "same-origin")], "");
    assert_eq!((out.status, out.header("location")), (303, "/login"));
    assert_eq!(site.send("GET", "/", &[("cookie", cookie)], "").status, 303);
}

#[test]
fn behind_a_proxy_a_cookie_is_for_encrypted_connections() {
    let site = Site::with(&[], |settings| settings.proxy = Proxy::InFront);
    let answer = site.send("POST", "/login", &[FORM], &format!("token={}", site.writer));
    insta::assert_snapshot!(answer.header("set-cookie").split_once("; ").unwrap().1, @"Path=/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure");
}

#[test]
fn a_login_leads_back_to_this_server_only() {
    let site = Site::new(&[]);
    for next in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"] {
        let answer = site.send("POST", "/login", &[FORM], &format!("token={}&next={next}", site.writer));
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{next}");
    }
    let wrong = site.send("POST", "/login", &[FORM], "token=wrong");
    assert!(wrong.status == 401 && wrong.header("set-cookie").is_empty());
    insta::assert_snapshot!(testkit::tags_with(&wrong.body, "role=\"alert\""), @r#"<p class="notice danger" id="problem" role="alert">Unknown token."#);
}

#[test]
fn guessing_is_slowed_down_and_a_generated_token_still_works() {
    let site = Site::new(&[]);
    let last = (0..310).map(|n| site.get("/api/items", &format!("guess-{n}"))).find(|answer| answer.status != 401);
    let locked = last.expect("guesses are limited");
    locked.problem(429, "Retry-After");
    assert!(locked.header("retry-after").parse::<u64>().unwrap() > 0);
    assert_eq!(site.get("/api/items", &site.reader).status, 200);
}

#[test]
fn the_rate_of_a_token_is_limited_for_itself_alone() {
    let site = Site::with(&[], |settings| settings.rate = "3/m".parse().unwrap());
    let statuses: Vec<u16> = (0..5).map(|_| site.get("/api/items", &site.reader).status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    assert_eq!(site.get("/api/items", &site.writer).status, 200);
}

#[test]
fn a_revoked_token_is_refused_with_its_sessions() {
    let site = Site::new(&[]);
    let cookie = site.log_in(&site.writer);
    Tokens::of(site.repository.path()).unwrap().revoke("writer").unwrap();
    assert_eq!(site.get("/api/items", &site.writer).status, 401);
    assert_eq!(site.send("GET", "/api/items", &[("cookie", &cookie)], "").status, 401);
    assert_eq!(site.get("/api/items", &site.reader).status, 200);
}
