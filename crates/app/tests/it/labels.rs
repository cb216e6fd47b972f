//! Declared labels: colors and descriptions that a team shares.

use app::ChangeSet;
use app::verb::{LabelChange, declare_labels};
use model::item::ItemKind;
use model::label::LabelDefinition;
use model::patch::Patch;

use crate::harness::{TestProject, by_name, refusal};

fn color(color: &str) -> LabelChange {
    LabelChange { color: Patch::Set(color.to_owned()), ..LabelChange::default() }
}

fn shown(test: &TestProject) -> Vec<String> {
    let labels = test.project.labels().unwrap().into_iter();
    let line = |label: app::view::LabelView| {
        let color = label.color.unwrap_or_else(|| "-".to_owned());
        format!("{} {color} {:?} {} {}", label.name, label.about, label.declared, label.n_items)
    };
    labels.map(line).collect()
}

#[test]
fn a_label_is_declared_changed_and_undeclared() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    assert!(!test.project.declares_labels().unwrap());
    let edit = ChangeSet { add_labels: vec!["bug".into(), "wild".into()], ..ChangeSet::default() };
    test.project.edit(&[by_name("1")], &edit).unwrap();
    test.project.define_label(" bug ", &color("rose")).unwrap();
    test.project.define_label("idle", &LabelChange::default()).unwrap();
    assert!(test.project.declares_labels().unwrap());
    let about = LabelChange { about: Patch::Set("It is broken".into()), ..LabelChange::default() };
    test.project.define_label("bug", &about).unwrap();
    let expected = ["bug #d63d5c \"It is broken\" true 1", "idle - \"\" true 0", "wild - \"\" false 1"];
    assert_eq!(shown(&test), expected);
    test.writes_nothing(|test| test.project.define_label("bug", &color("#D63D5C")).unwrap());
    test.project.define_label("bug", &color("")).unwrap();
    assert_eq!(shown(&test)[0], "bug - \"It is broken\" true 1");
    let removed = test.project.undefine_label("bug").unwrap();
    assert_eq!((removed.declared, removed.n_items), (false, 1));
    assert_eq!(test.show("1").labels, ["bug", "wild"], "items keep it");
}

#[test]
fn wrong_declarations_are_refused() {
    let mut test = TestProject::new();
    insta::assert_snapshot!(refusal(test.project.define_label("a,b", &color("rose"))), @"Invalid: the label `a,b` contains a comma, which separates labels; give them one by one");
    insta::assert_snapshot!(refusal(test.project.define_label("a", &color("reddish"))), @"Invalid: invalid color `reddish`; six hexadecimal digits such as #36b37e");
    test.project.define_label("security", &color("gold")).unwrap();
    insta::assert_snapshot!(refusal(test.project.undefine_label("secruity")), @"
    NotFound: the label `secruity` is not declared
    hint: did you mean `security`?
    ");
}

#[test]
fn import_declares_missing_labels() {
    let mut test = TestProject::new();
    test.project.define_label("bug", &color("blue")).unwrap();
    let label = |name: &str| LabelDefinition { name: name.into(), color: Some("#ff0000".into()), about: "x".into() };
    let labels = [label("bug"), label("new"), label("other")];
    let plan = |context: &app::plan::PlanContext<'_>| {
        Ok((app::plan::WritePlan::new("import", declare_labels(context, &labels)?), ()))
    };
    test.project.commit(plan).unwrap();
    let expected = ["bug #2563eb \"\" true 0", "new #ff0000 \"x\" true 0", "other #ff0000 \"x\" true 0"];
    assert_eq!(shown(&test), expected);
    test.writes_nothing(|test| test.project.commit(plan).unwrap());
}
