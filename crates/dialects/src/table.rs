//! The table of dialects: a new one is one entry here.

use std::path::PathBuf;
use std::sync::Arc;

use app::ProjectPool;
use app::{Env, Listener};
use inbox::{InboxPlace, LazyInbox};
use mcp::{ServeOptions, Service};
use tracker::Setup;

use crate::cairn::{CAIRN, CairnState};
use crate::lazygit::LAZYGIT;
use crate::mile::MILE;
use crate::quicksilver::QUICKSILVER;
use crate::taiga::{TAIGA, TAIGA_EXTENDED, TaigaState};
use crate::ultragit::ULTRAGIT;

/// A dialect that can be chosen by name.
pub struct DialectEntry {
    /// Its name on the command line and in paths.
    pub name: &'static str,
    /// The name that its server reports.
    pub server_name: fn() -> &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The toolsets of its tools.
    pub toolsets: fn() -> Vec<&'static str>,
    /// Creates its service.
    pub open: fn(&ServerContext, ServeOptions) -> Service,
}

/// The context of a server.
#[derive(Clone)]
pub struct ServerContext {
    /// A directory of the repository.
    pub place: PathBuf,
    /// Clock, randomness and identity.
    pub env: Env,
    /// Receives notices.
    pub listener: Listener,
    /// Where the messages of the inbox are.
    pub inbox: InboxPlace,
    /// The notes ref of annotations, if it is not the configured one.
    pub noteref: Option<String>,
    /// Where Taiga servers and tokens are stored.
    pub taiga: Setup,
    /// Receives a log line for each tool call, if the contract has one.
    pub on_call: Option<OnCall>,
}

/// Receives a log line; called from any thread.
pub type OnCall = Arc<dyn Fn(&str) + Send + Sync>;

/// All dialects, in display order.
pub const DIALECTS: &[DialectEntry] = &[
    DialectEntry {
        name: "cairn",
        server_name: || CAIRN.server.name,
        about: "everything, as one small set of tools",
        toolsets: || CAIRN.toolsets(),
        open: |context, offer| Service::new(&CAIRN, context.cairn_state(), &offer),
    },
    DialectEntry {
        name: "mile",
        server_name: || MILE.server.name,
        about: "issues and milestones, as git-mile has them",
        toolsets: || MILE.toolsets(),
        open: |context, offer| Service::new(&MILE, context.projects(), &offer),
    },
    DialectEntry {
        name: "lazygit",
        server_name: || LAZYGIT.server.name,
        about: "a person's review messages, as lazygit-mcp-bridge has them",
        toolsets: || LAZYGIT.toolsets(),
        open: |context, offer| Service::new(&LAZYGIT, context.lazy_inbox(), &offer),
    },
    DialectEntry {
        name: "quicksilver",
        server_name: || QUICKSILVER.server.name,
        about: "tasks and boards, as quicksilver has them",
        toolsets: || QUICKSILVER.toolsets(),
        open: |context, offer| Service::new(&QUICKSILVER, context.projects(), &offer),
    },
    DialectEntry {
        name: "ultragit",
        server_name: || ULTRAGIT.server.name,
        about: "why the code is so: annotations, as ultragit has them",
        toolsets: || ULTRAGIT.toolsets(),
        open: |context, offer| Service::new(&ULTRAGIT, context.projects(), &offer),
    },
    DialectEntry {
        name: "taiga",
        server_name: || TAIGA.server.name,
        about: "epics, stories, tasks and issues, as Taiga's MCP server has them",
        toolsets: || TAIGA_EXTENDED.toolsets(),
        open: |context, offer| {
            let is_extended = offer.extended || offer.toolsets.iter().flatten().any(|set| set == mcp::EXTENDED);
            let state = TaigaState::new(context.place.clone(), context.projects(), context.taiga.clone());
            let state = state.with_call_log(context.on_call.clone());
            Service::new(if is_extended { &TAIGA_EXTENDED } else { &TAIGA }, state, &offer)
        },
    },
];

/// Finds a dialect by its name.
pub fn try_find(name: &str) -> Option<&'static DialectEntry> {
    DIALECTS.iter().find(|entry| entry.name == name)
}

/// Finds a dialect by its name, or by the name of its server.
pub fn try_find_named(name: &str) -> Option<&'static DialectEntry> {
    DIALECTS.iter().find(|entry| entry.name == name || (entry.server_name)() == name)
}

impl ServerContext {
    /// Returns the inbox; it is opened by the first call.
    pub fn lazy_inbox(&self) -> LazyInbox {
        LazyInbox::new(self.place.clone(), self.env, self.inbox.clone())
    }

    fn cairn_state(&self) -> CairnState {
        let (projects, noteref) = (self.projects(), self.noteref.clone());
        CairnState::new(projects, self.lazy_inbox(), noteref)
    }

    fn projects(&self) -> ProjectPool {
        ProjectPool::new(self.place.clone(), self.env, self.listener.clone()).with_noteref(self.noteref.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_found_by_the_name_it_is_served_under() {
        let context = ServerContext {
            place: PathBuf::new(),
            env: Env::default(),
            listener: Arc::new(|_| {}),
            inbox: InboxPlace::Clone,
            noteref: None,
            taiga: Setup {
                state: PathBuf::new(),
                given: None,
                missing: None,
                token_storage: tracker::TokenStorage::File,
            },
            on_call: None,
        };
        for entry in DIALECTS {
            assert_eq!((entry.open)(&context, ServeOptions::default()).name(), entry.name);
            assert!(try_find(entry.name).is_some_and(|found| found.name == entry.name));
        }
    }
}
