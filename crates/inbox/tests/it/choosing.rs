//! Choosing the file and the lines of a remark: lists of files and lines, menus, and diffs.

use std::fs;

use app::{Env, ErrorKind};
use inbox::{Inbox, LineChoice, MenuScope, Remark};
use testkit::TestRepository;

/// A repository with two commits and changes in the work tree.
struct Changed {
    fixture: TestRepository,
    inbox: Inbox,
}

impl Changed {
    fn new() -> Self {
        let fixture = TestRepository::new();
        let inbox = Inbox::open(fixture.path(), Env::default()).unwrap();
        let changed = Self { fixture, inbox };
        fs::create_dir(changed.fixture.path().join("src")).unwrap();
        changed.write("a.txt", "one\ntwo\nthree\n");
        changed.write("src/lib.rs", "fn first() {\n    1\n}\n\nfn second() {\n    2\n}\n");
        changed.commit("First");
        changed.write("a.txt", "one\nTWO\nthree\nfour\n");
        changed.commit("Second");
        changed.write("src/lib.rs", "fn first() {\n    1\n}\n\nfn second() {\n    22\n}\n");
        changed.write("new.txt", "fresh\n");
        changed
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.fixture.path().join(file), text).unwrap();
    }

    fn commit(&self, subject: &str) {
        self.fixture.git(&["add", "."]);
        self.fixture.git(&["commit", "-qm", subject]);
    }

    fn head(&self) -> String {
        self.fixture.git(&["rev-parse", "HEAD"])
    }

    fn files(&self, commit: Option<&str>, first: &[&str]) -> Vec<String> {
        let first: Vec<String> = first.iter().map(ToString::to_string).collect();
        self.inbox.files(commit, &first).unwrap().into_iter().map(|view| view.file).collect()
    }

    fn lines(&self, file: &str, commit: Option<&str>) -> Vec<String> {
        let lines = self.inbox.lines(file, commit).unwrap();
        lines.into_iter().map(|view| format!("{} {}", view.line, view.text)).collect()
    }

    fn menu(&self, places: &[&str], commit: Option<&str>, rest: bool) -> Vec<String> {
        let places = places.iter().map(ToString::to_string).collect();
        let scope = MenuScope { places, commit: commit.map(str::to_owned), rest };
        let entries = self.inbox.menu(&scope).unwrap().into_iter();
        entries
            .map(|entry| format!("{}|{}|{}{}|{}", entry.at, entry.file, entry.sign, entry.line, entry.text))
            .collect()
    }

    fn kind_of<T>(result: Result<T, app::Error>) -> ErrorKind {
        result.map(|_| ()).unwrap_err().kind
    }
}

#[test]
fn changed_files_are_offered_after_those_that_exist_of_the_given_ones() {
    let changed = Changed::new();
    assert_eq!(changed.files(None, &[]), ["src/lib.rs", "new.txt"]);
    assert_eq!(changed.files(None, &["a.txt", "gone.txt", "src/lib.rs"]), ["a.txt", "src/lib.rs", "new.txt"]);
    let head = changed.head();
    assert_eq!(changed.files(Some("HEAD"), &[]), [format!("{head}:a.txt")]);
    changed.fixture.git(&["commit", "-qm", "Nothing", "--allow-empty"]);
    assert_eq!(Changed::kind_of(changed.inbox.files(Some("HEAD"), &[])), ErrorKind::NotFound);
    assert_eq!(Changed::kind_of(changed.inbox.files(Some("nowhere"), &[])), ErrorKind::NotFound);
}

#[test]
fn changed_lines_are_offered_with_their_side() {
    let changed = Changed::new();
    assert_eq!(changed.lines("src/lib.rs", None), ["all the whole file", "old:6     2", "6     22"]);
    assert_eq!(changed.lines("a.txt", Some("HEAD")), ["all the whole file", "old:2 two", "2 TWO", "4 four"]);
    let named = format!("{}:a.txt", changed.head());
    assert_eq!(changed.lines(&named, None), changed.lines("a.txt", Some("HEAD")));
    // A file without changes offers all its lines; one that a commit leaves alone is refused.
    assert_eq!(changed.lines("new.txt", None), ["all the whole file", "1 fresh"]);
    assert_eq!(changed.lines("./a.txt", None).len(), 5);
    assert_eq!(Changed::kind_of(changed.inbox.lines("src/lib.rs", Some("HEAD"))), ErrorKind::NotFound);
}

#[test]
fn a_marked_line_comes_first_until_a_remark_is_sent() {
    let changed = Changed::new();
    changed.inbox.mark("a.txt", 3).unwrap();
    assert_eq!(changed.lines("a.txt", None)[1], "3 three  (where you were)");
    assert_eq!(changed.lines("new.txt", None)[1], "1 fresh", "the mark is in another file");
    assert_eq!(changed.menu(&["a.txt"], None, false)[0], "3:a.txt|| 3|three  (where you were)");
    let remark = Remark { file: "a.txt".to_owned(), comment: "Why?".to_owned(), ..Remark::default() };
    changed.inbox.send(&remark).unwrap();
    assert_eq!(changed.lines("a.txt", None)[1], "1 one");
}

#[test]
fn files_are_named_from_the_top_and_none_outside() {
    let changed = Changed::new();
    let file_of = |name: &str| {
        let remark = Remark { file: name.to_owned(), comment: "Why?".to_owned(), ..Remark::default() };
        changed.inbox.send(&remark).map(|sent| (sent.file, sent.commit.is_some()))
    };
    let absolute = changed.fixture.path().join("src/lib.rs").display().to_string();
    for name in ["src/lib.rs", "./src/lib.rs", "src/./lib.rs", &absolute] {
        assert_eq!(file_of(name).unwrap(), ("src/lib.rs".to_owned(), false), "{name}");
    }
    assert_eq!(file_of("HEAD:a.txt").unwrap(), ("a.txt".to_owned(), true));
    for name in ["", ".", "src", "src/", "../a.txt", "/etc/passwd"] {
        assert_eq!(Changed::kind_of(file_of(name)), ErrorKind::Invalid, "{name}");
    }
    for name in ["gone.txt", "nowhere:a.txt", "HEAD:gone.txt"] {
        assert_eq!(Changed::kind_of(file_of(name)), ErrorKind::NotFound, "{name}");
    }
    // A file that was deleted since is still in the last commit, and in the one that deletes it.
    fs::remove_file(changed.fixture.path().join("a.txt")).unwrap();
    assert!(file_of("a.txt").is_ok());
    changed.commit("Third");
    assert!(file_of("a.txt").is_err());
    assert!(file_of("HEAD:a.txt").is_ok());
    assert!(file_of("HEAD:gone.txt").is_err());
}

#[test]
fn older_tools_name_files_that_are_not_checked() {
    let changed = Changed::new();
    let lines = "7".parse().unwrap();
    let remark = Remark { file: "./gone.txt".to_owned(), lines, comment: "Why?".to_owned(), ..Remark::default() };
    assert!(changed.inbox.send(&remark).is_err());
    let sent = changed.inbox.send(&Remark { as_given: true, ..remark }).unwrap();
    assert_eq!((sent.file.as_str(), sent.excerpt, sent.code), ("gone.txt", None, None));
}

#[test]
fn a_menu_has_the_changes_first_and_names_files_if_there_are_several() {
    let changed = Changed::new();
    assert_eq!(
        changed.menu(&["src"], None, false),
        [
            "old:6:src/lib.rs||-6|    2",
            "6:src/lib.rs||+6|    22",
            "7:src/lib.rs|| 7|}",
            "3:src/lib.rs|| 3|}",
            "4:src/lib.rs|| 4|",
            "5:src/lib.rs|| 5|fn second() {",
            "all:src/lib.rs|||the whole file",
        ]
    );
    let all = changed.menu(&[], None, false);
    assert_eq!(all[0], "old:6:src/lib.rs|src/lib.rs|-6|    2");
    assert_eq!(all[7], "1:new.txt|new.txt| 1|fresh");
    assert_eq!(all, changed.menu(&["."], None, false));
    assert_eq!(changed.menu(&["new.txt"], None, true)[0], "1:new.txt|new.txt| 1|fresh");
    let head = changed.head();
    let of_commit = changed.menu(&[], Some("HEAD"), false);
    assert_eq!(of_commit[0], format!("old:2:{head}:a.txt||-2|two"));
    // Of several commits each entry says which.
    let mixed = changed.menu(&["HEAD:a.txt", "new.txt"], None, false);
    assert_eq!(mixed[0], format!("old:2:{head}:a.txt|{} a.txt|-2|two", &head[..8]));
    assert_eq!(mixed.last().unwrap(), "all:new.txt|new.txt||the whole file");
}

#[test]
fn a_menu_without_changes_says_so() {
    let changed = Changed::new();
    changed.commit("Third");
    let menu = |places: &[&str]| {
        let places = places.iter().map(ToString::to_string).collect();
        changed.inbox.menu(&MenuScope { places, ..MenuScope::default() })
    };
    for places in [&[][..], &["src"], &["gone.txt"]] {
        assert_eq!(Changed::kind_of(menu(places)), ErrorKind::NotFound, "{places:?}");
    }
    // A named file needs no changes.
    assert_eq!(menu(&["a.txt"]).unwrap().len(), 5);
}

#[test]
fn a_diff_says_file_and_lines() {
    let changed = Changed::new();
    let diff = changed.fixture.git(&["diff", "HEAD~1", "HEAD"]);
    let both = changed.fixture.git(&["diff", "HEAD~1"]);
    let about = |remark: Remark, diff: &str| changed.inbox.about(remark, diff);
    let found = about(Remark::default(), &diff).unwrap();
    assert_eq!((found.file.as_str(), found.lines.to_string().as_str()), ("a.txt", "2-4"));
    let given = LineChoice::Lines(model::message::Side::New, "1".parse().unwrap());
    let found = about(Remark { lines: given, ..Remark::default() }, &diff).unwrap();
    assert_eq!(found.lines, given);
    let of_second = Remark { file: "src/lib.rs".to_owned(), ..Remark::default() };
    assert_eq!(about(of_second.clone(), &both).unwrap().file, "src/lib.rs");
    assert_eq!(Changed::kind_of(about(of_second, &diff)), ErrorKind::Invalid);
    assert_eq!(Changed::kind_of(about(Remark::default(), &both)), ErrorKind::Invalid);
    assert_eq!(Changed::kind_of(about(Remark::default(), "no diff\n")), ErrorKind::Invalid);
}

#[test]
fn a_message_follows_its_function_and_its_file() {
    let changed = Changed::new();
    changed.commit("Third");
    let remark = Remark {
        file: "src/lib.rs".to_owned(),
        lines: "6".parse().unwrap(),
        comment: "Why?".to_owned(),
        ..Remark::default()
    };
    let sent = changed.inbox.send(&remark).unwrap();
    assert_eq!((sent.excerpt.as_deref(), sent.anchor.as_deref()), (Some("    22"), Some("second")));
    let now = || changed.inbox.show(&sent.id).unwrap();
    assert_eq!(now().warning(), None);
    // Of changed code the function is shown.
    changed.write("src/lib.rs", "// New.\nfn first() {\n    1\n}\n\nfn second() {\n    333\n}\n");
    assert_eq!(now().warning().unwrap(), "line 6 changed since; `second` is now at 6-8");
    // A renamed file is found by its history.
    changed.fixture.git(&["checkout", "-q", "src/lib.rs"]);
    changed.fixture.git(&["mv", "src/lib.rs", "src/other.rs"]);
    changed.commit("Fourth");
    assert_eq!(now().warning().unwrap(), "now line 6 of src/other.rs");
    fs::remove_file(changed.fixture.path().join("src/other.rs")).unwrap();
    assert_eq!(now().warning().unwrap(), "was line 6; these lines are gone");
}

#[test]
fn a_removed_line_is_read_before_the_change() {
    let changed = Changed::new();
    let remark = |commit: Option<&str>, file: &str| Remark {
        file: file.to_owned(),
        lines: if commit.is_some() { "old:2" } else { "old:6" }.parse().unwrap(),
        comment: "Why?".to_owned(),
        commit: commit.map(str::to_owned),
        ..Remark::default()
    };
    let of_commit = changed.inbox.send(&remark(Some("HEAD"), "a.txt")).unwrap();
    assert_eq!((of_commit.excerpt.as_deref(), of_commit.code), (Some("two"), None));
    let of_work_tree = changed.inbox.send(&remark(None, "src/lib.rs")).unwrap();
    assert_eq!(of_work_tree.excerpt.as_deref(), Some("    2"));
    assert_eq!(Changed::kind_of(changed.inbox.send(&remark(None, "new.txt"))), ErrorKind::Invalid);
}

#[test]
fn a_long_excerpt_is_cut() {
    let changed = Changed::new();
    let lines: Vec<String> = (1..=100).map(|n| format!("line {n}")).collect();
    changed.write("long.txt", &lines.join("\n"));
    changed.write("wide.txt", &format!("{}\nend\n", "ä".repeat(5_000)));
    let excerpt = |file: &str, lines: &str| {
        let remark = Remark {
            file: file.to_owned(),
            lines: lines.parse().unwrap(),
            comment: "Why?".to_owned(),
            ..Remark::default()
        };
        let sent = changed.inbox.send(&remark).unwrap();
        assert_eq!(changed.inbox.show(&sent.id).unwrap().warning(), None, "a cut excerpt is found");
        sent.excerpt.unwrap()
    };
    assert_eq!(excerpt("long.txt", "1-100").lines().count(), 60);
    let wide = excerpt("wide.txt", "1-2");
    assert!((8_000..=8 * 1024).contains(&wide.len()), "{}", wide.len());
}

#[test]
fn a_message_whose_excerpt_is_cut_is_found_only_if_all_its_lines_are_unchanged() {
    let changed = Changed::new();
    let (first, long) = ("first\n", "ä".repeat(5_000));
    changed.write("wide.txt", &format!("{first}{long}\n"));
    let remark = Remark {
        file: "wide.txt".to_owned(),
        lines: "1-2".parse().unwrap(),
        comment: "Why?".to_owned(),
        ..Remark::default()
    };
    let sent = changed.inbox.send(&remark).unwrap();
    let now = || changed.inbox.show(&sent.id).unwrap().warning();
    assert_eq!(now(), None);
    changed.write("wide.txt", &format!("before\n{first}{long}\n"));
    assert_eq!(now().unwrap(), "was lines 1-2, now 2-3");
    // The kept part is the same, here and moved; what was cut off has changed.
    changed.write("wide.txt", &format!("{first}{long}!\n"));
    assert_eq!(now().unwrap(), "was lines 1-2; these lines are gone");
    changed.write("wide.txt", &format!("before\n{first}{long}!\n"));
    assert_eq!(now().unwrap(), "was lines 1-2; these lines are gone");
}
