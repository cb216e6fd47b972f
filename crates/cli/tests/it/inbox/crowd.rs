//! Eight senders, and readers that are killed repeatedly: no message is lost, the order holds, and possible duplicates
//! are marked.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use testkit::{Cairn, Ran};

use super::{project, send};

const SENDERS: usize = 8;
const MESSAGES: usize = 200;
const KILLS: usize = 20;

/// A message as received by a reader.
struct Heard {
    sender: usize,
    n: usize,
    again: bool,
    /// Whether the reader was killed: it may have died before it could acknowledge.
    by_the_dead: bool,
}

/// Runs a reader for a time; returns its output and whether it was killed.
fn read(cairn: &Cairn, life: Option<Duration>) -> (Vec<Heard>, bool) {
    let mut child = cairn.command(&["inbox", "check", "--json"]).spawn().unwrap();
    if let Some(life) = life {
        thread::sleep(life);
        let _ = child.kill();
    }
    let ran = Ran::of(child);
    let was_killed = ran.status.signal() == Some(9);
    assert!(was_killed || ran.status.success(), "{ran}");
    // A killed reader may have been cut off: then nothing was received.
    let printed: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    let items = printed["items"].as_array().cloned().unwrap_or_default();
    let heard = items.iter().map(|item| {
        let (sender, n) = item["comment"].as_str().unwrap().split_once(' ').unwrap();
        let again = item["again"].as_bool().unwrap();
        Heard { sender: sender.parse().unwrap(), n: n.parse().unwrap(), again, by_the_dead: was_killed }
    });
    (heard.collect(), was_killed)
}

#[test]
fn every_message_is_delivered_though_readers_are_killed() {
    let project = project();
    let cairn = &project.cairn;
    let mut heard: Vec<Heard> = Vec::new();
    thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                scope.spawn(move || {
                    for n in 0..MESSAGES {
                        send(cairn, "a.txt", "all", &format!("{sender} {n}"));
                    }
                })
            })
            .collect();
        let mut n_killed = 0;
        // Each reader that finished shortens the next one's time, each killed one lengthens it: the kills hit all
        // stages.
        let mut life = Duration::from_millis(5);
        while n_killed < KILLS {
            let (more, was_killed) = read(cairn, Some(life));
            heard.extend(more);
            n_killed += usize::from(was_killed);
            life = life.mul_f64(if was_killed { 1.3 } else { 0.7 });
        }
        loop {
            let is_over = senders.iter().all(thread::ScopedJoinHandle::is_finished);
            let (more, _) = read(cairn, None);
            let is_empty = more.is_empty();
            heard.extend(more);
            if is_over && is_empty {
                break;
            }
        }
    });
    assert_heard_right(&heard);
    let all = cairn.json(&["inbox", "list", "--all"]);
    assert_eq!(all["total"], SENDERS * MESSAGES);
    assert!(all["items"].as_array().unwrap().iter().all(|item| item["state"] == "delivered"));
}

fn assert_heard_right(heard: &[Heard]) {
    let mut first: Vec<Vec<usize>> = vec![Vec::new(); SENDERS];
    let mut last: BTreeMap<(usize, usize), &Heard> = BTreeMap::new();
    for one in heard {
        match last.insert((one.sender, one.n), one) {
            None => first[one.sender].push(one.n),
            Some(before) => {
                assert!(before.by_the_dead, "{} {} came twice for no reason", one.sender, one.n);
                assert!(one.again, "{} {} came twice and does not say so", one.sender, one.n);
            }
        }
    }
    for (sender, numbers) in first.iter().enumerate() {
        assert_eq!(*numbers, (0..MESSAGES).collect::<Vec<_>>(), "sender {sender}");
    }
}
