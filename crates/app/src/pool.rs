//! The project that a server works on, opened as often as there are calls at once.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};

use app::{Ambient, Error, ErrorKind, Listener, Project};
use mcp::Call;
use model::person::Person;

/// How many questions are answered at once. Each needs a processor all the time, and an index in memory; writes mostly
/// wait for the disk, and for each other.
const MOST_READERS: usize = 8;

/// A project, for many threads. Opened projects are kept for the next call, which first looks for what other processes
/// have written.
pub struct Projects {
    place: PathBuf,
    ambient: Ambient,
    listener: Listener,
    noteref: Option<String>,
    idle: Mutex<Vec<Project>>,
    n_reading: Mutex<usize>,
    read: Condvar,
}

impl Projects {
    /// Works in the repository that `place` is in; nothing is opened yet.
    pub fn new(place: PathBuf, ambient: Ambient, listener: Listener) -> Self {
        let (n_reading, read) = (Mutex::new(0), Condvar::new());
        Self { place, ambient, listener, noteref: None, idle: Mutex::default(), n_reading, read }
    }

    /// Reads annotations from this notes ref instead of the configured one.
    #[must_use]
    pub fn with_noteref(self, noteref: Option<String>) -> Self {
        Self { noteref, ..self }
    }

    /// Asks a question of the newest state. An index that turns out to be damaged is built anew, and the question asked
    /// again.
    pub fn read<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.ask(|project| question(project))
    }

    /// Asks a question for someone: `me` is then this person, not the one git names.
    pub fn read_as<T>(
        &self,
        actor: Option<&Person>,
        question: impl Fn(&Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.ask(|project| {
            project.act_as(actor.cloned());
            let answer = question(project);
            project.act_as(None);
            answer
        })
    }

    /// Asks a question of the newest state and the newest annotations.
    pub fn read_annotations<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.ask(|project| {
            project.follow_annotations(self.noteref.as_deref())?;
            question(project)
        })
    }

    /// Changes something in someone's name: the one git names unless said. It is tried once: what was written counts, even if the answer to it failed.
    pub fn write<T>(
        &self,
        actor: Option<Person>,
        change: impl FnOnce(&mut Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change(self.take()?, actor, change)
    }

    /// Changes something like [`Projects::write`], by a verb that reads nothing but in its plan, where the state is the
    /// newest in any case. The project it gets may be behind.
    pub fn write_by_plan<T>(
        &self,
        actor: Option<Person>,
        change: impl FnOnce(&mut Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change(self.take_as_it_is().map_or_else(|| self.open(), Ok)?, actor, change)
    }

    fn change<T>(
        &self,
        mut project: Project,
        actor: Option<Person>,
        change: impl FnOnce(&mut Project) -> Result<T, Error>,
    ) -> Result<T, Error> {
        project.act_as(actor);
        let done = change(&mut project);
        project.act_as(None);
        if done.as_ref().err().is_none_or(|error| is_about_the_question(error.kind)) {
            self.put_back(project);
        }
        done
    }

    fn ask<T>(&self, question: impl Fn(&mut Project) -> Result<T, Error>) -> Result<T, Error> {
        let _reading = self.wait_to_read();
        let mut project = self.take()?;
        let mut answer = question(&mut project);
        if matches!(&answer, Err(error) if error.kind == ErrorKind::IndexDamaged) {
            project.reindex()?;
            answer = question(&mut project);
        }
        // One that could not answer may be broken in itself: the next call opens another.
        let is_sound = answer.as_ref().err().is_none_or(|error| is_about_the_question(error.kind));
        if is_sound {
            self.put_back(project);
        }
        answer
    }

    fn wait_to_read(&self) -> Reading<'_> {
        let n_reading = self.n_reading.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.read.wait_while(n_reading, |n_reading| *n_reading >= MOST_READERS);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Reading(self)
    }

    fn take(&self) -> Result<Project, Error> {
        if let Some(mut project) = self.take_as_it_is()
            && project.refresh().is_ok()
        {
            return Ok(project);
        }
        self.open()
    }

    fn take_as_it_is(&self) -> Option<Project> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put_back(&self, project: Project) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(project);
    }

    fn open(&self) -> Result<Project, Error> {
        Project::open(&self.place, self.ambient, self.listener.clone())
    }
}

/// Returns in whose name a call changes things.
pub(crate) fn actor(call: &Call) -> Option<Person> {
    call.caller().and_then(|caller| caller.acts_as.as_deref()).map(Person::parse)
}

/// A place among those who read, until dropped.
struct Reading<'a>(&'a Projects);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        *self.0.n_reading.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.read.notify_one();
    }
}

fn is_about_the_question(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict)
}
