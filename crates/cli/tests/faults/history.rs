//! Checks whether a concurrent history is linearizable: the search of Wing and Gong, with Lowe's memoization. An
//! operation that was killed or failed may have taken effect at any time after it began, or never.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

/// An operation on one object.
#[derive(Debug, Clone)]
pub(crate) struct Operation<A> {
    pub(crate) began: Duration,
    /// `None` if its outcome is unknown.
    pub(crate) ended: Option<Duration>,
    pub(crate) action: A,
}

/// Operations on a register, such as a title; empty while the item does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Register {
    Write(String),
    Read(String),
}

impl Register {
    pub(crate) fn apply(&self, state: &String) -> Option<String> {
        match self {
            Self::Write(value) => Some(value.clone()),
            Self::Read(seen) => (seen == state).then(|| state.clone()),
        }
    }
}

/// Operations on a grow-only set, such as the comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GrowingSet {
    Add(String),
    Read(BTreeSet<String>),
}

impl GrowingSet {
    pub(crate) fn apply(&self, state: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        match self {
            Self::Add(value) => {
                let mut state = state.clone();
                state.insert(value.clone());
                Some(state)
            }
            Self::Read(seen) => (seen == state).then(|| state.clone()),
        }
    }
}

/// Returns whether a sequential order explains all results and respects the time intervals.
pub(crate) fn is_linearizable<A, S: Clone + Eq + std::hash::Hash>(
    operations: &[Operation<A>],
    initial: S,
    apply: impl Fn(&A, &S) -> Option<S>,
) -> bool {
    let mut tried = HashSet::new();
    let mut stack = vec![(vec![false; operations.len()], initial)];
    while let Some((done, state)) = stack.pop() {
        if operations.iter().zip(&done).all(|(operation, is_done)| *is_done || operation.ended.is_none()) {
            return true;
        }
        if !tried.insert((done.clone(), state.clone())) {
            continue;
        }
        let open = || operations.iter().enumerate().filter(|(place, _)| !done[*place]);
        // An operation that began after another one ended comes after it.
        let first_end = open().filter_map(|(_, operation)| operation.ended).min();
        for (place, operation) in open() {
            let may_be_next = first_end.is_none_or(|end| operation.began <= end);
            if may_be_next && let Some(next) = apply(&operation.action, &state) {
                let mut done = done.clone();
                done[place] = true;
                stack.push((done, next));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(began: u64, ended: Option<u64>, action: Register) -> Operation<Register> {
        Operation { began: Duration::from_secs(began), ended: ended.map(Duration::from_secs), action }
    }

    fn check(operations: &[Operation<Register>]) -> bool {
        is_linearizable(operations, String::new(), Register::apply)
    }

    #[test]
    fn a_read_sees_the_last_write_or_a_concurrent_one() {
        let write = |began, ended, value: &str| at(began, Some(ended), Register::Write(value.into()));
        let read = |began, ended, value: &str| at(began, Some(ended), Register::Read(value.into()));
        assert!(check(&[write(0, 1, "a"), read(2, 3, "a")]));
        assert!(check(&[write(0, 1, "a"), write(2, 9, "b"), read(3, 4, "a"), read(5, 6, "b")]));
        assert!(!check(&[write(0, 1, "a"), write(2, 9, "b"), read(3, 4, "b"), read(5, 6, "a")]), "it went back");
        assert!(!check(&[write(0, 1, "a"), write(2, 3, "b"), read(4, 5, "a")]), "a lost write");
        assert!(!check(&[write(0, 1, "a"), at(2, Some(3), Register::Read(String::new()))]), "an empty answer");
    }

    #[test]
    fn killed_call_has_happened_or_not() {
        let killed = at(2, None, Register::Write("b".into()));
        let first = at(0, Some(1), Register::Write("a".into()));
        let read = |began, ended, value: &str| at(began, Some(ended), Register::Read(value.into()));
        assert!(check(&[first.clone(), killed.clone(), read(3, 4, "a")]));
        assert!(check(&[first.clone(), killed.clone(), read(3, 4, "a"), read(5, 6, "b")]));
        assert!(!check(&[first, killed, read(3, 4, "b"), read(5, 6, "a")]));
    }

    #[test]
    fn a_set_only_grows() {
        let add = |began, ended, value: &str| Operation {
            began: Duration::from_secs(began),
            ended: Some(Duration::from_secs(ended)),
            action: GrowingSet::Add(value.into()),
        };
        let read = |began, ended, values: &[&str]| Operation {
            began: Duration::from_secs(began),
            ended: Some(Duration::from_secs(ended)),
            action: GrowingSet::Read(values.iter().map(ToString::to_string).collect()),
        };
        let check =
            |operations: &[Operation<GrowingSet>]| is_linearizable(operations, BTreeSet::new(), GrowingSet::apply);
        assert!(check(&[add(0, 1, "a"), add(0, 5, "b"), read(2, 3, &["a"]), read(6, 7, &["a", "b"])]));
        assert!(!check(&[add(0, 1, "a"), read(2, 3, &[])]));
    }
}
