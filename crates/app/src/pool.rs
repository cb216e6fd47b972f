//! A pool of opened projects, for a server with many calls at once.

use std::path::PathBuf;

use model::person::Person;
use parking_lot::{Condvar, Mutex};
use store::Listener;

use crate::error::{Error, ErrorKind};
use crate::project::{Env, Project};

/// How many reads run at once. A read is CPU-bound and has an index in memory; writes mostly wait for the disk and for
/// each other.
const MAX_READERS: usize = 8;

/// Opened projects of one repository, for many threads. A call takes an idle one, which first catches up with the writes
/// of other processes.
pub struct ProjectPool {
    place: PathBuf,
    env: Env,
    listener: Listener,
    noteref: Option<String>,
    idle: Mutex<Vec<Project>>,
    n_reading: Mutex<usize>,
    read: Condvar,
}

impl ProjectPool {
    /// Creates a pool for the repository that `place` is in; nothing is opened yet.
    pub fn new(place: PathBuf, env: Env, listener: Listener) -> Self {
        let (n_reading, read) = (Mutex::new(0), Condvar::new());
        Self { place, env, listener, noteref: None, idle: Mutex::default(), n_reading, read }
    }

    /// Reads annotations from this notes ref instead of the configured one.
    #[must_use]
    pub fn with_noteref(self, noteref: Option<String>) -> Self {
        Self { noteref, ..self }
    }

    /// Reads the newest state. If the index is damaged, it is rebuilt and `question` called again.
    pub fn read<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.read_once(|project| question(project))
    }

    /// Reads as a person: `me` is `actor`, not git's user.
    pub fn read_as<T>(
        &self,
        actor: Option<&Person>,
        question: impl Fn(&Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.read_once(|project| {
            project.act_as(actor.cloned());
            let answer = question(project);
            project.act_as(None);
            answer
        })
    }

    /// Reads the newest state and the newest annotations.
    pub fn read_annotations<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.read_once(|project| {
            project.follow_annotations(self.noteref.as_deref())?;
            question(project)
        })
    }

    /// Writes as `actor`, or as git's user, with a project that has caught up. It is never retried: the write may have
    /// been made even if its result failed.
    pub fn write<T>(
        &self,
        actor: Option<Person>,
        change: impl FnOnce(&mut Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change(self.take()?, actor, change)
    }

    /// Writes like [`ProjectPool::write`], with a project that may lag behind: for a change that reads in its plans only,
    /// where the state is always the newest.
    pub fn write_planned<T>(
        &self,
        actor: Option<Person>,
        change: impl FnOnce(&mut Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let open = || Project::open_lagging(&self.place, self.env, self.listener.clone());
        self.change(self.take_stale().map_or_else(open, Ok)?, actor, change)
    }

    fn change<T>(
        &self,
        mut project: Project,
        actor: Option<Person>,
        change: impl FnOnce(&mut Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        project.act_as(actor);
        let done = change(&mut project);
        // The next caller must not inherit the actor.
        project.act_as(None);
        if done.as_ref().err().is_none_or(|error| is_request_error(error.kind)) {
            self.put_back(project);
        }
        done
    }

    fn read_once<T>(&self, question: impl Fn(&mut Project) -> Result<T, Error>) -> Result<T, Error> {
        let _reading = self.wait_to_read();
        let mut project = self.take()?;
        let mut answer = question(&mut project);
        // Retried once: a read has no side effects.
        if matches!(&answer, Err(error) if error.kind == ErrorKind::IndexDamaged) {
            project.reindex()?;
            answer = question(&mut project);
        }
        // An internal failure may have left the project in a bad state: the next call opens another.
        let is_sound = answer.as_ref().err().is_none_or(|error| is_request_error(error.kind));
        if is_sound {
            self.put_back(project);
        }
        answer
    }

    fn wait_to_read(&self) -> ReadPermit<'_> {
        let mut n_reading = self.n_reading.lock();
        self.read.wait_while(&mut n_reading, |n_reading| *n_reading >= MAX_READERS);
        *n_reading += 1;
        ReadPermit(self)
    }

    fn take(&self) -> Result<Project, Error> {
        // If the refresh fails, this project is dropped and a new one is opened.
        if let Some(mut project) = self.take_stale()
            && project.refresh().is_ok()
        {
            return Ok(project);
        }
        self.open()
    }

    fn take_stale(&self) -> Option<Project> {
        // The most recently used one has the fewest writes to catch up with.
        self.idle.lock().pop()
    }

    fn put_back(&self, project: Project) {
        self.idle.lock().push(project);
    }

    fn open(&self) -> Result<Project, Error> {
        Project::open(&self.place, self.env, self.listener.clone())
    }
}

/// A permit to read, until dropped.
struct ReadPermit<'a>(&'a ProjectPool);

impl Drop for ReadPermit<'_> {
    fn drop(&mut self) {
        *self.0.n_reading.lock() -= 1;
        self.0.read.notify_one();
    }
}

fn is_request_error(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict)
}
