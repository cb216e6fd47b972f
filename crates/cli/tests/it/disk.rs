//! Full and read-only disks: clear errors, no partial writes, and reading still works.
//!
//! Root ignores permission bits, so these tests mount small disks; without permission to mount, they are skipped with a
//! note.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use testkit::{Cairn, Ran, git_in};

use crate::support::{assert_sound, cairn, index_file, titles};

/// A small disk in memory, unmounted at the end.
struct Disk {
    directory: TempDir,
}

impl Disk {
    /// Mounts a disk; `None` if that is not permitted.
    fn mount(size: &str) -> Option<Self> {
        let directory = TempDir::new().unwrap();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "cairn-test"]).arg(directory.path());
        let done = mount.output().is_ok_and(|output| output.status.success());
        if !done {
            testkit::skip(
                "mounting a small disk is not allowed here; disks that are full or read-only were not tested",
            );
            return None;
        }
        Some(Self { directory })
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(self.path()).status();
        assert!(done.unwrap().success());
    }

    /// Creates a repository on it.
    fn project(&self) -> Cairn {
        let path = self.path().join("project");
        git_in(self.path(), &["init", "--quiet", path.to_str().unwrap()]);
        cairn(&path)
    }

    /// Fills the disk up to the given number of bytes.
    fn fill(&self, leave: usize) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = fs::File::create(&path).unwrap();
        let block = [0; 4096];
        while std::io::Write::write_all(&mut file, &block).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(leave as u64)).unwrap();
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[track_caller]
fn assert_write_fails(cairn: &Cairn, arguments: &[&str], parts: &[&str]) -> Ran {
    let ran = cairn.run(arguments);
    assert_eq!(ran.code(), Some(1), "{arguments:?}: {ran}");
    assert!(ran.stdout.is_empty(), "{ran}");
    for part in parts {
        assert!(ran.err().contains(part), "`{part}` is not said: {ran}");
    }
    ran
}

#[test]
fn a_full_disk_takes_nothing_and_loses_nothing() {
    let Some(disk) = Disk::mount("6m") else { return };
    let cairn = disk.project();
    cairn.quiet(&["new", "issue", "one"]);
    cairn.quiet(&["new", "issue", "two"]);
    let filler = disk.fill(0);
    for arguments in [&["new", "issue", "three"][..], &["comment", "1", "words"], &["close", "1"]] {
        assert_write_fails(&cairn, arguments, &["space", ".git"]);
        assert_eq!(titles(&cairn), ["one", "two"]);
        assert_sound(cairn.directory());
    }
    fs::remove_file(&filler).unwrap();
    cairn.ok(&["new", "issue", "three"]);
    cairn.quiet(&["list"]);
    assert_eq!(titles(&cairn), ["one", "two", "three"]);
    assert_sound(cairn.directory());
    assert_eq!(cairn.json(&["doctor"])["ok"], true);
}

/// A nearly full disk: wherever the space runs out, a write that exits with 0 is stored and no other is.
#[test]
fn a_disk_that_fills_up_during_writes() {
    let Some(disk) = Disk::mount("6m") else { return };
    let cairn = disk.project();
    let mut expected = vec!["first".to_owned()];
    cairn.quiet(&["new", "issue", "first"]);
    for pages in [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32] {
        let filler = disk.fill(pages * 4096);
        for n in 0..6 {
            let title = format!("{pages}.{n} {}", "words ".repeat(100));
            let ran = cairn.run(&["new", "issue", title.trim()]);
            match ran.code() {
                Some(0) => expected.push(title.trim().to_owned()),
                Some(1) => assert!(ran.err().contains("space") || ran.err().contains("full"), "{ran}"),
                _ => panic!("{ran}"),
            }
            assert_eq!(titles(&cairn), expected, "after {pages} pages, write {n}: {ran}");
        }
        fs::remove_file(&filler).unwrap();
        assert_sound(cairn.directory());
    }
    assert_eq!(titles(&cairn), expected);
    cairn.quiet(&["new", "issue", "last"]);
}

/// Reading without an index needs no space either.
#[test]
fn a_full_disk_without_an_index_is_read() {
    let Some(disk) = Disk::mount("6m") else { return };
    let cairn = disk.project();
    cairn.quiet(&["new", "issue", "one"]);
    fs::remove_dir_all(cairn.directory().join(".git/cairn")).unwrap();
    let filler = disk.fill(0);
    assert_eq!(titles(&cairn), ["one"]);
    insta::assert_snapshot!(cairn.ok(&["show", "1"]).snapshot(), @"
    --- stdout
    issue #1  backlog
    one
         author  Ada Lovelace <ada@example.com>
        created  <moment>
        updated  <moment>
    --- stderr
    warning: `<tmp>/project/.git/cairn` cannot be written, so the index is built in memory each time
    ");
    fs::remove_file(&filler).unwrap();
    cairn.ok(&["new", "issue", "two"]);
    assert_eq!(titles(&cairn), ["one", "two"]);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexIs {
    Current,
    CurrentWithoutShm,
    Stale,
    Gone,
    Damaged,
}

#[test]
fn read_only_media_are_read() {
    for state in [IndexIs::Current, IndexIs::CurrentWithoutShm, IndexIs::Stale, IndexIs::Gone, IndexIs::Damaged] {
        let Some(disk) = Disk::mount("6m") else { return };
        let cairn = disk.project();
        cairn.quiet(&["new", "issue", "one"]);
        let folder = cairn.directory().join(".git/cairn");
        let kept = disk.path().join("kept");
        copy_folder(&folder, &kept);
        cairn.quiet(&["new", "issue", "two"]);
        match state {
            IndexIs::Current => {}
            IndexIs::CurrentWithoutShm => {
                fs::remove_file(format!("{}-shm", index_file(&cairn.directory().join(".git")).display())).unwrap();
            }
            IndexIs::Stale => {
                fs::remove_dir_all(&folder).unwrap();
                copy_folder(&kept, &folder);
            }
            IndexIs::Gone => fs::remove_dir_all(&folder).unwrap(),
            IndexIs::Damaged => {
                fs::write(index_file(&cairn.directory().join(".git")), b"garbage".repeat(1000)).unwrap();
            }
        }
        disk.remount("ro");
        assert_eq!(titles(&cairn), ["one", "two"], "{state:?}");
        for command in [&["show", "2"][..], &["ready"], &["search", "two"], &["log"], &["stats"], &["export"]] {
            let ran = cairn.ok(command);
            assert!(ran.out().contains("two") || command[0] == "stats", "{state:?} {command:?}: {ran}");
            assert!(ran.err().lines().count() <= 2, "{state:?} {command:?}: {ran}");
        }
        assert_write_fails(&cairn, &["new", "issue", "three"], &["cannot write to", ".git", "Read-only file system"]);
        assert_write_fails(&cairn, &["comment", "1", "x"], &["cannot write to", "hint:"]);
        disk.remount("rw");
        cairn.ok(&["new", "issue", "three"]);
        cairn.quiet(&["list"]);
        assert_eq!(titles(&cairn), ["one", "two", "three"], "{state:?}");
        assert_sound(cairn.directory());
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// A user with read permission only.
#[test]
fn reading_works_without_write_permission() {
    let repository = testkit::TestRepository::new();
    let owner = cairn(repository.path());
    owner.quiet(&["new", "issue", "one"]);
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let home = TempDir::new().unwrap();
    let settings = "[user]\n\tname = Guest\n\temail = guest@example.com\n[safe]\n\tdirectory = *\n";
    fs::write(home.path().join("gitconfig"), settings).unwrap();
    let open = |path: &Path| Command::new("chmod").args(["-R", "a+rX"]).arg(path).status().unwrap().success();
    let program = home.path().join("cairn");
    fs::copy(env!("CARGO_BIN_EXE_cairn"), &program).unwrap();
    if !is_root || !open(home.path()) || !open(&repository.directory_path()) {
        return testkit::skip("only root can run a test as someone else");
    }
    let guest = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(arguments);
        command.current_dir(repository.path()).env("HOME", home.path()).env("NO_COLOR", "1");
        command.env("GIT_CONFIG_GLOBAL", home.path().join("gitconfig")).env("GIT_CONFIG_NOSYSTEM", "1");
        let piped = std::process::Stdio::piped;
        Ran::of(command.stdin(std::process::Stdio::null()).stdout(piped()).stderr(piped()).spawn().unwrap())
    };
    let folder = repository.git_dir().join("cairn");
    let mut refusals = Vec::new();
    for without_index in [false, true] {
        if without_index {
            fs::remove_dir_all(&folder).unwrap();
        }
        let ran = guest(&["list", "--json"]);
        assert_eq!(ran.code(), Some(0), "{ran}");
        assert_eq!(ran.json()["items"][0]["title"], "one");
        let ran = guest(&["new", "issue", "two"]);
        refusals.push(ran.snapshot());
        assert_eq!(titles(&owner), ["one"]);
    }
    insta::assert_snapshot!(refusals.concat(), @"
    exit status: 1
    --- stderr
    error: cannot write to `<tmp>/project/.git/cairn/write.lock`: Permission denied (os error 13)
    hint: reading works; to write, make that place writable
    exit status: 1
    --- stderr
    warning: `<tmp>/project/.git/cairn` cannot be written, so the index is built in memory each time
    error: cannot write to `<tmp>/project/.git/cairn`: Permission denied (os error 13)
    hint: reading works; to write, make that place writable
    ");
    owner.quiet(&["new", "issue", "two"]);
}
