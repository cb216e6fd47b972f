//! Which side changed what: a pure function of what was agreed on last, what is here and what is there.
//!
//! Nothing is ever decided when both sides changed the same thing differently: that is a conflict, and stays one until a
//! person makes both sides equal or says which counts.

use serde_json::Value;

use super::shape::{Base, Key, Shape};

/// Which side has the newer value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The other side changed it.
    Remote,
    /// This side changed it.
    Local,
    /// Both did, and not to the same.
    Conflict,
}

/// Something that is not the same on both sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    pub(super) key: Key,
    pub(super) verdict: Verdict,
    pub(super) local: Value,
    pub(super) remote: Value,
}

/// Returns everything that is not the same on both sides.
pub(super) fn compare(base: &Base, local: &Shape, remote: &Shape) -> Vec<Difference> {
    let mut differences = Vec::new();
    for key in local.keys_with(remote) {
        let (here, there) = (local.get(key), remote.get(key));
        if here != there {
            let verdict = judge(base, key, here, there);
            differences.push(Difference { key: key.clone(), verdict, local: here.clone(), remote: there.clone() });
        }
    }
    differences
}

fn judge(base: &Base, key: &Key, local: &Value, remote: &Value) -> Verdict {
    match (base.is(key, local), base.is(key, remote)) {
        (true, _) => Verdict::Remote,
        (false, true) => Verdict::Local,
        (false, false) => Verdict::Conflict,
    }
}

/// Settles conflicts in favour of one side, because a person said so.
pub(super) fn settle(differences: &mut [Difference], in_favour_of: Verdict) {
    for difference in differences.iter_mut().filter(|one| one.verdict == Verdict::Conflict) {
        difference.verdict = in_favour_of;
    }
}

/// Returns what is agreed on after this side took what the other had changed.
pub(super) fn base_after_pull(base: &Base, remote: &Shape, local: &Shape, differences: &[Difference]) -> Base {
    let mut after = base.clone();
    for key in base.keys().chain(local.keys_with(remote)) {
        let verdict = differences.iter().find(|one| one.key == *key).map(|one| one.verdict);
        if matches!(verdict, None | Some(Verdict::Remote)) {
            after.agree(key, remote.get(key));
        }
    }
    after
}

/// Returns what is agreed on after the other side was sent `sent`.
pub(super) fn base_after_push(base: &Base, remote: &Shape, local: &Shape, sent: &[Key]) -> Base {
    let mut after = base.clone();
    for key in base.keys().chain(local.keys_with(remote)) {
        if local.get(key) == remote.get(key) || sent.contains(key) {
            after.agree(key, local.get(key));
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Three values, so that two changes are often the same.
    fn shape() -> impl Strategy<Value = Shape> {
        let value = || prop_oneof![Just(Value::Null), Just(Value::from("a")), Just(Value::from("b"))];
        let tag = || prop_oneof![Just(Value::Null), Just(Value::from(true))];
        (value(), value(), tag(), tag()).prop_map(|(subject, status, one, other)| {
            let mut shape: Shape = [(Key::Subject, subject), (Key::Status, status)].into_iter().collect();
            for (name, tag) in [("x", one), ("y", other)].into_iter().filter(|(_, tag)| !tag.is_null()) {
                shape.set(Key::Tag(name.to_owned()), tag);
            }
            shape
        })
    }

    fn pull(base: &Base, local: &Shape, remote: &Shape) -> (Base, Shape) {
        let differences = compare(base, local, remote);
        let mut after = local.clone();
        for one in differences.iter().filter(|one| one.verdict == Verdict::Remote) {
            after.set(one.key.clone(), one.remote.clone());
        }
        (base_after_pull(base, remote, local, &differences), after)
    }

    fn push(base: &Base, local: &Shape, remote: &Shape) -> (Base, Shape) {
        let differences = compare(base, local, remote);
        let mut after = remote.clone();
        let mut sent = Vec::new();
        for one in differences.iter().filter(|one| one.verdict == Verdict::Local) {
            after.set(one.key.clone(), one.local.clone());
            sent.push(one.key.clone());
        }
        (base_after_push(base, remote, local, &sent), after)
    }

    fn conflicts(base: &Base, local: &Shape, remote: &Shape) -> Vec<Key> {
        let differences = compare(base, local, remote);
        differences.into_iter().filter(|one| one.verdict == Verdict::Conflict).map(|one| one.key).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn what_one_side_changed_arrives_and_nothing_else_moves(
            agreed in shape(), local in shape(), remote in shape(), pushes_first in any::<bool>(),
        ) {
            let base = Base::of(&agreed);
            let before = conflicts(&base, &local, &remote);
            let (base, local_after, remote_after) = if pushes_first {
                let (base, remote) = push(&base, &local, &remote);
                let (base, local) = pull(&base, &local, &remote);
                (base, local, remote)
            } else {
                let (base, local) = pull(&base, &local, &remote);
                let (base, remote) = push(&base, &local, &remote);
                (base, local, remote)
            };
            for key in agreed.keys_with(&local).into_iter().chain(remote.keys_with(&remote)) {
                let (was, here, there) = (agreed.get(key), local.get(key), remote.get(key));
                let (now_here, now_there) = (local_after.get(key), remote_after.get(key));
                let is_conflict = was != here && was != there && here != there;
                prop_assert_eq!(before.contains(key), is_conflict);
                if is_conflict {
                    prop_assert_eq!((now_here, now_there), (here, there), "a conflict was overwritten");
                } else {
                    let expect = if here == was { there } else { here };
                    prop_assert_eq!((now_here, now_there), (expect, expect));
                }
            }
            if before.is_empty() {
                prop_assert!(base.matches(&local_after) && base.matches(&remote_after), "{:?}", base);
            }
            prop_assert_eq!(conflicts(&base, &local_after, &remote_after), before);
            prop_assert_eq!(pull(&base, &local_after, &remote_after), (base.clone(), local_after.clone()));
            prop_assert_eq!(push(&base, &local_after, &remote_after), (base, remote_after));
        }

        #[test]
        fn tags_never_clash(agreed in shape(), local in shape(), remote in shape()) {
            let clashing = conflicts(&Base::of(&agreed), &local, &remote);
            prop_assert!(!clashing.iter().any(|key| matches!(key, Key::Tag(_))), "{:?}", clashing);
        }

        #[test]
        fn a_base_is_read_back(agreed in shape(), other in shape()) {
            let base = Base::of(&agreed);
            prop_assert_eq!(Base::from_value(&base.to_value()), base.clone());
            prop_assert!(base.matches(&agreed));
            prop_assert_eq!(base.matches(&other), agreed == other);
        }
    }

    #[test]
    fn without_an_agreement_every_difference_is_a_conflict() {
        let local: Shape = [(Key::Subject, "a".into()), (Key::Tag("x".into()), true.into())].into_iter().collect();
        let remote: Shape = [(Key::Subject, "b".into())].into_iter().collect();
        assert_eq!(conflicts(&Base::default(), &local, &remote), [Key::Subject, Key::Tag("x".into())]);
    }
}
