//! Three-way comparison: a pure function of the agreed, local and remote values.
//!
//! If both sides changed a field differently, that is a conflict. It stays one until a person makes both sides equal or
//! chooses a side.

use serde_json::Value;

use super::field_set::{AgreedFingerprints, FieldSet, Key};

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BridgeSide {
    Local,
    Remote,
}

/// Which side has the newer value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Only the remote side changed it.
    Remote,
    /// Only the local side changed it.
    Local,
    /// Both sides changed it to different values.
    Conflict,
}

/// A field with different values on the two sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    pub(super) key: Key,
    pub(super) verdict: Verdict,
    pub(super) local: Value,
    pub(super) remote: Value,
}

pub(super) fn compare(base: &AgreedFingerprints, local: &FieldSet, remote: &FieldSet) -> Vec<Difference> {
    let mut differences = Vec::new();
    for key in local.keys_with(remote) {
        let (here, there) = (local.get(key), remote.get(key));
        if here != there {
            // A field can differ although neither side changed it, for example after a status, severity or user was
            // renamed on the server. Then the remote value wins and nothing is sent.
            let verdict = match (base.is_here(key, local), base.is_there(key, there)) {
                (true, _) => Verdict::Remote,
                (false, true) => Verdict::Local,
                (false, false) => Verdict::Conflict,
            };
            differences.push(Difference { key: key.clone(), verdict, local: here.clone(), remote: there.clone() });
        }
    }
    differences
}

/// Resolves conflicts in favor of the side that the user chose.
pub(super) fn resolve_conflicts(differences: &mut [Difference], in_favor_of: BridgeSide) {
    let verdict = match in_favor_of {
        BridgeSide::Local => Verdict::Local,
        BridgeSide::Remote => Verdict::Remote,
    };
    for difference in differences.iter_mut().filter(|one| one.verdict == Verdict::Conflict) {
        difference.verdict = verdict;
    }
}

/// Returns the agreed values after a pull. `word` returns the local spelling of a remote value.
pub(super) fn base_after_pull(
    base: &AgreedFingerprints,
    remote: &FieldSet,
    local: &FieldSet,
    differences: &[Difference],
    word: impl Fn(&Key, &Value) -> Value,
) -> AgreedFingerprints {
    let mut after = base.clone();
    for key in known_keys(base, remote, local) {
        match differences.iter().find(|one| one.key == *key).map(|one| one.verdict) {
            None => after.agree(key, remote.get(key), local.word(key)),
            Some(Verdict::Remote) => after.agree(key, remote.get(key), &word(key, remote.get(key))),
            Some(Verdict::Local | Verdict::Conflict) => {}
        }
    }
    after
}

fn known_keys<'a>(
    base: &'a AgreedFingerprints,
    remote: &'a FieldSet,
    local: &'a FieldSet,
) -> impl Iterator<Item = &'a Key> {
    base.keys().filter(|key| remote.knows(key)).chain(local.keys_with(remote))
}

/// Returns the agreed values after the keys in `sent` were pushed.
pub(super) fn base_after_push(
    base: &AgreedFingerprints,
    remote: &FieldSet,
    local: &FieldSet,
    sent: &[Key],
) -> AgreedFingerprints {
    let mut after = base.clone();
    for key in known_keys(base, remote, local) {
        if local.get(key) == remote.get(key) || sent.contains(key) {
            after.agree(key, local.get(key), local.word(key));
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Uses three values only, so that equal changes on both sides are frequent.
    fn shape() -> impl Strategy<Value = FieldSet> {
        let value = || prop_oneof![Just(Value::Null), Just(Value::from("a")), Just(Value::from("b"))];
        let tag = || prop_oneof![Just(Value::Null), Just(Value::from(true))];
        (value(), value(), tag(), tag()).prop_map(|(subject, status, one, other)| {
            let mut shape: FieldSet = [(Key::Subject, subject), (Key::Status, status)].into_iter().collect();
            for (name, tag) in [("x", one), ("y", other)].into_iter().filter(|(_, tag)| !tag.is_null()) {
                shape.set(Key::Tag(name.to_owned()), tag);
            }
            shape
        })
    }

    fn pull(base: &AgreedFingerprints, local: &FieldSet, remote: &FieldSet) -> (AgreedFingerprints, FieldSet) {
        let differences = compare(base, local, remote);
        let mut after = local.clone();
        for one in differences.iter().filter(|one| one.verdict == Verdict::Remote) {
            after.set(one.key.clone(), one.remote.clone());
        }
        (base_after_pull(base, remote, local, &differences, |_, value| value.clone()), after)
    }

    fn push(base: &AgreedFingerprints, local: &FieldSet, remote: &FieldSet) -> (AgreedFingerprints, FieldSet) {
        let differences = compare(base, local, remote);
        let mut after = remote.clone();
        let mut sent = Vec::new();
        for one in differences.iter().filter(|one| one.verdict == Verdict::Local) {
            after.set(one.key.clone(), one.local.clone());
            sent.push(one.key.clone());
        }
        (base_after_push(base, remote, local, &sent), after)
    }

    fn conflicts(base: &AgreedFingerprints, local: &FieldSet, remote: &FieldSet) -> Vec<Key> {
        let differences = compare(base, local, remote);
        differences.into_iter().filter(|one| one.verdict == Verdict::Conflict).map(|one| one.key).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn one_sided_changes_arrive_and_nothing_else_changes(
            agreed in shape(), local in shape(), remote in shape(), pushes_first in any::<bool>(),
        ) {
            let base = AgreedFingerprints::of(&agreed);
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
                prop_assert!(base.matches_here(&local_after) && base.matches_there(&remote_after), "{:?}", base);
            }
            prop_assert_eq!(conflicts(&base, &local_after, &remote_after), before);
            prop_assert_eq!(pull(&base, &local_after, &remote_after), (base.clone(), local_after.clone()));
            prop_assert_eq!(push(&base, &local_after, &remote_after), (base, remote_after));
        }

        #[test]
        fn tags_never_clash(agreed in shape(), local in shape(), remote in shape()) {
            let clashing = conflicts(&AgreedFingerprints::of(&agreed), &local, &remote);
            prop_assert!(!clashing.iter().any(|key| matches!(key, Key::Tag(_))), "{:?}", clashing);
        }

        #[test]
        fn a_base_is_read_back(agreed in shape(), other in shape()) {
            let base = AgreedFingerprints::of(&agreed);
            prop_assert_eq!(AgreedFingerprints::from_value(&base.to_value()), base.clone());
            prop_assert!(base.matches_here(&agreed) && base.matches_there(&agreed));
            prop_assert_eq!(base.matches_here(&other), agreed == other);
        }
    }

    /// A story with the status `Ready` (2), which was renamed to `Prepared` on the server.
    fn renamed() -> (AgreedFingerprints, FieldSet, FieldSet) {
        let mut agreed = FieldSet::default();
        agreed.set_worded(Key::Status, 2, "ready");
        let mut local = FieldSet::default();
        local.set_worded(Key::Status, 1, "ready");
        let remote: FieldSet = [(Key::Status, 2.into())].into_iter().collect();
        (AgreedFingerprints::of(&agreed), local, remote)
    }

    #[test]
    fn status_that_only_means_something_else_now_is_no_local_change() {
        let (base, local, remote) = renamed();
        assert!(base.matches_here(&local) && base.matches_there(&remote));
        let differences = compare(&base, &local, &remote);
        assert_eq!(differences.iter().map(|one| one.verdict).collect::<Vec<_>>(), [Verdict::Remote]);
        let after = base_after_pull(&base, &remote, &local, &differences, |_, _| "Prepared".into());
        let mut renamed = FieldSet::default();
        renamed.set_worded(Key::Status, 2, "Prepared");
        assert_eq!(after, AgreedFingerprints::of(&renamed));
        assert_eq!(AgreedFingerprints::from_value(&after.to_value()), after);
    }

    #[test]
    fn unread_fields_are_neither_compared_nor_agreed_on() {
        let local: FieldSet = [(Key::Description, "a".into()), (Key::Subject, "s".into())].into_iter().collect();
        let mut row: FieldSet = [(Key::Subject, "s".into())].into_iter().collect();
        row.set_unknown(Key::Description);
        let base = AgreedFingerprints::of(&local);
        assert!(base.matches_there(&row) && compare(&base, &local, &row).is_empty());
        assert_eq!(base_after_pull(&base, &row, &local, &[], |_, value| value.clone()), base);
    }

    #[test]
    fn without_an_agreement_every_difference_is_a_conflict() {
        let local: FieldSet = [(Key::Subject, "a".into()), (Key::Tag("x".into()), true.into())].into_iter().collect();
        let remote: FieldSet = [(Key::Subject, "b".into())].into_iter().collect();
        assert_eq!(conflicts(&AgreedFingerprints::default(), &local, &remote), [Key::Subject, Key::Tag("x".into())]);
    }
}
