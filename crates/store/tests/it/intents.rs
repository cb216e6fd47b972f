//! Intents survive the process that wrote them, and only their owner can read them.

use store::git::Repository;
use store::intents::Intents;
use testkit::TestRepository;

#[test]
fn an_intent_is_there_until_it_is_forgotten() {
    let fixture = TestRepository::new();
    let repository = Repository::discover(fixture.path()).unwrap();
    let intents = Intents::of(&repository, "taiga");
    assert!(intents.all().unwrap().is_empty());
    intents.put("one", b"first").unwrap();
    intents.put("two", b"second").unwrap();
    intents.put("one", b"better").unwrap();
    // The leftover of a crash during a write.
    let folder = fixture.git_dir().join("cairn/taiga");
    std::fs::write(folder.join("three.new"), b"hal").unwrap();
    let again = Intents::of(&Repository::discover(fixture.path()).unwrap(), "taiga");
    let expect = [("one".to_owned(), b"better".to_vec()), ("two".to_owned(), b"second".to_vec())];
    assert_eq!(again.all().unwrap(), expect);
    again.remove("one").unwrap();
    again.remove("one").unwrap();
    assert_eq!(intents.all().unwrap(), expect[1..]);
    assert!(Intents::of(&repository, "other").all().unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn an_intent_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = TestRepository::new();
    let repository = Repository::discover(fixture.path()).unwrap();
    Intents::of(&repository, "taiga").put("one", b"first").unwrap();
    let mode = std::fs::metadata(fixture.git_dir().join("cairn/taiga/one")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
