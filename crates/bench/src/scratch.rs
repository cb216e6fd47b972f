//! Repositories to measure in, with histories that `cairn doctor` has verified.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};

use super::history::{self, REF, Size};
use super::measure::{read, run};
use xtask::scratch::isolated;

/// The program that is measured.
pub(crate) struct Cairn(pub(crate) PathBuf);

/// A repository on disk.
#[derive(Debug, Clone)]
pub(crate) struct Repository(pub(crate) PathBuf);

impl Repository {
    /// Creates a repository with a history of this size in one pack, as after `git gc`.
    pub(crate) fn with_history(place: PathBuf, size: Size) -> Result<Self, String> {
        Self::with_code(place, |stream| history::write(size, stream))
    }

    /// Creates a repository from a stream for `git fast-import`, in one pack.
    pub(crate) fn with_code(
        place: PathBuf,
        write: impl FnOnce(&mut BufWriter<ChildStdin>) -> io::Result<()>,
    ) -> Result<Self, String> {
        let repository = Self::empty(place)?;
        let mut import = repository.git(&["fast-import", "--quiet", "--done"]);
        let import = import.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut import = import.map_err(|error| format!("cannot start `git fast-import`: {error}"))?;
        let pipe = import.stdin.take().ok_or("`git fast-import` has no input")?;
        let mut stream = BufWriter::new(pipe);
        let written = write(&mut stream).and_then(|()| stream.write_all(b"done\n"));
        let flushed = written.and_then(|()| stream.flush());
        drop(stream);
        let status = import.wait().map_err(|error| format!("cannot wait for `git fast-import`: {error}"))?;
        flushed.map_err(|error| format!("cannot write to `git fast-import`: {error}"))?;
        if !status.success() {
            return Err(format!("`git fast-import` failed: {status}"));
        }
        run(&mut repository.git(&["gc", "--quiet"]))?;
        Ok(repository)
    }

    /// Creates a clone of a hub with its work, as after a first sync.
    pub(crate) fn clone_of(hub: &Path, place: PathBuf) -> Result<Self, String> {
        let repository = Self::empty(place)?;
        let hub = hub.to_str().ok_or("the temporary folder's name is not UTF-8")?;
        run(&mut repository.git(&["remote", "add", "origin", hub]))?;
        run(&mut repository.git(&["fetch", "--quiet", "origin", &format!("{REF}:{REF}")]))?;
        Ok(repository)
    }

    /// Creates a clone of the code of another one, without its work.
    pub(crate) fn code_of(source: &Self, place: PathBuf) -> Result<Self, String> {
        let path = |place: &Path| place.to_str().map(str::to_owned).ok_or("the temporary folder's name is not UTF-8");
        let (from, to) = (path(&source.0)?, path(&place)?);
        run(isolated(Command::new("git").args(["clone", "--quiet", &from, &to])))?;
        Ok(Self(place))
    }

    /// Creates a bare repository with the work of another one.
    pub(crate) fn hub_of(source: &Self, place: PathBuf) -> Result<PathBuf, String> {
        let path = place.to_str().ok_or("the temporary folder's name is not UTF-8")?;
        run(isolated(Command::new("git").args(["init", "--quiet", "--bare", path])))?;
        run(&mut source.git(&["push", "--quiet", path, &format!("{REF}:{REF}")]))?;
        Ok(place)
    }

    pub(crate) fn empty(place: PathBuf) -> Result<Self, String> {
        let path = place.to_str().ok_or("the temporary folder's name is not UTF-8")?;
        run(isolated(Command::new("git").args(["init", "--quiet", "--initial-branch=main", path])))?;
        let repository = Self(place);
        run(&mut repository.git(&["config", "user.name", "Ada Byron"]))?;
        run(&mut repository.git(&["config", "user.email", "ada@example.org"]))?;
        // A branch with a commit, as in every real repository.
        run(&mut repository.git(&["commit", "--quiet", "--allow-empty", "--message=Begin"]))?;
        Ok(repository)
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        isolated(command.args(arguments).current_dir(&self.0));
        command
    }

    pub(crate) fn cairn(&self, cairn: &Cairn, arguments: &[&str]) -> Command {
        let mut command = Command::new(&cairn.0);
        isolated(command.args(arguments).current_dir(&self.0));
        command
    }

    /// Removes the index, so that the next command builds it.
    pub(crate) fn forget_index(&self) -> Result<(), String> {
        let folder = self.0.join(".git/cairn");
        let failed = |error: std::io::Error| format!("cannot remove the index: {error}");
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.map_err(failed)?;
            if entry.file_name().to_string_lossy().starts_with("index") {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Fails unless Cairn finds exactly the generated history here, without complaints.
    pub(crate) fn check(&self, cairn: &Cairn, size: Size) -> Result<(), String> {
        let doctor = read(&mut self.cairn(cairn, &["doctor", "--json"]))?;
        is_healthy(&doctor)?;
        let stats = read(&mut self.cairn(cairn, &["stats", "--json"]))?;
        let n_items: usize = ["open", "closed", "deleted"].iter().map(|key| sum_of(&stats, key)).sum();
        let found = Size { n_items, n_ops: sum_of(&stats, "operations") };
        if found == size { Ok(()) } else { Err(format!("the history should be {size:?}, but Cairn counts {found:?}")) }
    }
}

/// Checks that the output of `cairn doctor --json` has no complaints, except for the missing remote.
fn is_healthy(doctor: &str) -> Result<(), String> {
    let checks = doctor.split("{\"name\":").skip(1);
    let is_complaint = |check: &&str| !check.starts_with("\"remote\"") && !check.contains("\"outcome\":\"ok\"");
    let complaints: Vec<&str> = checks.filter(is_complaint).collect();
    if complaints.is_empty() && doctor.contains("\"ok\":true") {
        return Ok(());
    }
    Err(format!("`cairn doctor` complains of the made-up history: {}", complaints.join("\n")))
}

/// Sums all numbers under a key of a piece of JSON.
fn sum_of(json: &str, key: &str) -> usize {
    let key = format!("\"{key}\":");
    let values = json.split(&key).skip(1);
    values.filter_map(|after| after.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::scratch::Scratch;

    #[test]
    fn numbers_under_a_key_add_up() {
        let json = r#"{"kinds":[{"open":3,"closed":4},{"open":10,"closed":0}],"operations":50}"#;
        assert_eq!(sum_of(json, "open"), 13);
        assert_eq!(sum_of(json, "operations"), 50);
        assert_eq!(sum_of(json, "nothing"), 0);
    }

    #[test]
    fn only_the_missing_remote_is_forgiven() {
        let check = |name: &str, outcome: &str| format!(r#"{{"name":"{name}","outcome":"{outcome}"}}"#);
        let doctor = |checks: &[String]| format!(r#"{{"checks":[{}],"ok":true}}"#, checks.join(","));
        assert!(is_healthy(&doctor(&[check("log", "ok"), check("remote", "warning")])).is_ok());
        let error = is_healthy(&doctor(&[check("log", "warning"), check("remote", "ok")])).unwrap_err();
        insta::assert_snapshot!(error, @r#"`cairn doctor` complains of the made-up history: "log","outcome":"warning"},"#);
    }

    #[test]
    fn git_takes_the_history_whole_and_in_order() {
        let scratch = Scratch::new("bench-test").unwrap();
        let repository = Repository::with_history(scratch.path("history"), Size::of(20)).unwrap();
        let log = |format: &str| read(&mut repository.git(&["log", "--reverse", format, REF])).unwrap();
        let message = log("--format=%B");
        assert_eq!(message.lines().filter(|line| line.starts_with("{\"v\":1,")).count(), 100);
        assert!(message.starts_with("milestone #1: create `"), "{message}");
        let trees = log("--format=%T");
        assert!(trees.lines().all(|tree| tree == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"));
        run(&mut repository.git(&["fsck", "--strict"])).unwrap();
    }
}
