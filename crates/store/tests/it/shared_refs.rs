//! The contract of shared refs, the same for a clone alone and for clones on one database: what one server was told is
//! written, every other one reads, once.

use std::collections::HashSet;
use std::thread;

use store::git::RefName;
use store::{StoreError, WriteMeta, WritePlan};

use crate::notes_support::{self, ids, note};
use crate::shared_support::{Server, Servers, assert_sound, create, numbers};

/// Runs a check with `n` servers on one clone, and with `n` on one database.
fn on_both(n: usize, check: impl Fn(&Servers)) {
    check(&Servers::on_one_clone(n));
    if let Some(servers) = Servers::on_one_database(n) {
        check(&servers);
    }
}

#[test]
fn a_write_through_one_server_is_read_through_another_at_once() {
    on_both(3, |servers| {
        let mut stores: Vec<_> = servers.all.iter().map(Server::store).collect();
        for n in 0..12 {
            let (_, number) = create(&mut stores[n % 3], "a").unwrap();
            assert_eq!(number, n as u64 + 1);
            for store in &mut stores {
                assert_eq!(numbers(store).last(), Some(&number));
            }
        }
        for server in &servers.all {
            assert_sound(&server.clone);
        }
    });
}

#[test]
fn writes_through_all_servers_at_the_same_time_are_there_once() {
    on_both(3, |servers| {
        let told: Vec<(_, u64)> = thread::scope(|scope| {
            let writers = servers.all.iter().flat_map(|server| [server; 4]).map(|server| {
                scope.spawn(move || {
                    let mut store = server.store();
                    (0..10).map(|_| create(&mut store, "a").unwrap()).collect::<Vec<_>>()
                })
            });
            let writers: Vec<_> = writers.collect();
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
        });
        let unique: HashSet<u64> = told.iter().map(|(_, number)| *number).collect();
        assert_eq!((told.len(), unique.len()), (120, 120));
        for server in &servers.all {
            assert_eq!(numbers(&mut server.store()), (1..=120).collect::<Vec<u64>>());
            assert_sound(&server.clone);
        }
    });
}

#[test]
fn a_plan_runs_again_when_another_server_was_first() {
    on_both(2, |servers| {
        let [mut slow, mut fast] = [0, 1].map(|n| servers.all[n].store());
        let mut n_plans = 0;
        let mut next_id = uuid::Uuid::now_v7;
        let by = model::person::Person::new("ada", "");
        let mut meta = WriteMeta { at: jiff::Timestamp::UNIX_EPOCH, by, next_id: &mut next_id };
        // On one clone the other writer would wait for the lock, so nothing can come between there.
        let can_come_between = servers.database.is_some();
        let plan = |index: &store::index::Index| -> Result<_, StoreError> {
            n_plans += 1;
            if n_plans == 1 && can_come_between {
                create(&mut fast, "first")?;
            }
            let number = index.next_number(model::number::NumberSpace::Work)?;
            let change = model::op::Change::Create {
                kind: "task".to_owned(),
                number: Some(number),
                fields: std::collections::BTreeMap::from([("title".to_owned(), "second".into())]),
                sets: std::collections::BTreeMap::new(),
            };
            let id = model::id::EntityId::new(uuid::Uuid::now_v7());
            Ok((WritePlan::new("task: create", [(id, change)]), number))
        };
        let number = slow.write(&mut meta, plan, |_, number| Ok::<_, StoreError>(number)).unwrap();
        assert_eq!((number, n_plans), if can_come_between { (2, 2) } else { (1, 1) });
    });
}

#[test]
fn a_sequence_of_commits_appears_together() {
    on_both(2, |servers| {
        let [mut one, mut two] = [0, 1].map(|n| servers.all[n].store());
        let mut next_id = uuid::Uuid::now_v7;
        let by = model::person::Person::new("ada", "");
        let mut meta = WriteMeta { at: jiff::Timestamp::UNIX_EPOCH, by, next_id: &mut next_id };
        let written = one.write_sequence(&mut meta, |_, write| {
            for number in 1..=3 {
                let change = model::op::Change::Create {
                    kind: "task".to_owned(),
                    number: Some(number),
                    fields: std::collections::BTreeMap::new(),
                    sets: std::collections::BTreeMap::new(),
                };
                let id = model::id::EntityId::new(uuid::Uuid::now_v7());
                write(WritePlan::new("task: create", [(id, change)]))?;
                assert_eq!(numbers(&mut two), Vec::<u64>::new());
            }
            Ok::<_, StoreError>(())
        });
        written.unwrap();
        assert_eq!(numbers(&mut two), [1, 2, 3]);
    });
}

#[test]
fn notes_of_all_servers_are_kept() {
    on_both(2, |servers| {
        let [mut one, mut two] = [0, 1].map(|n| servers.all[n].store());
        let commits = ids(40, 20);
        for (n, commit) in commits.iter().enumerate() {
            let store = if n % 2 == 0 { &mut one } else { &mut two };
            notes_support::write(store, &RefName::NOTES, &[(*commit, note(commit, 1, "f", "why"))]);
        }
        for store in [&one, &two] {
            assert_eq!(store.notes(&RefName::NOTES).unwrap().list().unwrap().len(), commits.len());
        }
        for server in &servers.all {
            server.git(&["fsck", "--no-dangling", "--connectivity-only"]);
        }
    });
}
