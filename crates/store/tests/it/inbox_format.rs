//! The bytes of the inbox, frozen: files as in `docs/format.md` are read, and written identically.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;
use model::message::{MessageState, Reply};
use serde_json::Value;
use store::git::Repository;
use store::spool::{LineMark, Spool};
use testkit::TestRepository;
use uuid::Uuid;

use crate::format_golden::{documented, golden};

struct Inbox {
    repository: TestRepository,
    spool: Spool,
}

impl Inbox {
    fn new() -> Self {
        let repository = TestRepository::new();
        let spool = Spool::of(&Repository::discover(repository.path()).unwrap());
        Self { repository, spool }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.repository.git_dir().join("cairn/inbox").join(name)
    }

    /// Writes a file as another program would.
    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

const MESSAGE: &str = "01900000-0000-7000-8000-000000000101";
const REPLY: &str = "01900000-0000-7000-8000-000000000102";

#[test]
fn golden_files_are_read_and_written_back_byte_for_byte() {
    let theirs = Inbox::new();
    theirs.put(&format!("new/{MESSAGE}.json"), &golden("inbox-message.json"));
    theirs.put(&format!("replies/{REPLY}.json"), &golden("inbox-reply.json"));
    let contents = theirs.spool.contents().unwrap();
    let kept = &contents.messages[0];
    assert_eq!(kept.state, MessageState::Resolved);
    assert_eq!(kept.message.comment, "Why twice?\n\"Once\" is enough.");
    let ours = Inbox::new();
    ours.spool.send(&kept.message).unwrap();
    let reply: &Reply = &kept.replies[0];
    ours.spool.reply(reply).unwrap();
    let written = |name: &str| fs::read_to_string(ours.path(name)).unwrap();
    assert_eq!(written(&format!("new/{MESSAGE}.json")), golden("inbox-message.json"));
    assert_eq!(written(&format!("replies/{REPLY}.json")), golden("inbox-reply.json"));
}

#[test]
fn keys_are_documented() {
    let keys = |name: &str| -> BTreeSet<String> {
        let object: Value = serde_json::from_str(&golden(name)).unwrap();
        object.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(documented("Keys of a message"), keys("inbox-message.json"));
    assert_eq!(documented("Keys of a reply"), keys("inbox-reply.json"));
}

#[test]
fn every_folder_is_documented_and_names_are_as_described() {
    let inbox = Inbox::new();
    inbox.put(&format!("draft/{MESSAGE}.json"), &golden("inbox-message.json"));
    inbox.spool.submit(&[MESSAGE.parse().unwrap()]).unwrap();
    assert_eq!(inbox.files("new"), [format!("{MESSAGE}.json")]);
    let name = Uuid::from_u128(7);
    let reader = inbox.spool.reader(name).unwrap();
    let taken = reader.take().unwrap();
    assert_eq!(inbox.files("taken"), [format!("{MESSAGE}.{name}.json")]);
    assert!(inbox.files("readers").contains(&name.to_string()));
    for delivery in taken {
        delivery.done(Timestamp::UNIX_EPOCH).unwrap();
    }
    assert_eq!(inbox.files("seen"), [format!("{MESSAGE}.at0.json")]);
    inbox.put(&format!("replies/{REPLY}.json"), &golden("inbox-reply.json"));
    let reply = inbox.spool.contents().unwrap().messages[0].replies[0].clone();
    inbox.spool.reply(&reply).unwrap();
    inbox.spool.send(&inbox.spool.contents().unwrap().messages[0].message).unwrap();
    inbox.spool.set_mark(&LineMark { file: "a b.rs".to_owned(), line: 4 }).unwrap();
    assert_eq!(fs::read_to_string(inbox.path("mark")).unwrap(), "4 a b.rs\n");
    let made: BTreeSet<String> = inbox.files("").into_iter().filter(|name| name != "mark").collect();
    assert_eq!(documented("The inbox"), made);
}

#[test]
fn newer_versions_are_skipped_and_unknown_keys_ignored() {
    let inbox = Inbox::new();
    let newer = golden("inbox-message.json").replace("\"v\":1", "\"v\":2");
    inbox.put(&format!("new/{MESSAGE}.json"), &newer);
    assert!(inbox.spool.reader(Uuid::from_u128(7)).unwrap().take().unwrap().is_empty());
    assert_eq!(fs::read_to_string(inbox.path(&format!("new/{MESSAGE}.json"))).unwrap(), newer);
    let more = golden("inbox-message.json").replace("\"v\":1", "\"v\":1,\"mood\":\"good\"");
    inbox.put(&format!("new/{MESSAGE}.json"), &more);
    assert_eq!(inbox.spool.waiting().unwrap().messages.len(), 1);
}
