//! The inbox: no message is lost or half read, and each is delivered to one reader. One contract for the files of a clone
//! and for the database that several servers share.

use std::fs;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use database::{Database, Options};
use jiff::Timestamp;
use model::message::{Lines, Message, MessageId, MessageKind, MessageState, Reply, Side};
use model::person::Person;
use store::git::Repository;
use store::spool::{Delivery, Reader, Spool};
use testkit::postgres::TestDatabase;
use testkit::{Cut, CutPlace, TcpProxy, TestRepository};
use uuid::Uuid;

fn spool() -> (TestRepository, Spool) {
    let made = TestRepository::new();
    let spool = Spool::of(&Repository::discover(made.path()).unwrap());
    (made, spool)
}

/// An inbox, and how to end the lives of all its readers as a crash would.
struct Place<'a> {
    spool: Spool,
    end_readers: &'a dyn Fn(),
}

/// Runs a test on an inbox of each kind.
fn check(test: impl Fn(&Place<'_>)) {
    let (made, spool) = spool();
    let end_readers = || fs::remove_dir_all(made.git_dir().join("cairn/inbox/readers")).unwrap();
    test(&Place { spool, end_readers: &end_readers });
    let Some(stored) = TestDatabase::shared() else { return };
    let repository = Repository::discover(made.path()).unwrap();
    let end_readers = || drop(stored.sql("UPDATE cairn_readers SET lease_ends_at = now() - interval '1 second'"));
    test(&Place { spool: Spool::shared(&repository, open(&stored)), end_readers: &end_readers });
}

fn open(stored: &TestDatabase<'_>) -> Arc<Database> {
    Arc::new(Database::open(stored.url().parse().unwrap(), &Options::default()).unwrap())
}

fn message(comment: &str) -> Message {
    let id = MessageId::new(Uuid::now_v7());
    Message {
        id,
        thread: id,
        file: "src/a b.rs".to_owned(),
        lines: Lines::new(3, 4),
        side: Side::New,
        comment: comment.to_owned(),
        kind: MessageKind::Question,
        commit: None,
        excerpt: None,
        author: Person::parse("Ada <ada@example.org>"),
        at: Timestamp::UNIX_EPOCH,
    }
}

fn reader(spool: &Spool) -> Reader {
    spool.reader(Uuid::now_v7()).unwrap()
}

fn comments(deliveries: &[Delivery]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery.message.comment.as_str()).collect()
}

fn finish(deliveries: Vec<Delivery>) {
    for delivery in deliveries {
        delivery.done(Timestamp::UNIX_EPOCH).unwrap();
    }
}

#[test]
fn sent_messages_are_delivered_once_and_kept() {
    check(|place| {
        let spool = &place.spool;
        let sent = message("quotes \" ' $(x) `y`\nsecond line 🎉");
        spool.send(&sent).unwrap();
        let reader = reader(spool);
        let deliveries = reader.take().unwrap();
        assert_eq!(deliveries[0].message, sent);
        assert!(!deliveries[0].is_again());
        finish(deliveries);
        assert!(reader.take().unwrap().is_empty());
        let contents = spool.contents().unwrap();
        assert_eq!(contents.messages[0].state, MessageState::Delivered);
        assert_eq!(contents.messages[0].message, sent);
        assert!(spool.waiting().unwrap().messages.is_empty());
    });
}

#[test]
fn a_delivery_that_failed_waits_for_the_next_reader_unmarked() {
    check(|place| {
        let spool = &place.spool;
        spool.send(&message("a")).unwrap();
        drop(reader(spool).take().unwrap());
        let second = reader(spool);
        let deliveries = second.take().unwrap();
        assert_eq!(comments(&deliveries), ["a"]);
        assert!(!deliveries[0].is_again());
    });
}

#[test]
fn messages_of_a_dead_reader_are_redelivered_and_marked() {
    check(|place| {
        let spool = &place.spool;
        spool.send(&message("a")).unwrap();
        let dead = reader(spool);
        let had = dead.take().unwrap();
        let living = reader(spool);
        assert!(living.take().unwrap().is_empty(), "its owner still lives");
        assert_eq!(spool.waiting().unwrap().messages.len(), 1);
        // As if it had been killed: its lock or lease is gone, and nothing was returned.
        (place.end_readers)();
        let deliveries = living.take().unwrap();
        drop(had);
        assert!(deliveries[0].is_again());
        finish(deliveries);
        assert!(spool.contents().unwrap().messages[0].again);
    });
}

#[test]
fn two_readers_never_take_the_same() {
    check(|place| {
        let spool = &place.spool;
        for n in 0..50 {
            spool.send(&message(&n.to_string())).unwrap();
        }
        let taken: Vec<usize> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let deliveries = reader(spool).take().unwrap();
                        let n = deliveries.len();
                        finish(deliveries);
                        n
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        assert_eq!(taken.iter().sum::<usize>(), 50);
    });
}

#[test]
fn a_registering_reader_is_not_considered_dead() {
    const ROUNDS: usize = 200;
    check(|place| {
        let spool = &place.spool;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS / 4 {
                        spool.send(&message("a")).unwrap();
                        let deliveries = reader(spool).take().unwrap();
                        assert!(deliveries.iter().all(|delivery| !delivery.is_again()));
                        finish(deliveries);
                    }
                });
            }
        });
        finish(reader(spool).take().unwrap());
        assert_eq!(spool.contents().unwrap().messages.len(), ROUNDS);
        assert!(spool.waiting().unwrap().messages.is_empty());
    });
}

#[test]
fn messages_come_in_the_order_they_were_sent() {
    check(|place| {
        let spool = &place.spool;
        let reader = reader(spool);
        let mut heard: Vec<Vec<u32>> = vec![Vec::new(); 4];
        std::thread::scope(|scope| {
            let senders: Vec<_> = (0..4)
                .map(|sender| {
                    scope.spawn(move || {
                        for n in 0..40 {
                            spool.send(&message(&format!("{sender} {n}"))).unwrap();
                        }
                    })
                })
                .collect();
            loop {
                let is_over = senders.iter().all(std::thread::ScopedJoinHandle::is_finished);
                let deliveries = reader.take().unwrap();
                for text in comments(&deliveries) {
                    let (sender, n) = text.split_once(' ').unwrap();
                    heard[sender.parse::<usize>().unwrap()].push(n.parse().unwrap());
                }
                finish(deliveries);
                if is_over {
                    break;
                }
            }
        });
        for one in heard {
            assert_eq!(one, (0..40).collect::<Vec<_>>());
        }
    });
}

#[test]
fn drafts_stay_until_they_are_submitted() {
    check(|place| {
        let spool = &place.spool;
        let (a, b) = (message("a"), message("b"));
        spool.draft(&a).unwrap();
        spool.draft(&b).unwrap();
        let reader = reader(spool);
        assert!(reader.take().unwrap().is_empty());
        spool.submit(&[a.id, b.id]).unwrap();
        assert_eq!(comments(&reader.take().unwrap()), ["a", "b"]);
        assert!(spool.submit(&[a.id]).is_err());
    });
}

#[test]
fn replies_move_a_message_on() {
    check(|place| {
        let spool = &place.spool;
        let asked = message("why?");
        spool.send(&asked).unwrap();
        finish(reader(spool).take().unwrap());
        let state = || spool.contents().unwrap().messages[0].state;
        let reply = |resolves| Reply {
            id: MessageId::new(Uuid::now_v7()),
            thread: asked.id,
            body: "because".to_owned(),
            resolves,
            author: Person::parse("agent"),
            at: Timestamp::UNIX_EPOCH,
        };
        spool.reply(&reply(false)).unwrap();
        assert_eq!(state(), MessageState::Answered);
        spool.reply(&reply(true)).unwrap();
        assert_eq!(state(), MessageState::Resolved);
        spool.reply(&reply(false)).unwrap();
        assert_eq!(state(), MessageState::Answered, "it was taken up again");
    });
}

#[test]
fn foreign_files_are_left_alone_and_named() {
    let (made, spool) = spool();
    spool.send(&message("good")).unwrap();
    let new = made.git_dir().join("cairn/inbox/new");
    let bad = new.join("018f3c1e-7a1b-7000-8000-000000000001.json");
    fs::write(&bad, "{half").unwrap();
    fs::write(new.join("README"), "not ours").unwrap();
    assert_eq!(comments(&reader(&spool).take().unwrap()), ["good"]);
    assert_eq!(fs::read_to_string(&bad).unwrap(), "{half");
    assert_eq!(spool.contents().unwrap().unreadable, [bad]);
}

#[test]
fn a_change_notifies_the_watcher() {
    check(|place| {
        let spool = &place.spool;
        let (sender, heard) = mpsc::channel();
        let watch = spool.watch(move || _ = sender.send(())).unwrap();
        spool.send(&message("a")).unwrap();
        heard.recv_timeout(Duration::from_secs(30)).unwrap();
        drop(watch);
        while heard.recv().is_ok() {}
    });
}

#[test]
fn a_broken_connection_neither_loses_nor_doubles_a_message() {
    let Some(stored) = TestDatabase::shared() else { return };
    let made = TestRepository::new();
    let repository = Repository::discover(made.path()).unwrap();
    let spool = Spool::shared(&repository, open(&stored));
    let (sent, draft) = (message("sent"), message("drafted"));
    stored.disconnect_all();
    spool.send(&sent).unwrap();
    stored.disconnect_all();
    spool.draft(&draft).unwrap();
    stored.disconnect_all();
    spool.submit(&[draft.id]).unwrap();
    let reader = reader(&spool);
    stored.disconnect_all();
    let deliveries = reader.take().unwrap();
    assert_eq!(comments(&deliveries), ["sent", "drafted"]);
    stored.disconnect_all();
    finish(deliveries);
    assert!(reader.take().unwrap().is_empty());
    assert_eq!(spool.contents().unwrap().messages.len(), 2);
}

/// Every message of the protocol is lost once, before and after the server acts on it: whatever is answered is true.
#[test]
fn a_connection_cut_at_any_message_neither_loses_nor_doubles_a_delivery() {
    let Some(stored) = TestDatabase::shared() else { return };
    let proxy = TcpProxy::start(stored.server_address());
    let made = TestRepository::new();
    let repository = Repository::discover(made.path()).unwrap();
    let direct = Spool::shared(&repository, open(&stored));
    let through = stored.url_at(&[proxy.address()]).parse().unwrap();
    let spool = Spool::shared(&repository, Arc::new(Database::open(through, &Options::default()).unwrap()));
    let (mut n_delivered, mut n_sent) = (0, 0);
    for place in [CutPlace::BeforeServer, CutPlace::AfterServer] {
        for n_before in 0.. {
            proxy.cut(Cut { n_before, containing: "", place });
            let sent = message(&format!("{place:?} {n_before}"));
            if spool.send(&sent).is_ok() {
                n_sent += 1;
            } else {
                // An error is allowed, but not for something that is there.
                assert!(direct.contents().unwrap().messages.iter().all(|kept| kept.message.id != sent.id));
            }
            let reader = reader(&spool);
            let deliveries = reader.take().unwrap();
            n_delivered += deliveries.len();
            finish(deliveries);
            if proxy.is_cut_pending() {
                break;
            }
        }
        proxy.pass();
    }
    let kept = direct.contents().unwrap().messages;
    assert_eq!((kept.len(), n_delivered), (n_sent, n_sent));
    assert!(kept.iter().all(|kept| kept.state == MessageState::Delivered && !kept.again));
    assert!(n_sent > 20, "{n_sent} messages: the proxy cuts nothing");
}

#[test]
fn a_message_is_taken_back_until_somebody_has_it() {
    check(|place| {
        let spool = &place.spool;
        let [waiting, taken, gone] = ["waiting", "taken", "gone"].map(message);
        spool.send(&gone).unwrap();
        finish(reader(spool).take().unwrap());
        spool.send(&taken).unwrap();
        let reader = reader(spool);
        let deliveries = reader.take().unwrap();
        spool.send(&waiting).unwrap();
        assert_eq!([&waiting, &taken, &gone].map(|one| spool.take_back(one.id).unwrap()), [true, false, false]);
        assert!(!spool.take_back(waiting.id).unwrap());
        finish(deliveries);
        assert!(reader.take().unwrap().is_empty());
        assert_eq!(spool.contents().unwrap().messages.len(), 2);
    });
}

#[test]
fn a_reply_is_taken_back_and_what_it_resolved_waits_again() {
    check(|place| {
        let spool = &place.spool;
        let [resolved, delivered] = ["resolved", "delivered"].map(message);
        spool.send(&delivered).unwrap();
        finish(reader(spool).take().unwrap());
        spool.send(&resolved).unwrap();
        let at = Timestamp::from_microsecond(1_234_567_890).unwrap();
        for message in [&resolved, &delivered] {
            let reply = Reply {
                id: MessageId::new(Uuid::now_v7()),
                thread: message.id,
                body: String::new(),
                resolves: true,
                author: Person::parse("Ada"),
                at,
            };
            spool.reply(&reply).unwrap();
            spool.withdraw(message.id, at).unwrap();
            assert!(spool.waiting().unwrap().messages.is_empty());
            spool.take_back_reply(&reply).unwrap();
            spool.take_back_reply(&reply).unwrap();
            let contents = spool.contents().unwrap();
            let now = contents.messages.iter().find(|kept| kept.message.id == message.id).unwrap();
            assert!(now.replies.is_empty());
            let deliveries = reader(spool).take().unwrap();
            let expected: &[&str] = if message.id == resolved.id { &["resolved"] } else { &[] };
            assert_eq!(comments(&deliveries), expected);
            finish(deliveries);
        }
    });
}
