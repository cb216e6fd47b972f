//! The pages of the board, as served by the built program: content, filters, error messages, and escaped text.

use testkit::{Cairn, Layout, TestRepository, git_in, tags_with};

use crate::served::{Answer, Served};

/// A project with a board, a milestone and some items.
struct Shop {
    _repository: TestRepository,
    cairn: Cairn,
    served: Served,
}

impl Shop {
    fn open() -> Self {
        let repository = TestRepository::in_memory(Layout::PLAIN);
        let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), repository.path());
        cairn.ok(&["new", "milestone", "Release 1.0", "--due", "2027-01-31"]);
        cairn.ok(&["new", "board", "Team board"]);
        let login = ["new", "issue", "Login <fails>", "-d", "See #2. <script>alert(1)</script>", "-l", "bug"];
        cairn.ok(&[&login[..], &["--priority", "8", "--board", "1", "--milestone", "1"]].concat());
        cairn.ok(&["new", "task", "Rotate keys", "--board", "1", "--status", "review", "--assign", "me"]);
        cairn.ok(&["new", "task", "On no board"]);
        let served = Served::start(&cairn, &[]);
        Self { _repository: repository, cairn, served }
    }

    fn get(&self, path: &str) -> Answer {
        self.served.ask("GET", path, self.served.token.as_deref())
    }

    #[track_caller]
    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }
}

#[track_caller]
fn has(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "`{part}` is not in {html}");
    }
}

#[test]
fn every_page_is_there_and_has_nothing_inside_that_runs() {
    let shop = Shop::open();
    let pages = [
        "/",
        "/backlog",
        "/board/1",
        "/board/1/flow",
        "/item/1",
        "/milestones",
        "/milestone/1",
        "/review",
        "/search?q=login",
    ];
    for path in pages {
        let html = shop.page(path);
        has(&html, &["<main", "<h1", "<title"]);
        for part in ["<script>", " style=", "<style", " onclick", "https://", "http://"] {
            assert!(!html.contains(part), "{path} has `{part}`: {html}");
        }
    }
}

#[test]
fn a_board_has_its_own_cards_in_their_columns() {
    let shop = Shop::open();
    let board = shop.page("/board/1");
    has(
        &board,
        &["id=\"card-1\"", "Login &lt;fails&gt;", "data-status=\"review\"", "In progress", "href=\"/board/1/flow\""],
    );
    assert!(!board.contains("On no board"), "{board}");
    has(&shop.page("/backlog"), &["On no board", "id=\"card-2\""]);
    // In order: the backlog column comes before the review column.
    assert!(board.find("id=\"card-1\"").unwrap() < board.find("id=\"card-2\"").unwrap());
    assert_eq!(shop.get("/board/3").status, 404);
    assert_eq!(shop.get("/board/99").status, 404);
}

#[test]
fn a_filter_narrows_and_its_mistake_is_shown_with_its_place() {
    let shop = Shop::open();
    let html = shop.page("/backlog?filter=labels+%3D%3D+bug");
    insta::assert_snapshot!(tags_with(&html, "id=\"card-"), @r#"<li class="card list-row" id="card-1" data-number="1" data-status="backlog" data-revision="<id>">"#);
    let wrong = shop.get("/backlog?filter=stauts+%3D%3D+open");
    assert_eq!(wrong.status, 400);
    has(&wrong.body, &["unknown field `stauts` at column 1", "^~~~~~", "aria-invalid", "card-1", "card-2"]);
    let wrong = shop.get("/search?filter=%3Cscript%3E");
    assert_eq!(wrong.status, 400);
    assert!(!wrong.body.contains("<script>"), "{wrong:?}");
}

#[test]
fn an_item_is_shown_with_all_around_it_and_its_text_is_dead() {
    let shop = Shop::open();
    shop.cairn.ok(&["comment", "1", "Also **here**: [x](javascript:alert(1))"]);
    shop.cairn.ok(&["link", "2", "--blocks", "1"]);
    shop.cairn.ok(&["link", "1", "--touches", "src/login.rs"]);
    let html = shop.page("/item/1");
    has(
        &html,
        &["href=\"/item/2\"", "<strong>here</strong>", "Blocked by", "src/login.rs", "Release 1.0", "data-revision="],
    );
    assert!(!html.contains("javascript:alert(1)\"") && !html.contains("<script>"), "{html}");
    has(&shop.page("/item/1/code"), &["src/login.rs"]);
    let missing = shop.get("/item/99");
    assert_eq!(missing.status, 404);
    has(&missing.body, &["Item not found: `99`", "<main"]);
}

#[test]
fn search_finds_words_and_pages_name_omitted_items() {
    let shop = Shop::open();
    has(&shop.page("/search?q=rotate"), &["Rotate keys", "1 item"]);
    let lines: Vec<String> = (0..120).map(|n| format!("{{\"kind\":\"task\",\"title\":\"Many {n}\"}}")).collect();
    shop.cairn.run_with_input(&["import", "-"], lines.join("\n").as_bytes());
    let first = shop.page("/search?q=many");
    has(&first, &["120 items", "Next page"]);
    let column = shop.page("/all");
    has(&column, &["Show more", "92 hidden", "more=backlog%3A60"]);
    assert!(shop.page("/all?more=backlog:100").matches("class=\"card\"").count() > 100);
}

#[test]
fn assets_are_cached_forever_under_their_content_hash() {
    let shop = Shop::open();
    let html = shop.page("/");
    let start = html.find("/assets/").unwrap();
    let path = &html[start..start + html[start..].find('"').unwrap()];
    let style = shop.get(path);
    assert_eq!(style.status, 200);
    assert_eq!(style.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
    assert_eq!(shop.get("/assets/000000000000/style.css").status, 404);
}

#[test]
fn pages_of_a_reader_have_no_controls() {
    let shop = Shop::open();
    let made = shop.cairn.json(&["token", "create", "guest", "--role", "reader"]);
    let token = made["token"].as_str().unwrap();
    for path in ["/", "/backlog", "/board/1", "/item/1", "/milestones", "/review"] {
        let answer = shop.served.ask("GET", path, Some(token));
        assert_eq!(answer.status, 200, "{answer:?}");
        for part in ["class=\"quick", "draggable=\"true\"", "<textarea", "data-field", "data-new", "<dialog"] {
            assert!(!answer.body.contains(part), "{path} has `{part}`");
        }
    }
}

#[test]
fn annotations_of_the_code_of_an_item_are_shown() {
    let shop = Shop::open();
    let place = shop.cairn.directory();
    std::fs::write(place.join("login.rs"), "pub fn open() -> u8 {\n    7\n}\n").unwrap();
    git_in(place, &["add", "."]);
    git_in(place, &["commit", "-q", "-m", "Login"]);
    shop.cairn.ok(&[
        "annotate",
        "--anchor",
        "login.rs:open",
        "--intent",
        "Seven <b>doors</b>",
        "--constraint",
        "stays odd",
    ]);
    shop.cairn.ok(&["link", "1", "--touches", "login.rs:open"]);
    has(&shop.page("/item/1"), &["data-include=\"/item/1/code?of=login.rs%3Aopen\""]);
    has(&shop.page("/item/1/code"), &["Seven &lt;b&gt;doors&lt;/b&gt;", "stays odd", "id=\"included\""]);
}

#[test]
fn a_message_is_shown_with_its_code() {
    let shop = Shop::open();
    std::fs::write(shop.cairn.directory().join("a.rs"), "fn <T>() {}\n").unwrap();
    shop.cairn.ok(&["inbox", "send", "--file", "a.rs", "--line", "1", "--comment", "Why `T`?"]);
    has(&shop.page("/review"), &["a.rs:1", "<span class=\"hl-kw\">fn</span> &lt;T&gt;() {}", "<code>T</code>"]);
    has(&shop.page("/review?show=unread"), &["a.rs:1"]);
    shop.cairn.ok(&["inbox", "check"]);
    assert!(!shop.page("/review?show=unread").contains("a.rs:1"));
}
