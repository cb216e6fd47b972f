//! An incrementally updated index equals a newly built one, for any log and any order of growth.

use std::collections::BTreeSet;

use model::number::{Claim, MAX_NUMBER, NumberSpace, assign};
use model::op::Change;
use proptest::prelude::*;
use store::format::v1;
use store::git::{CommitId, Repository};
use store::index::{Index, ItemQuery};
use testkit::{Layout, TestRepository};

use crate::git_support::open;
use crate::random_log::{Line, WORDS, cases, commit, commit_with_file, fresh, item_ids, line, op};

const N_BRANCHES: usize = 3;

/// An event on the log or the index.
#[derive(Debug, Clone)]
enum Step {
    /// A commit on a branch.
    Write { branch: usize, lines: Vec<Line>, in_file: bool },
    /// A merge into a branch; our own merges contain no operations, foreign ones may.
    Merge { branch: usize, others: Vec<usize>, lines: Vec<Line> },
    /// The reference moves to the tip of a branch, and the index follows.
    Follow { branch: usize },
    /// The reference moves back to an earlier commit, and the index follows.
    GoBack { commit: proptest::sample::Index },
}

fn step() -> impl Strategy<Value = Step> {
    let branch = || prop_oneof![2 => Just(0), 1 => 0..N_BRANCHES];
    let lines = |most| proptest::collection::vec(line(), 0..most);
    prop_oneof![
        6 => (branch(), lines(6), proptest::bool::weighted(0.2))
            .prop_map(|(branch, lines, in_file)| Step::Write { branch, lines, in_file }),
        3 => (branch(), proptest::collection::vec(0..N_BRANCHES, 1..3), lines(2))
            .prop_map(|(branch, others, lines)| Step::Merge { branch, others, lines }),
        4 => prop_oneof![3 => Just(0), 1 => 0..N_BRANCHES].prop_map(|branch| Step::Follow { branch }),
        1 => any::<proptest::sample::Index>().prop_map(|commit| Step::GoBack { commit }),
    ]
}

/// A log with branches, and an index that follows one of them.
struct World<'a> {
    repository: &'a Repository,
    tips: [Option<CommitId>; N_BRANCHES],
    commits: Vec<CommitId>,
    maintained: Index,
}

impl World<'_> {
    fn take(&mut self, step: Step) {
        match step {
            Step::Write { branch, lines, in_file } => {
                let parents: Vec<CommitId> = self.tips[branch].into_iter().collect();
                let write = if in_file { commit_with_file } else { commit };
                self.grow(branch, write(self.repository, &parents, &lines));
            }
            Step::Merge { branch, others, lines } => {
                let mut parents: Vec<CommitId> = self.tips[branch].into_iter().collect();
                for tip in others.iter().filter_map(|other| self.tips[*other]) {
                    if !parents.contains(&tip) {
                        parents.push(tip);
                    }
                }
                self.grow(branch, commit(self.repository, &parents, &lines));
            }
            Step::Follow { branch } => self.follow(self.tips[branch]),
            Step::GoBack { commit } if !self.commits.is_empty() => {
                let tip = *commit.get(&self.commits);
                self.tips[0] = Some(tip);
                self.follow(Some(tip));
            }
            Step::GoBack { .. } => {}
        }
    }

    fn grow(&mut self, branch: usize, tip: CommitId) {
        self.tips[branch] = Some(tip);
        self.commits.push(tip);
    }

    fn follow(&mut self, tip: Option<CommitId>) {
        self.maintained.catch_up(self.repository, &|| Ok(tip), &mut |_, _| {}).unwrap();
        let rebuilt = fresh(self.repository, tip);
        assert_same(&self.maintained, &rebuilt);
        assert_numbers(&rebuilt);
    }
}

fn assert_same(maintained: &Index, rebuilt: &Index) {
    let (own, other) = (maintained.dump().unwrap(), rebuilt.dump().unwrap());
    let only = |lines: &[String], others: &[String]| -> Vec<String> {
        lines.iter().filter(|line| !others.contains(line)).cloned().collect()
    };
    assert!(own == other, "maintained: {:#?}\nrebuilt: {:#?}", only(&own, &other), only(&other, &own));
    assert_eq!(maintained.tip().unwrap(), rebuilt.tip().unwrap());
    assert_eq!(maintained.unsettled().unwrap(), rebuilt.unsettled().unwrap());
    for space in NumberSpace::ALL {
        assert_eq!(maintained.next_number(space).unwrap(), rebuilt.next_number(space).unwrap());
    }
    assert_eq!(maintained.person_numbers().unwrap(), rebuilt.person_numbers().unwrap());
    assert_eq!(maintained.clock().unwrap(), rebuilt.clock().unwrap());
    assert_eq!(maintained.warnings().unwrap(), rebuilt.warnings().unwrap());
    assert_eq!(held_lines(maintained), held_lines(rebuilt));
    let all = ItemQuery { include_closed: true, include_deleted: true, ..ItemQuery::default() };
    assert_eq!(maintained.list(&all).unwrap(), rebuilt.list(&all).unwrap());
    for words in WORDS {
        let query = ItemQuery { words: Some(words), ..all };
        assert_eq!(maintained.list(&query).unwrap(), rebuilt.list(&query).unwrap(), "{words:?}");
    }
}

fn held_lines(index: &Index) -> BTreeSet<Vec<u8>> {
    let mut lines = BTreeSet::new();
    index
        .each_line(|_, line| {
            lines.insert(line.to_vec());
        })
        .unwrap();
    lines
}

/// Every number is held once, by the item that the model says, and the next one is free.
fn assert_numbers(index: &Index) {
    for space in [NumberSpace::Work, NumberSpace::Milestone, NumberSpace::Board] {
        assert_numbers_in(index, space);
    }
}

fn assert_numbers_in(index: &Index, space: NumberSpace) {
    let all = ItemQuery { kinds: space.kinds(), include_closed: true, include_deleted: true, ..ItemQuery::default() };
    let rows = index.list(&all).unwrap().rows;
    let mut claims = Vec::new();
    let mut numbered = Vec::new();
    for row in &rows {
        let entity = index.entity(row.item.id).unwrap().unwrap();
        numbered.push((entity.creation().unwrap().stamp, entity.id));
        claims.extend(entity.claims().map(|(stamp, number)| Claim { stamp, entity: entity.id, number }));
    }
    let numbers = assign(space, &claims, &numbered);
    let unique: BTreeSet<u64> = rows.iter().map(|row| row.number).collect();
    assert_eq!(unique.len(), rows.len(), "a number is held twice");
    for row in &rows {
        assert_eq!(row.number, numbers.held[&row.item.id]);
        assert_eq!(index.item_by_number(row.reference()).unwrap().unwrap().item.id, row.item.id);
    }
    let next = index.next_number(space).unwrap();
    assert!(!unique.contains(&next) && claims.iter().all(|claim| claim.number != next), "#{next} is taken");
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn an_index_kept_up_to_date_equals_one_built_anew(steps in proptest::collection::vec(step(), 1..24)) {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let repository = open(fixture.path());
        let maintained = Index::create(&fixture.directory_path().join("index.db")).unwrap();
        let mut world = World { repository: &repository, tips: [None; N_BRANCHES], commits: Vec::new(), maintained };
        for step in steps {
            world.take(step);
        }
        world.follow(world.tips[0]);
        world.follow(None);
    }

    #[test]
    fn a_number_is_never_held_twice_and_forged_ones_do_not_carry_the_count_away(
        claims in proptest::collection::vec((op(), any::<u64>(), 0..4_u8), 1..30),
        n_commits in 1..6_usize,
    ) {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let repository = open(fixture.path());
        let mut index = Index::in_memory().unwrap();
        let mut tip = None;
        let ops: Vec<Line> = claims.into_iter().enumerate().map(|(n, (mut op, huge, size))| {
            op.stamp.lamport = 1 + op.stamp.lamport % 40;
            op.entity = item_ids()[n % 6];
            let number = match size { 0 => huge, 1 => 100_000 + huge % 200, _ => huge % 8 };
            op.change = if n < 6 || size == 0 {
                Change::Create { kind: "issue".into(), number: Some(number), fields: [].into(), sets: [].into() }
            } else {
                Change::Renumber { number, releases: if size == 3 { vec![huge % 5] } else { Vec::new() } }
            };
            crate::random_log::written(&op)
        }).collect();
        for lines in ops.chunks(ops.len().div_ceil(n_commits)) {
            tip = Some(commit(&repository, &Vec::from_iter(tip), lines));
            index.catch_up(&repository, &|| Ok(tip), &mut |_, _| {}).unwrap();
            assert_same(&index, &fresh(&repository, tip));
            assert_numbers(&index);
            let next = index.next_number(NumberSpace::Work).unwrap();
            prop_assert!(next < 100_000 + 16 * 7 + 40, "#{next} after six items");
        }
        let is_in_range = |line: &Line| match v1::read(&line.0).unwrap().change {
            Change::Create { number: Some(number), .. } | Change::Renumber { number, .. } => number <= MAX_NUMBER,
            _ => true,
        };
        let releases = |line: &Line| matches!(v1::read(&line.0).unwrap().change, Change::Renumber { releases, .. } if !releases.is_empty());
        prop_assert!(ops.iter().any(is_in_range) || ops.iter().any(releases) || index.unsettled().unwrap().len() == index.list(&ItemQuery::default()).unwrap().rows.len());
    }
}
