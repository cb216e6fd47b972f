//! The project that a server works on, opened as often as there are calls at once.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use app::{Ambient, Error, ErrorKind, Listener, Project};
use mcp::Call;
use model::person::Person;

/// A project, for many threads. Opened projects are kept for the next call, which first looks for what other processes
/// have written.
pub struct Projects {
    place: PathBuf,
    ambient: Ambient,
    listener: Listener,
    noteref: Option<String>,
    idle: Mutex<Vec<Project>>,
}

impl Projects {
    /// Works in the repository that `place` is in; nothing is opened yet.
    pub fn new(place: PathBuf, ambient: Ambient, listener: Listener) -> Self {
        Self { place, ambient, listener, noteref: None, idle: Mutex::default() }
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
        let mut project = self.take()?;
        project.act_as(actor);
        let done = change(&mut project);
        project.act_as(None);
        if done.as_ref().err().is_none_or(|error| is_about_the_question(error.kind)) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(project);
        }
        done
    }

    fn ask<T>(&self, question: impl Fn(&mut Project) -> Result<T, Error>) -> Result<T, Error> {
        let mut project = self.take()?;
        let mut answer = question(&mut project);
        if matches!(&answer, Err(error) if error.kind == ErrorKind::IndexDamaged) {
            project.reindex()?;
            answer = question(&mut project);
        }
        // One that could not answer may be broken in itself: the next call opens another.
        let is_sound = answer.as_ref().err().is_none_or(|error| is_about_the_question(error.kind));
        if is_sound {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(project);
        }
        answer
    }

    fn take(&self) -> Result<Project, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut project) = idle
            && project.refresh().is_ok()
        {
            return Ok(project);
        }
        Project::open(&self.place, self.ambient, self.listener.clone())
    }
}

/// Returns in whose name a call changes things.
pub(crate) fn actor(call: &Call) -> Option<Person> {
    call.caller().and_then(|caller| caller.acts_as.as_deref()).map(Person::parse)
}

fn is_about_the_question(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict)
}
