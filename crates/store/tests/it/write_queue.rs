//! A queue of short writes: its jobs share a commit on one thread, whatever a job does besides its write.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use store::{Store, StoreError, WriteMeta, WritePlan, WriteQueue};
use testkit::TestRepository;

use crate::shared_support::{Servers, assert_sound, create, numbers};

/// A job that waits for the commit of another one would wait for minutes.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// What a job does with its sender; a job that sends nothing broke down.
type Work = Box<dyn FnOnce(&Sender<u64>) + Send>;

/// Runs jobs that are all queued before the first one begins; returns what they send.
fn run_all(queue: &WriteQueue, works: Vec<Work>) -> Receiver<u64> {
    let (begin, begun) = channel::<()>();
    queue.push(Box::new(move || begun.recv().unwrap()));
    let (sender, receiver) = channel();
    for work in works {
        let sender = sender.clone();
        queue.push(Box::new(move || work(&sender)));
    }
    begin.send(()).unwrap();
    receiver
}

fn received(receiver: &Receiver<u64>, n: usize) -> Vec<u64> {
    let mut all: Vec<u64> = (0..n).map(|_| receiver.recv_timeout(MAX_WAIT).unwrap()).collect();
    all.sort_unstable();
    all
}

fn open(fixture: &TestRepository) -> Store {
    Store::open(fixture.path(), Arc::new(|_| {})).unwrap()
}

/// Creates an item and sends its number.
fn creating(mut store: Store) -> Work {
    Box::new(move |sender| sender.send(create(&mut store, "a").unwrap().1).unwrap())
}

fn n_commits(fixture: &TestRepository) -> usize {
    fixture.git(&["rev-list", "--count", "refs/cairn/work"]).parse().unwrap()
}

#[test]
fn queued_jobs_become_one_commit() {
    let (fixture, queue) = (TestRepository::new(), WriteQueue::start().unwrap());
    let works = (0..40).map(|_| creating(open(&fixture))).collect();
    assert_eq!(received(&run_all(&queue, works), 40), (1..=40).collect::<Vec<u64>>());
    assert_eq!(n_commits(&fixture), 1);
    assert_sound(fixture.path());
}

/// As many jobs on top of each other as can be: the stack must hold them.
#[test]
fn a_long_queue_becomes_several_commits() {
    let (fixture, queue) = (TestRepository::new(), WriteQueue::start().unwrap());
    let works = (0..150).map(|_| creating(open(&fixture))).collect();
    assert_eq!(received(&run_all(&queue, works), 150), (1..=150).collect::<Vec<u64>>());
    assert_eq!(n_commits(&fixture), 3);
    assert_sound(fixture.path());
}

/// A server opens stores as it needs them. That must not write the batch below.
#[test]
fn stores_that_jobs_open_share_the_commit() {
    let (fixture, queue) = (TestRepository::new(), WriteQueue::start().unwrap());
    drop(open(&fixture));
    let opening = |_| -> Work {
        let path = fixture.path().to_owned();
        Box::new(move |sender| creating(Store::open_lagging(&path, Arc::new(|_| {})).unwrap())(sender))
    };
    assert_eq!(received(&run_all(&queue, (0..8).map(opening).collect()), 8), (1..=8).collect::<Vec<u64>>());
    assert_eq!(n_commits(&fixture), 1);
}

#[test]
fn a_job_that_writes_nothing_or_panics_affects_no_other() {
    let (fixture, queue) = (TestRepository::new(), WriteQueue::start().unwrap());
    let works: Vec<Work> = vec![
        creating(open(&fixture)),
        Box::new(|_| panic!("as it must")),
        creating(open(&fixture)),
        Box::new(|sender| sender.send(0).unwrap()),
    ];
    assert_eq!(received(&run_all(&queue, works), 3), [0, 1, 2]);
    assert_eq!(n_commits(&fixture), 1);
    // The thread lives on.
    assert_eq!(received(&run_all(&queue, vec![creating(open(&fixture))]), 1), [3]);
}

/// Writes a sequence of commits, which needs the writers' lock.
fn writing_alone(mut store: Store) -> Work {
    Box::new(move |sender| {
        let mut next_id = uuid::Uuid::now_v7;
        let by = model::person::Person::new("ada", "");
        let mut meta = WriteMeta { at: jiff::Timestamp::UNIX_EPOCH, by, next_id: &mut next_id };
        let number = store.write_sequence(&mut meta, |index, write| {
            let number = index.next_number(model::number::NumberSpace::Work)?;
            let change = model::op::Change::Create {
                kind: "task".to_owned(),
                number: Some(number),
                fields: std::collections::BTreeMap::from([("title".to_owned(), "b".into())]),
                sets: std::collections::BTreeMap::new(),
            };
            write(WritePlan::new("task: create", [(model::id::EntityId::new(uuid::Uuid::now_v7()), change)]))?;
            Ok::<_, StoreError>(number)
        });
        sender.send(number.unwrap()).unwrap();
    })
}

#[test]
fn a_job_may_need_what_a_waiting_batch_holds() {
    let (fixture, queue) = (TestRepository::new(), WriteQueue::start().unwrap());
    let mut reader = open(&fixture);
    let works: Vec<Work> = vec![
        creating(open(&fixture)),
        writing_alone(open(&fixture)),
        creating(open(&fixture)),
        Box::new(move |sender| sender.send(numbers(&mut reader).len() as u64).unwrap()),
        creating(open(&fixture)),
    ];
    assert_eq!(received(&run_all(&queue, works), 5), [1, 2, 3, 3, 4]);
    assert_sound(fixture.path());
}

/// The other server's write moves the clone's ref while the batch holds the index.
#[test]
fn a_job_may_catch_up_with_another_server() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    let queue = WriteQueue::start().unwrap();
    let [one, mut reader, last] = [0; 3].map(|n| servers.all[n].store());
    let mut other = servers.all[1].store();
    let works: Vec<Work> = vec![
        creating(one),
        Box::new(move |sender| {
            let (_, number) = create(&mut other, "b").unwrap();
            let seen = numbers(&mut reader);
            assert!(seen.contains(&number), "{seen:?}");
            sender.send(number).unwrap();
        }),
        creating(last),
    ];
    assert_eq!(received(&run_all(&queue, works), 3), [1, 2, 3]);
    for server in &servers.all {
        assert_eq!(numbers(&mut server.store()), [1, 2, 3]);
        assert_sound(&server.clone);
    }
}
