//! `--if-unchanged`: a writer that has not read the newest state is rejected, one that has is not.

use std::collections::BTreeSet;

use app::ChangeSet;
use app::ErrorKind;
use model::item::ItemKind;
use proptest::prelude::*;

use crate::harness::{TestProject, by_name, cases, ids, open, parsed};

#[derive(Debug, Clone, Copy)]
enum Step {
    /// A writer reads the item.
    Read,
    /// A writer changes it, if it is what it last read.
    Careful,
    /// A writer changes it unconditionally.
    Careless,
    /// A writer sets the current values.
    Same,
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let step =
        prop_oneof![3 => Just(Step::Read), 4 => Just(Step::Careful), 1 => Just(Step::Careless), 1 => Just(Step::Same)];
    (0..2_usize, step)
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_stale_revision_is_refused_and_a_fresh_one_is_not(steps in proptest::collection::vec(step(), 1..20)) {
        let mut test = TestProject::with(ItemKind::Task, &["One"]);
        let mut writers = [open(test.fixture.path()), open(test.fixture.path())];
        let mut current = test.show("1").revision;
        let mut all = BTreeSet::from([current.clone()]);
        let mut read = [current.clone(), current.clone()];
        for (n, (writer, step)) in steps.into_iter().enumerate() {
            let project = &mut writers[writer];
            let change = |if_unchanged| ChangeSet { fields: parsed(&[("title", &format!("Title {n}"))]), if_unchanged, ..ChangeSet::default() };
            match step {
                Step::Read => {
                    *project = open(test.fixture.path());
                    read[writer] = project.show(&by_name("1")).unwrap().revision;
                    prop_assert_eq!(&read[writer], &current);
                }
                Step::Same => {
                    let same = ChangeSet::of_fields(parsed(&[("priority", "")]));
                    let item = project.edit(&ids(&["1"]), &same).unwrap().remove(0);
                    prop_assert_eq!(&item.revision, &current);
                }
                Step::Careful | Step::Careless => {
                    let is_careful = matches!(step, Step::Careful);
                    let result = project.edit(&ids(&["1"]), &change(is_careful.then(|| read[writer].clone())));
                    if is_careful && read[writer] != current {
                        let error = result.unwrap_err();
                        prop_assert_eq!(error.kind, ErrorKind::Conflict);
                        let (item, known) = (project.show(&by_name("1")).unwrap(), &read[writer]);
                        let was_changed =
                            format!("task #1 `{}` was changed: its revision is {current}, not {known}", item.title);
                        prop_assert_eq!(error.message, was_changed);
                        continue;
                    }
                    current = result.unwrap().remove(0).revision;
                    prop_assert!(all.insert(current.clone()), "revision {} came twice", current);
                    if is_careful {
                        read[writer].clone_from(&current);
                    }
                }
            }
        }
        test.project = open(test.fixture.path());
        prop_assert_eq!(test.show("1").revision, current);
    }
}
