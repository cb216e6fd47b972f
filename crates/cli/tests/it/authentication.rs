//! Authentication of the HTTP server: who gets access, and the errors for everyone else.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{lines_with, tags_with};

use crate::served::{Answer, Served, refused};
use crate::support::Project;

/// A token chosen by a person.
const HUSH: &str = "hush-hush-hush-hush";

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// Logs in with a token and returns the response and the session cookie.
fn log_in(served: &Served, token: &str) -> (Answer, String) {
    let answer = served.send("POST", "/login", &[FORM], &format!("token={token}"));
    let cookie = answer.header("set-cookie").unwrap_or_default().split(';').next().unwrap().to_owned();
    (answer, cookie)
}

fn audited(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.repository.git_dir().join("cairn/audit.log")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_request_without_a_valid_token_gets_the_same_response() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--dialect", "mile", "--token", "your-secret-token"]);
    assert_eq!(served.token, None);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(served.post("/mcp", Some("your-secret-token"), &ping).status, 200);
    for token in [None, Some("your-secret-tokem"), Some("your-secret-token2"), Some(""), Some("ünlaut")] {
        for path in ["/mcp", "/mcp/mile", "/mcp/nothing"] {
            let answer = served.post(path, token, &ping);
            assert_eq!((answer.status, answer.body.as_str()), (401, r#"{"error":"Unauthorized"}"#), "{token:?} {path}");
            assert_eq!(answer.header("www-authenticate"), Some("bearer"));
        }
        for path in ["/api/project", "/api/nothing"] {
            let answer = served.ask("GET", path, token);
            assert_eq!(answer.status, 401, "{token:?} {path}");
            assert_eq!(answer.header("content-type"), Some("application/problem+json"));
            assert_eq!(answer.json()["status"], 401);
        }
        for (path, login) in [("/", "/login"), ("/nothing", "/login?next=%2fnothing")] {
            let answer = served.ask("GET", path, token);
            assert_eq!((answer.status, answer.header("location")), (303, Some(login)), "{token:?} {path}");
        }
    }
    assert_eq!(served.ask("GET", "/nothing", Some("your-secret-token")).status, 404);
    for path in ["/mcp/nothing", "/mcp/"] {
        let answer = served.post(path, Some("your-secret-token"), &ping);
        assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("Not Found")), "a program asks: {path}");
    }
    assert_eq!(served.ask("GET", "/mcp/mile", None).status, 405);
}

#[test]
fn token_comes_from_a_flag_a_file_or_the_environment() {
    let project = Project::new();
    let file = project.repository.git_dir().join("secret");
    std::fs::write(&file, "from-a-file-in-private\n").unwrap();
    let flags = ["--token-file", file.to_str().unwrap()];
    let served = Served::start(&project.cairn, &flags);
    assert_eq!(served.ask("GET", "/api/project", Some("from-a-file-in-private")).status, 200);
    let mut command = project.cairn.command(&["serve", "--json", "--addr", "127.0.0.1:0"]);
    let served = Served::spawn(command.env("CAIRN_TOKEN", "from-the-environment"));
    assert_eq!(served.ask("GET", "/api/project", Some("from-the-environment")).status, 200);
    assert_eq!(served.ask("GET", "/api/project", Some("from-a-file-in-private")).status, 401);
    let refusals = [
        &["--token", "two words"][..],
        &["--token", ""],
        &["--token", "fifteen-letters"],
        &["--token-file", "/nowhere/at/all"],
        &["--token", "a", "--without-token"],
    ]
    .map(|words| {
        let (code, error) = refused(&project.cairn, &[&["serve", "--addr", "127.0.0.1:0"], words].concat());
        assert_eq!(code, Some(2), "{error}");
        error
    });
    insta::assert_snapshot!(refusals.concat(), @"
    error: a token is 16 to 1024 visible ASCII characters without spaces
    hint: `cairn token create NAME` makes one that nobody can guess
    error: a token is 16 to 1024 visible ASCII characters without spaces
    hint: `cairn token create NAME` makes one that nobody can guess
    error: a token is 16 to 1024 visible ASCII characters without spaces
    hint: `cairn token create NAME` makes one that nobody can guess
    error: cannot read the token in `/nowhere/at/all`: No such file or directory (os error 2)
    error: the argument '--token <TOKEN>' cannot be used with '--without-token'

    Usage: cairn serve --addr <ADDRESS> --token <TOKEN>

    For more information, try '--help'.
    ");
}

#[test]
fn without_any_token_one_is_made_for_this_machine_and_none_for_others() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &[]);
    let token = served.token.clone().expect("one is made");
    assert_eq!(served.ask("GET", "/api/project", Some(&token)).status, 200);
    assert_eq!(served.ask("GET", "/api/project", None).status, 401);
    let refusals = [&[][..], &["--without-token"]].map(|options| {
        let (code, error) = refused(&project.cairn, &[&["serve", "--addr", "0.0.0.0:0"], options].concat());
        assert_eq!(code, Some(2), "{error}");
        error
    });
    insta::assert_snapshot!(refusals.concat(), @"
    error: no token exists, and `0.0.0.0:0` can be reached by other machines
    hint: make one with `cairn token create NAME`, or set `CAIRN_TOKEN`
    error: `--without-token` is for this machine only, not for `0.0.0.0:0`
    hint: listen on 127.0.0.1, or make a token with `cairn token create NAME`
    ");
}

#[test]
fn every_write_is_on_the_record() {
    let project = Project::new();
    let token = |words: &[&str]| project.cairn.json(&[&["token", "create"], words].concat())["token"].clone();
    let (ada, eve) = (token(&["ada", "--as", "me"]), token(&["eve", "--role", "reader"]));
    let served = Served::start(&project.cairn, &[]);
    let issue = json!({"kind": "issue", "title": "Safari"});
    let made = served.tool(ada.as_str(), "create", &issue);
    served.tool(ada.as_str(), "list", &json!({}));
    served.tool(ada.as_str(), "update", &json!({"id": 99, "title": "x"}));
    served.tool(eve.as_str(), "create", &issue);
    let over_http = || {
        let mut record = audited(&project);
        record.retain(|line| line["who"] != "command line");
        record
    };
    // A thread of its own writes the record.
    let give_up = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while over_http().len() < 3 && std::time::Instant::now() < give_up {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let record = over_http();
    let told: Vec<_> = record.iter().map(|line| (&line["who"], &line["what"], &line["outcome"])).collect();
    let said = |who: &str, what: &str, outcome: &str| json!([who, what, outcome]);
    assert_eq!(
        json!(told),
        json!([
            said("ada", "/mcp/cairn create", "done"),
            said("ada", "/mcp/cairn update", "failed"),
            said("eve", "/mcp/cairn create", "forbidden"),
        ])
    );
    assert_eq!(record[0]["person"], "Ada Lovelace <ada@example.com>");
    assert_eq!(record[0]["trace"].as_str(), made.header("x-trace-id"));
    assert!(record[0]["when"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = project.repository.git_dir().join("cairn/audit.log");
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn rate_limited_token_gets_retry_after() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--rate", "3/m", "--token", HUSH, "--dialect", "mile"]);
    for _ in 0..3 {
        assert_eq!(served.ask("GET", "/api/project", Some(HUSH)).status, 200);
    }
    for answer in [
        served.ask("GET", "/api/project", Some(HUSH)),
        served.post("/mcp", Some(HUSH), &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})),
    ] {
        assert_eq!(answer.status, 429, "{answer:?}");
        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=21).contains(&wait), "{wait}");
    }
    assert_eq!(served.ask("GET", "/health/live", None).status, 200);
}

#[test]
fn address_that_guesses_must_wait_and_made_tokens_stay_good() {
    let project = Project::new();
    let made = project.cairn.json(&["token", "create", "ada"])["token"].clone();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let statuses: Vec<u16> =
        (0..=300).map(|n| served.ask("GET", "/api/project", Some(&n.to_string())).status).collect();
    assert_eq!((&statuses[..300], statuses[300]), (&[401; 300][..], 429));
    let answer = served.ask("GET", "/api/project", Some(HUSH));
    assert_eq!(answer.status, 429, "what a person chose could be guessed");
    assert!(answer.header("retry-after").is_some());
    assert_eq!(log_in(&served, HUSH).0.status, 429);
    assert_eq!(served.ask("GET", "/api/project", made.as_str()).status, 200);
    assert_eq!(served.ask("GET", "/api/project", None).status, 401, "who sends none does not guess");
}

#[test]
fn browser_logs_in_and_out() {
    let project = Project::new();
    let token = project.cairn.json(&["token", "create", "ada"])["token"].as_str().unwrap().to_owned();
    let served = Served::start(&project.cairn, &[]);
    let own = format!("http://{}", served.authority);
    insta::assert_snapshot!(tags_with(&served.ask("GET", "/login", None).body, "<form"), @r#"<form method="post" action="/login">"#);
    let (refused, cookie) = log_in(&served, "nonsense");
    assert_eq!((refused.status, cookie.as_str()), (401, ""));
    assert_eq!(served.send("POST", "/login", &[FORM, ("Origin", "http://evil.example")], "token=x").status, 403);
    let (answer, cookie) = log_in(&served, &token);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    let (_, attributes) = answer.header("set-cookie").unwrap().split_once("; ").unwrap();
    insta::assert_snapshot!(attributes, @"path=/; httponly; samesite=strict; max-age=604800");
    assert!(!answer.head.contains(&token), "{}", answer.head);
    let with = |headers: &[(&str, &str)], method: &str, path: &str| {
        served.send(method, path, &[headers, &[("Cookie", cookie.as_str())]].concat(), "").status
    };
    assert_eq!(with(&[], "GET", "/"), 200);
    assert_eq!(with(&[], "GET", "/api/project"), 200);
    for headers in [&[][..], &[("Sec-Fetch-Site", "cross-site")], &[("Sec-Fetch-Site", "same-site")]] {
        assert_eq!(with(headers, "POST", "/api/nothing"), 403, "{headers:?}");
        assert_eq!(with(headers, "POST", "/logout"), 403, "{headers:?}");
    }
    for headers in [&[("Origin", own.as_str())][..], &[("Sec-Fetch-Site", "same-origin")]] {
        assert_eq!(with(headers, "POST", "/api/nothing"), 404, "{headers:?}");
    }
    assert_eq!(with(&[("Accept", "application/json, text/event-stream")], "POST", "/mcp/mile"), 401);
    assert_eq!(with(&[("Origin", own.as_str())], "POST", "/logout"), 303);
    assert_eq!(with(&[], "GET", "/api/project"), 401);
}

#[test]
fn login_returns_to_the_requested_page_of_this_host_only() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let form = served.ask("GET", "/login?next=%2Fsearch%3Fq%3Da%26b", None);
    insta::assert_snapshot!(tags_with(&form.body, "name=\"next\""), @r#"<input type="hidden" name="next" value="/search?q=a&amp;b">"#);
    let then = |next: &str| {
        let answer = served.send("POST", "/login", &[FORM], &format!("token=hush-hush-hush-hush&next={next}"));
        (answer.status, answer.header("location").map(str::to_owned))
    };
    assert_eq!(then("%2Fsearch%3Fq%3Da%26b"), (303, Some("/search?q=a&b".to_owned())));
    for other in ["", "%2F%2Fevil.example", "%2F%5Cevil.example", "https%3A%2F%2Fevil.example", "%2Fa%0D%0AX%3A+y"] {
        assert_eq!(then(other), (303, Some("/".to_owned())), "{other}");
    }
}

#[test]
fn login_and_refusal_pages_have_the_boards_styles() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let pages = [
        served.ask("GET", "/login", None),
        served.send("POST", "/login", &[FORM], "token=wrong"),
        served.send("POST", "/logout", &[], ""),
    ];
    for page in pages {
        assert!(page.header("content-type").unwrap().starts_with("text/html"), "{page:?}");
        let start = page.body.find("/assets/").unwrap_or_else(|| panic!("{page:?}"));
        let style = &page.body[start..start + page.body[start..].find('"').unwrap()];
        let answer = served.ask("GET", style, None);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/css; charset=utf-8")), "{style}");
        assert!(!page.body.contains("<script"), "there is nothing to follow yet: {page:?}");
    }
}

#[test]
fn link_from_another_site_asks_for_the_cookie_once() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let follow = |site: &str| {
        let headers = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate")];
        served.send("GET", "/item/1", &headers, "")
    };
    let first = follow("cross-site");
    assert_eq!(first.status, 200);
    insta::assert_snapshot!(tags_with(&first.body, "http-equiv"), @r#"<meta http-equiv="refresh" content="0">"#);
    assert_eq!(first.header("cache-control"), Some("no-store"));
    assert_eq!((follow("same-origin").status, follow("none").status), (303, 303));
}

#[test]
fn session_survives_the_server_and_ends_with_its_token() {
    let project = Project::new();
    let token = project.cairn.json(&["token", "create", "ada"])["token"].as_str().unwrap().to_owned();
    let served = Served::start(&project.cairn, &[]);
    let cookie = log_in(&served, &token).1;
    let authority = served.authority.clone();
    served.finish();
    let served = Served::start_at(&project.cairn, &authority, &[]);
    let status = || served.send("GET", "/api/project", &[("Cookie", &cookie)], "").status;
    assert_eq!(status(), 200);
    project.cairn.ok(&["token", "revoke", "ada"]);
    assert_eq!(status(), 401);
    project.cairn.ok(&["token", "create", "ada"]);
    assert_eq!(status(), 401, "another token of that name");
}

#[test]
fn responses_have_restrictive_security_headers() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let mut policies = BTreeSet::new();
    for (path, token) in [("/", Some(HUSH)), ("/", None), ("/login", None), ("/api/project", None)] {
        let answer = served.ask("GET", path, token);
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{path}: {}", answer.head));
        policies.insert(policy.replace("; ", "\n"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert_eq!(answer.header("x-frame-options"), Some("deny"));
        assert!(!answer.body.contains("<style") && !answer.body.contains("style="), "{}", answer.body);
    }
    insta::assert_snapshot!(policies.into_iter().collect::<Vec<_>>().join("\n---\n"), @"
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

#[test]
fn board_lets_its_own_browser_in_by_its_link() {
    let project = Project::new();
    let mut process = project.cairn.command(&["board", "--no-open"]).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let (authority, path) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let ask = |path: &str, headers: &[(&str, &str)]| {
        let stream = TcpStream::connect(authority).unwrap();
        crate::served::converse(stream, authority, "GET", path, headers, "")
    };
    assert_eq!(ask("/", &[]).status, 303);
    let answer = ask(&format!("/{path}"), &[]);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")), "{answer:?}");
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap();
    assert_eq!(ask("/", &[("Cookie", cookie)]).status, 200);
    // The link can be used again: a second browser of the same person, or a closed tab.
    let again = ask(&format!("/{path}"), &[]);
    assert_eq!((again.status, again.header("set-cookie").is_some()), (303, true));
    let wrong = ask(&format!("/{path}x"), &[]);
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    let _ = process.kill();
    let _ = process.wait();
    let (code, said) = refused(&project.cairn, &["board", "--addr", "0.0.0.0:0"]);
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn health_is_for_everyone_and_numbers_are_not() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH, "--host", "board.example"]);
    assert_eq!(served.ask("GET", "/health/live", None).status, 200);
    assert_eq!(served.ask("GET", "/health/ready", None).status, 200);
    served.ask("GET", "/api/project", Some("wrong"));
    served.tool(Some(HUSH), "create", &json!({"kind": "issue", "title": "Safari"}));
    assert_eq!(served.ask("GET", "/metrics", None).status, 401, "a proxy on this machine would show them to everyone");
    let numbers = served.ask("GET", "/metrics", Some(HUSH));
    assert_eq!(numbers.status, 200);
    for line in [
        "cairn_http_requests_total{route=\"/api/project\",method=\"GET\",status=\"401\"} 1",
        "cairn_http_requests_total{route=\"/mcp/cairn\",method=\"POST\",status=\"200\"} 1",
        "# TYPE cairn_writes_total counter",
        "cairn_writes_total{outcome=\"done\"} 1",
        "cairn_commit_writes_bucket{le=\"1.0\"} 1",
        "cairn_commit_writes_count 1",
        "cairn_connections 1",
        "cairn_build_info{version=",
    ] {
        assert!(numbers.body.contains(line), "{line} is not in\n{}", numbers.body);
    }
    assert_eq!(numbers.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let bearer = ("Authorization", "Bearer hush-hush-hush-hush");
    let newer = served.send("GET", "/metrics", &[bearer, ("Accept", "application/openmetrics-text;version=1.0.0")], "");
    assert!(newer.header("content-type").unwrap().starts_with("application/openmetrics-text"), "{}", newer.head);
    assert!(newer.body.ends_with("# EOF\n"), "{}", newer.body);
    insta::assert_snapshot!(lines_with(&newer.body, "cairn_writes"), @r#"
    # HELP cairn_writes Calls of writing tools and requests.
    # TYPE cairn_writes counter
    cairn_writes_total{outcome="done"} 1
    "#);
    let as_others = |headers: &[(&str, &str)]| {
        served.send("GET", "/metrics", &[headers, &[("Host", "board.example")]].concat(), "").status
    };
    assert_eq!(as_others(&[]), 401, "a proxy asks for others");
    assert_eq!(as_others(&[("Authorization", "Bearer hush-hush-hush-hush")]), 200);
    fs::rename(project.repository.git_dir().join("HEAD"), project.repository.git_dir().join("HEAD.away")).unwrap();
    assert_eq!(served.ask("GET", "/health/live", None).status, 200);
    assert_eq!(served.ask("GET", "/health/ready", None).status, 503);
}

/// Repeats a check until it succeeds.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    assert!((0..10_000).any(|_| is_so()), "it never came to this: {what}");
}

#[test]
fn write_of_a_disconnected_client_is_audited_and_logged() {
    let project = Project::new();
    project.cairn.ok(&["new", "issue", "First"]);
    let served = Served::start(&project.cairn, &["--token", HUSH, "--log", "json"]);
    // No write can finish while this lock is held.
    let writing = fs::File::open(project.repository.git_dir().join("cairn/write.lock")).unwrap();
    writing.lock().unwrap();
    let body = json!({"kind": "issue", "title": "Second"}).to_string();
    let head = [
        "POST /api/items HTTP/1.1",
        &format!("Host: {}", served.authority),
        "Authorization: Bearer hush-hush-hush-hush",
        "Content-Type: application/json",
        &format!("Content-Length: {}", body.len()),
    ];
    let mut client = TcpStream::connect(&served.authority).unwrap();
    client.write_all(format!("{}\r\n\r\n{body}", head.join("\r\n")).as_bytes()).unwrap();
    let numbers = || served.ask("GET", "/metrics", Some(HUSH)).body;
    until("both are served", || numbers().contains("cairn_http_requests_in_flight 2"));
    drop(client);
    until("it is given up", || numbers().contains("cairn_writes_total{outcome=\"abandoned\"} 1"));
    writing.unlock().unwrap();
    until("what was begun goes on", || project.cairn.json(&["list"])["total"] == 2);
    let [entry] = &audited(&project)[..] else { panic!("{:?}", audited(&project)) };
    let told = (&entry["who"], &entry["what"], &entry["outcome"]);
    assert_eq!(told, (&json!("static"), &json!("POST /api/items"), &json!("abandoned")));
    let (_, said) = served.finish();
    let mut lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.find(|line| line["trace"] == entry["trace"]).unwrap_or_else(|| panic!("{said}"));
    assert_eq!((&line["status"], &line["who"]), (&json!(499), &json!("static")));
}

#[test]
fn only_names_of_ours_are_answered() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH, "--host", "board.example"]);
    let own = format!("http://{}", served.authority);
    for (header, status) in [
        (("Host", "board.example"), 200),
        (("Host", "evil.example"), 403),
        (("Origin", own.as_str()), 200),
        (("Origin", "https://board.example"), 200),
        (("Origin", "http://evil.example"), 403),
        (("Origin", "null"), 403),
    ] {
        let headers = [("Authorization", "Bearer hush-hush-hush-hush"), header];
        assert_eq!(served.send("GET", "/api/project", &headers, "").status, status, "{header:?}");
    }
    // A request with an unknown host name gets a hint, in the format of the path.
    let bodies =
        [("/api/project", "application/problem+json"), ("/", "text/html; charset=utf-8")].map(|(path, form)| {
            let answer = served.send("GET", path, &[("Host", "evil.example")], "");
            assert_eq!((answer.status, answer.header("content-type")), (403, Some(form)));
            tags_with(&answer.body, "--host NAME")
        });
    insta::assert_snapshot!(bodies.join("\n"), @r#"
    {"type":"about:blank","title":"Forbidden","status":403,"detail":"unknown host name; `cairn serve --host NAME` adds one"}
    <p>unknown host name; `cairn serve --host NAME` adds one
    "#);
}

#[test]
fn no_secret_is_in_any_log_or_file() {
    let project = Project::new();
    let token = project.cairn.json(&["token", "create", "ada"])["token"].as_str().unwrap().to_owned();
    let served = Served::start(&project.cairn, &["--log", "json"]);
    let (_, cookie) = log_in(&served, &token);
    let session = cookie.split_once('=').unwrap().1.to_owned();
    served.send("GET", &format!("/login?key={token}"), &[], "");
    served.tool(Some(&token), "create", &json!({"kind": "issue", "title": "Safari"}));
    let answer = served.ask("GET", "/api/project", Some(&token));
    served.ask("GET", "/api/project", Some("cairn_wrong"));
    let trace = answer.header("x-trace-id").unwrap().to_owned();
    let (status, said) = served.finish();
    assert_eq!(status.code(), Some(0));
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let line = lines.iter().find(|line| line["trace"] == trace.as_str()).unwrap_or_else(|| panic!("{said}"));
    assert_eq!((&line["method"], &line["path"], &line["status"]), (&json!("GET"), &json!("/api/project"), &json!(200)));
    assert_eq!((&line["who"], &line["route"]), (&json!("ada"), &json!("/api/project")));
    assert!(line["ms"].as_f64().unwrap() >= 0.0);
    let mut everything = said;
    for entry in fs::read_dir(project.repository.git_dir().join("cairn")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            everything.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap()));
        }
    }
    for secret in [token.as_str(), &token[6..], session.as_str(), "cairn_wrong"] {
        assert!(!everything.contains(secret), "{secret} was written down");
    }
}

#[test]
fn too_long_bodies_are_refused() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let headers = [("Authorization", "Bearer hush-hush-hush-hush")];
    let body = "x".repeat(4 * 1024 * 1024 + 1);
    assert_eq!(served.send("POST", "/api/nothing", &headers, &body).status, 413);
    assert_eq!(served.send("POST", "/api/nothing", &headers, "x").status, 404);
}

#[test]
fn announced_length_over_the_limit_is_refused_at_once() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    for path in ["/api/nothing", "/mcp/mile", "/login"] {
        let mut stream = TcpStream::connect(&served.authority).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {HUSH}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: 99999999999\r\n\r\n",
            served.authority
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        assert_eq!(line, "HTTP/1.1 413 Payload Too Large\r\n", "{path}");
    }
}

#[test]
fn request_names_one_host() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let own = served.authority.clone();
    let ask = |line: &str, hosts: &[&str]| {
        let mut stream = TcpStream::connect(&own).unwrap();
        let hosts = hosts.iter().fold(String::new(), |head, host| head + "Host: " + host + "\r\n");
        let head = format!("GET {line} HTTP/1.1\r\n{hosts}Authorization: Bearer {HUSH}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(ask("/api/project", &[&own]), "200");
    assert_eq!(ask(&format!("http://{own}/api/project"), &[&own]), "200");
    assert_eq!(ask("/api/project", &[&own, &own]), "400");
    assert_eq!(ask("/api/project", &[&own, "evil.example"]), "400");
    assert_eq!(ask("http://evil.example/api/project", &[&own]), "400");
    assert_eq!(ask(&format!("http://{own}/api/project"), &["evil.example"]), "400");
    assert_eq!(ask("http://evil.example/api/project", &["evil.example"]), "403");
}

#[test]
fn logins_and_tokens_are_on_the_record() {
    let project = Project::new();
    let token = project.cairn.json(&["token", "create", "ada", "--as", "me"])["token"].as_str().unwrap().to_owned();
    let served = Served::start(&project.cairn, &[]);
    log_in(&served, "not-a-token-of-ours");
    let (_, cookie) = log_in(&served, &token);
    let own = format!("http://{}", served.authority);
    served.send("POST", "/logout", &[("Cookie", &cookie), ("Origin", &own)], "");
    project.cairn.ok(&["token", "revoke", "ada"]);
    let record = audited(&project);
    let told: Vec<_> = record.iter().map(|line| json!([line["who"], line["what"], line["outcome"]])).collect();
    assert_eq!(
        told,
        [
            json!(["command line", "token create ada (writer, acts as Ada Lovelace <ada@example.com>)", "done"]),
            json!(["", "login", "failed"]),
            json!(["ada", "login", "done"]),
            json!(["ada", "logout", "done"]),
            json!(["command line", "token revoke ada", "done"]),
        ]
    );
    assert_eq!((&record[1]["address"], &record[0]["address"]), (&json!("127.0.0.1"), &Value::Null));
    let text = fs::read_to_string(project.repository.git_dir().join("cairn/audit.log")).unwrap();
    assert!(!text.contains(&token[6..]) && !text.contains("not-a-token") && !text.contains("cairn_session"), "{text}");
}

#[test]
fn proxy_in_front_makes_cookies_secure_and_is_believed() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH, "--behind-proxy", "--host", "board.example"]);
    let host = ("Host", "board.example");
    let strict = |headers: &[(&str, &str)]| {
        let answer = served.send("GET", "/login", headers, "");
        answer.header("strict-transport-security").map(str::to_owned)
    };
    assert_eq!(strict(&[host, ("X-Forwarded-Proto", "https")]).as_deref(), Some("max-age=31536000"));
    assert_eq!(strict(&[host, ("X-Forwarded-Proto", "http")]), None);
    assert_eq!(strict(&[]).as_deref(), Some("max-age=31536000"), "an address in numbers");
    let answer = served.send("POST", "/login", &[host, FORM], &format!("token={HUSH}"));
    assert!(answer.header("set-cookie").unwrap().ends_with("; secure"), "{answer:?}");
    // Failed logins count for the address that the proxy reports, and lock out nobody else.
    let guess = |from: &str| served.send("POST", "/login", &[host, FORM, ("X-Forwarded-For", from)], "token=x").status;
    let guesses: Vec<u16> = (0..=300).map(|_| guess("10.9.9.9, 192.0.2.1")).collect();
    assert_eq!((guesses[0], guesses[300]), (401, 429));
    assert_eq!(guess("192.0.2.1, 192.0.2.2"), 401);
    let plain = Served::start(&project.cairn, &["--token", HUSH]);
    let answer = plain.send("GET", "/login", &[("X-Forwarded-Proto", "https")], "");
    assert_eq!(answer.header("strict-transport-security"), None, "nobody said that there is a proxy");
}

/// Starts a session with the `cairn` dialect and opens its event stream.
fn listen(served: &Served, token: &str) -> BufReader<TcpStream> {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let session = served.post("/mcp/cairn", Some(token), &hello).header("mcp-session-id").unwrap().to_owned();
    let mut stream = TcpStream::connect(&served.authority).unwrap();
    let head = format!(
        "GET /mcp/cairn HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAccept: text/event-stream\r\n\
         Authorization: Bearer {token}\r\nMcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-06-18\r\n\r\n",
        served.authority
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut listening = BufReader::new(stream);
    let mut line = String::new();
    listening.read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    listening
}

#[test]
fn stream_ends_with_its_token() {
    let project = Project::new();
    let token = project.cairn.json(&["token", "create", "ada"])["token"].as_str().unwrap().to_owned();
    let served = Served::start(&project.cairn, &[]);
    let mut listening = listen(&served, &token);
    project.cairn.ok(&["token", "revoke", "ada"]);
    // An idle stream sends a keep-alive every 15 seconds; a revoked one must not.
    let lines = listening.by_ref().lines().map(|line| line.unwrap());
    let last = lines.inspect(|line| assert_ne!(line, ":", "it lives")).filter(|line| !line.is_empty()).last();
    assert_eq!(last.as_deref(), Some("0"), "it ends as it should");
}

#[cfg(unix)]
#[test]
fn signal_ends_streams_and_finishes_running_requests() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", HUSH]);
    let mut listening = listen(&served, HUSH);
    let mut slow = TcpStream::connect(&served.authority).unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let head = format!(
        "POST /mcp/mile HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nAuthorization: Bearer hush-hush-hush-hush\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        served.authority,
        body.len()
    );
    slow.write_all(head.as_bytes()).unwrap();
    let mut slow = BufReader::new(slow);
    let mut line = String::new();
    // The server waits for the body from here on.
    slow.read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    let pid = served.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let mut rest = String::new();
    listening.read_to_string(&mut rest).unwrap();
    slow.get_mut().write_all(body.as_bytes()).unwrap();
    let answer = testkit::http::finish(&mut slow);
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    assert_eq!(served.wait().code(), Some(0));
}

#[test]
fn other_machines_are_served_over_tls_or_on_purpose_only() {
    let project = Project::new();
    let (code, said) = refused(&project.cairn, &["serve", "--addr", "0.0.0.0:0", "--token", HUSH]);
    assert_eq!(code, Some(2), "{said}");
    insta::assert_snapshot!(testkit::redact(&said), @"
    error: tokens would be sent to `0.0.0.0:0` unencrypted
    hint: give a certificate with `--tls-cert` and `--tls-key`; or, behind a proxy that has one, say `--behind-proxy`
    ");
    let served = Served::start_at(&project.cairn, "0.0.0.0:0", &["--token", HUSH, "--insecure-plain-http"]);
    let port = served.authority.rsplit(':').next().unwrap();
    let ask = |host: &str| {
        let stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        let headers = [("Authorization", "Bearer hush-hush-hush-hush"), ("Host", host)];
        crate::served::converse(stream, host, "GET", "/api/project", &headers, "").status
    };
    assert_eq!((ask(&format!("localhost:{port}")), ask("10.1.2.3"), ask("evil.example")), (200, 200, 403));
}
