//! Claims: of several agents at once, one takes an item, and the others learn who has it.

use std::sync::Barrier;
use std::thread;

use serde_json::json;

use super::bench::Bench;

#[test]
fn a_claim_takes_an_item_or_names_its_assignee() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "One", "priority": "low"}));
    let claimed = bench.call("update", json!({"id": 1, "claim": true, "priority": "high"}));
    assert_eq!(claimed.text, "#1 task high in_progress One @Ada Lovelace");
    let shown = bench.call("show", json!({"id": 1})).structured["items"][0].clone();
    assert!(shown["started"].is_string(), "{shown}");
    let refused = bench.refuse("update", json!({"id": 1, "claim": true}));
    assert!(refused.starts_with("task #1 `One` is taken: in progress since "), "{refused}");
    assert!(refused.ends_with(", by Ada Lovelace <ada@example.com> (you)\nhint: choose another one from `ready`"));
    let refused = bench.refuse("update", json!({"id": 1, "claim": true, "status": "done"}));
    assert_eq!(refused, "`claim` sets `status` and `assignee`; leave them out");
}

#[test]
fn of_claims_at_once_one_wins_each_item() {
    const N_AGENTS: usize = 8;
    const N_ITEMS: usize = 6;
    let bench = Bench::new();
    let items: Vec<_> = (0..N_ITEMS).map(|n| json!({"title": format!("Item {n}")})).collect();
    bench.call("create", json!({"items": items}));
    let start = Barrier::new(N_AGENTS);
    let wins: usize = thread::scope(|scope| {
        let agents: Vec<_> = (0..N_AGENTS)
            .map(|_| {
                let (agent, start) = (bench.again(), &start);
                scope.spawn(move || {
                    start.wait();
                    let claim = |n: usize| agent.try_call("update", json!({"id": n, "claim": true}));
                    (1..=N_ITEMS)
                        .map(claim)
                        .filter(|outcome| match outcome {
                            Ok(_) => true,
                            Err(message) => {
                                assert!(message.contains("is taken: in progress"), "{message}");
                                false
                            }
                        })
                        .count()
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).sum()
    });
    assert_eq!(wins, N_ITEMS);
}
