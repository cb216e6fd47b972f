//! Members, and how references to people are resolved.

use app::verb::NewMember;
use model::item::ItemKind;

use crate::harness::{TestProject, refusal};

fn member(name: &str, email: &str, username: Option<&str>) -> NewMember {
    NewMember { name: name.into(), email: email.into(), username: username.map(Into::into), role: None }
}

#[test]
fn a_member_is_added_once_changed_removed_and_added_again() {
    let mut test = TestProject::new();
    let bob = test.project.add_member(&member("Bob", "bob@example.org", Some("bobby"))).unwrap();
    assert_eq!((bob.name.as_str(), bob.username.as_str(), bob.added), ("Bob", "bobby", true));
    test.writes_nothing(|test| test.project.add_member(&member("Bob", "bob@example.org", Some("bobby"))).unwrap());
    let same = test.project.add_member(&member("Robert", "BOB@example.org", None)).unwrap();
    assert_eq!((same.id == bob.id, same.name.as_str(), same.username.as_str()), (true, "Robert", "bobby"));
    assert_eq!(test.project.members().unwrap().len(), 1);
    test.project.remove_member("@bobby").unwrap();
    assert!(test.project.members().unwrap().is_empty());
    let back = test.project.add_member(&member("Bob", "bob@example.org", None)).unwrap();
    assert_eq!((back.id == bob.id, back.name.as_str()), (true, "Bob"));
}

#[test]
fn invalid_members_are_refused() {
    let mut test = TestProject::new();
    test.project.add_member(&member("Bob", "bob@example.org", Some("bob"))).unwrap();
    let mut refused = |new: &NewMember| refusal(test.writes_nothing(|test| test.project.add_member(new)));
    insta::assert_snapshot!(refused(&member("Eve", "eve", None)), @"Invalid: invalid e-mail address `eve`; write name@host");
    insta::assert_snapshot!(refused(&member("Eve", "a <b@c>", None)), @"Invalid: invalid e-mail address `a <b@c>`; write name@host");
    insta::assert_snapshot!(refused(&member(" ", "eve@example.org", None)), @"Invalid: the name is empty");
    insta::assert_snapshot!(refused(&member("Eve", "eve@example.org", Some("BOB"))), @"Conflict: `BOB` is already Bob <bob@example.org>");
    let refused = test.writes_nothing(|test| test.project.remove_member("eve"));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: member not found: `eve`
    hint: `cairn member list` shows them all
    ");
}

#[test]
fn person_argument_is_me_a_member_a_known_person_or_a_new_one() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    test.project.add_member(&member("Bob", "bob@example.org", Some("bobby"))).unwrap();
    test.edit("2", &[("assign", "Eve Moneypenny <eve@example.org>")]);
    let mut check = |word: &str, expect: &str| {
        assert_eq!(test.edit("1", &[("assign", word)]).assignee.as_deref(), Some(expect), "{word}");
    };
    check("ME", "Ada Lovelace <ada@example.com>");
    check("@bobby", "Bob <bob@example.org>");
    check("bob", "Bob <bob@example.org>");
    check("EVE@example.org", "Eve Moneypenny <eve@example.org>");
    check("eve moneypenny", "Eve Moneypenny <eve@example.org>");
    check("Nobody Known", "Nobody Known");
    check("new@example.org", "new@example.org");
    check("New One <new@example.org>", "New One <new@example.org>");
}

#[test]
fn people_who_wrote_or_have_work_are_listed_after_the_members() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    test.edit("1", &[("assign", "Eve <eve@example.org>")]);
    test.project.add_member(&member("Zoe", "zoe@example.org", None)).unwrap();
    test.project.add_member(&member("Eve", "eve@example.org", None)).unwrap();
    let members = test.project.members().unwrap();
    let named: Vec<(&str, bool)> = members.iter().map(|member| (member.name.as_str(), member.added)).collect();
    assert_eq!(named, [("Eve", true), ("Zoe", true), ("Ada Lovelace", false)]);
}
