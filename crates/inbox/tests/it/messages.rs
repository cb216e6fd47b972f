//! Review messages: states, drafts, delivery, replies, and what became of the code.

use std::fs;

use app::{Env, ErrorKind};
use inbox::view::MessageView;
use inbox::{Inbox, Remark};
use serde_json::{Value, json};
use testkit::TestRepository;

struct TestInbox {
    fixture: TestRepository,
    inbox: Inbox,
}

impl TestInbox {
    fn new() -> Self {
        let fixture = TestRepository::new();
        fs::write(fixture.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
        let inbox = Inbox::open(fixture.path(), Env::default()).unwrap();
        Self { fixture, inbox }
    }

    fn send(&self, lines: &str, comment: &str) -> MessageView {
        self.inbox.send(&remark(lines, comment)).unwrap()
    }

    /// Takes the pending messages as an agent does, and returns their comments.
    fn take(&self) -> Vec<String> {
        let taken = self.inbox.take().unwrap();
        let comments = taken.messages.iter().map(|message| message.comment.clone()).collect();
        taken.done(app::now()).unwrap();
        comments
    }
}

fn remark(lines: &str, comment: &str) -> Remark {
    let lines = lines.parse().unwrap();
    Remark { file: "a.txt".to_owned(), lines, comment: comment.to_owned(), ..Remark::default() }
}

/// The JSON shape, as interfaces show it.
fn shown(message: &MessageView) -> Value {
    serde_json::to_value(message).unwrap()
}

#[test]
fn a_message_is_sent_delivered_answered_and_resolved() {
    let test = TestInbox::new();
    let sent = test.send("2", "why?");
    let view = shown(&sent);
    assert_eq!(
        (&view["state"], &view["lines"], &view["excerpt"]),
        (&json!("sent"), &json!({"start": 2, "end": 2}), &json!("two"))
    );
    assert_eq!(test.take(), ["why?"]);
    assert_eq!(shown(&test.inbox.show(&sent.id).unwrap())["state"], "delivered");
    let answered = test.inbox.reply(&sent.id, "because", Some("agent")).unwrap();
    assert_eq!(
        (&shown(&answered)["state"], &shown(&answered)["replies"][0]["author"]),
        (&json!("answered"), &json!("agent"))
    );
    assert_eq!(shown(&test.inbox.resolve(&sent.id, "", None).unwrap())["state"], "resolved");
    assert_eq!(test.inbox.waiting().unwrap().total, 0);
}

#[test]
fn a_message_is_delivered_once() {
    let test = TestInbox::new();
    test.send("1", "first");
    test.send("all", "second");
    assert_eq!(test.inbox.waiting().unwrap().total, 2);
    assert_eq!(test.take(), ["first", "second"]);
    assert_eq!(test.take(), [""; 0]);
    let another = Inbox::open(test.fixture.path(), Env::default()).unwrap();
    assert!(another.take().unwrap().messages.is_empty());
}

#[test]
fn drafts_wait_until_they_are_submitted() {
    let test = TestInbox::new();
    let ids: Vec<String> =
        ["a", "b", "c"].iter().map(|comment| test.inbox.draft(&remark("1", comment)).unwrap().id).collect();
    let before = test.inbox.state_name().unwrap();
    assert_eq!(test.inbox.waiting().unwrap().total, 0);
    assert_eq!(test.inbox.check_sent(&ids[0]).unwrap_err().kind, ErrorKind::Conflict);
    test.inbox.discard(&ids[1]).unwrap();
    assert_eq!(test.inbox.state_name().unwrap(), before, "drafts are private");
    assert_eq!(test.inbox.submit(&ids[..1]).unwrap().total, 1);
    assert_ne!(test.inbox.state_name().unwrap(), before);
    assert_eq!(test.inbox.submit(&ids[..1]).unwrap_err().kind, ErrorKind::Conflict);
    let sent = test.inbox.send_with_drafts(&remark("3", "d")).unwrap();
    let comments: Vec<&str> = sent.items.iter().map(|message| message.comment.as_str()).collect();
    assert_eq!(comments, ["c", "d"]);
    assert_eq!(test.take(), ["a", "c", "d"]);
}

#[test]
fn changed_code_is_reported() {
    let test = TestInbox::new();
    let sent = test.send("2", "why?");
    fs::write(test.fixture.path().join("a.txt"), "zero\none\ntwo\nthree\n").unwrap();
    let moved = shown(&test.inbox.show(&sent.id).unwrap());
    assert_eq!(moved["code"]["lines"], json!({"start": 3, "end": 3}), "{moved}");
    fs::write(test.fixture.path().join("a.txt"), "other\n").unwrap();
    let gone = shown(&test.inbox.show(&sent.id).unwrap());
    assert_ne!(gone["code"], moved["code"], "{gone}");
    assert_eq!(gone["excerpt"], "two", "the code as it was stays");
}

#[test]
fn snippet_of_a_message_is_from_its_diff_or_its_file() {
    let test = TestInbox::new();
    let snippet = |message: &MessageView| {
        let snippet = test.inbox.snippet(message)?;
        let line = |one: &inbox::SnippetLine| format!("{}{}", if one.is_target { ">" } else { "" }, one.line.text);
        Some((snippet.lines.iter().map(line).collect::<Vec<_>>().join(" "), snippet.n_added, snippet.n_removed))
    };
    // A file that git does not know has no change to show.
    let sent = test.send("2", "why?");
    assert_eq!(snippet(&sent), Some(("one >two three".to_owned(), 0, 0)));
    assert_eq!(snippet(&test.send("all", "all of it")), Some(("one two three".to_owned(), 0, 0)));
    test.fixture.git(&["add", "a.txt"]);
    test.fixture.git(&["commit", "-qm", "Start"]);
    assert_eq!(snippet(&sent), Some(("one >two three".to_owned(), 0, 0)));
    fs::write(test.fixture.path().join("a.txt"), "zero\none\ntwo\nTHREE\n").unwrap();
    let changed = test.send("4", "why so loud?");
    assert_eq!(snippet(&changed), Some(("zero one two three >THREE".to_owned(), 2, 1)));
    // Found again where it moved to; gone with the file.
    let moved = test.inbox.show(&sent.id).unwrap();
    assert_eq!(snippet(&moved), Some(("zero one >two THREE".to_owned(), 0, 0)));
    fs::remove_file(test.fixture.path().join("a.txt")).unwrap();
    assert_eq!(snippet(&test.inbox.show(&sent.id).unwrap()), None);
}

#[test]
fn invalid_remarks_are_refused_and_nothing_is_stored() {
    let test = TestInbox::new();
    let send = |file: &str, lines: &str, comment: &str| {
        let remark = Remark { file: file.to_owned(), ..remark(lines, comment) };
        test.inbox.send(&remark).unwrap_err().kind
    };
    assert_eq!(send("a.txt", "1", " "), ErrorKind::Invalid);
    assert_eq!(send("none.txt", "1", "x"), ErrorKind::NotFound);
    assert_ne!(send("../a.txt", "1", "x"), ErrorKind::Internal);
    assert_ne!(send("a.txt", "99", "x"), ErrorKind::Internal);
    assert_eq!(test.inbox.show("ffff").unwrap_err().kind, ErrorKind::NotFound);
    let sent = test.send("1", "x");
    assert_eq!(test.inbox.reply(&sent.id, " \n", None).unwrap_err().kind, ErrorKind::Invalid);
    assert_eq!(test.inbox.waiting().unwrap().total, 1);
}

#[test]
fn a_message_is_taken_back_until_somebody_has_it() {
    let test = TestInbox::new();
    let early = test.send("1", "never mind");
    let by_another = test.inbox.take_back(&early.id, Some("Somebody <s@example.com>")).unwrap_err();
    assert_eq!(by_another.kind, ErrorKind::Conflict);
    test.inbox.take_back(&early.id, None).unwrap();
    assert_eq!(test.take(), [""; 0]);
    assert_eq!(test.inbox.show(&early.id).unwrap_err().kind, ErrorKind::NotFound);

    let late = test.send("1", "too late");
    assert_eq!(test.take(), ["too late"]);
    assert_eq!(test.inbox.take_back(&late.id, None).unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(test.inbox.show(&late.id).unwrap().comment, "too late");
}

#[test]
fn a_reply_is_taken_back_by_its_author() {
    let test = TestInbox::new();
    let sent = test.send("1", "why?");
    let resolved = test.inbox.resolve(&sent.id, "done", None).unwrap();
    let reply = &resolved.replies[0].id;
    let by_another = test.inbox.take_back_reply(&sent.id, reply, Some("agent")).unwrap_err();
    assert_eq!(by_another.kind, ErrorKind::Conflict);
    let waiting = test.inbox.take_back_reply(&sent.id, reply, None).unwrap();
    assert_eq!((waiting.state.to_string().as_str(), waiting.replies.len()), ("sent", 0));
    assert_eq!(test.inbox.take_back_reply(&sent.id, reply, None).unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(test.take(), ["why?"]);
}
