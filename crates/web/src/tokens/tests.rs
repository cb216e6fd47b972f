//! One contract for both stores of tokens.

use testkit::postgres::TestDatabase;

use super::*;

pub(super) fn new(name: &str) -> NewToken {
    NewToken { name: name.to_owned(), role: Role::Reader, person: Person::parse("Ada <ada@example.com>") }
}

/// Runs a test on the tokens of a clone and on those of a database; `dump` returns all that is stored.
fn check(test: impl Fn(&Tokens, &dyn Fn() -> String)) {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    test(&Tokens::in_folder(folder.path()), &|| read("tokens.json") + &read("audit.log"));
    let Some(stored) = TestDatabase::shared() else { return };
    let tables = "SELECT row_to_json(t)::text FROM cairn_tokens t; SELECT row_to_json(a)::text FROM cairn_audit a";
    test(&Tokens::shared(crate::shared_test::open(&stored)), &|| stored.sql(tables));
}

#[test]
fn token_is_created_and_revoked() {
    check(|tokens, dump| {
        let (view, secret) = tokens.create(&new("ada"), Timestamp::UNIX_EPOCH).expect("a token");
        assert_eq!((view.role.as_str(), view.created_at.as_str()), ("reader", "1970-01-01T00:00:00Z"));
        let known = tokens.known().expect("they can be read");
        assert!(bool::from(known[0].fingerprint.matches(&secret.fingerprint())));
        assert!(!dump().contains(secret.reveal()));
        assert!(tokens.create(&new("ADA"), Timestamp::UNIX_EPOCH).is_err());
        tokens.create(&new("bob"), Timestamp::UNIX_EPOCH).expect("another");
        assert_eq!(tokens.revoke("Ada").expect("it was there"), view);
        let names: Vec<String> = tokens.list().expect("a list").into_iter().map(|token| token.name).collect();
        assert_eq!(names, ["bob"]);
        assert!(tokens.revoke("ada").is_err());
    });
}

#[test]
fn every_change_has_a_version_and_an_audit_record() {
    check(|tokens, dump| {
        let before = tokens.version().expect("it can be known");
        tokens.create(&new("ada"), Timestamp::UNIX_EPOCH).expect("a token");
        let after = tokens.version().expect("it can be known");
        assert_ne!(before, after);
        tokens.revoke("ada").expect("it is there");
        assert_ne!(tokens.version(), Some(after));
        assert!(tokens.revoke("ada").is_err());
        let stored = dump();
        assert_eq!(stored.matches("token create ada").count(), 1, "{stored}");
        assert_eq!(stored.matches("token revoke ada").count(), 1, "{stored}");
    });
}
