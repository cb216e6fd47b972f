//! A fixture to call tools on, and checks that hold for every result.

use std::fs;
use std::sync::Arc;

use app::{Env, ProjectPool};
use dialects::cairn::{CAIRN, CairnState};
use inbox::{Inbox, InboxPlace, LazyInbox, Remark};
use mcp::{Call, Content, ResourceContents};
use serde_json::{Value, json};
use testkit::{Layout, TestRepository};

/// A repository and the tools on it.
pub(crate) struct Bench {
    pub(crate) repository: Arc<TestRepository>,
    state: CairnState,
}

/// A result: its text, and its structured content.
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) structured: Value,
}

impl Bench {
    /// An empty repository.
    pub(crate) fn new() -> Self {
        Self::on(Arc::new(TestRepository::in_memory(Layout::PLAIN)))
    }

    /// The same repository, as served by another process.
    pub(crate) fn again(&self) -> Self {
        Self::on(Arc::clone(&self.repository))
    }

    fn on(repository: Arc<TestRepository>) -> Self {
        let place = repository.path().to_owned();
        let projects = ProjectPool::new(place.clone(), Env::default(), Arc::new(|_| {}));
        let state = CairnState::new(projects, LazyInbox::new(place, Env::default(), InboxPlace::Clone), None);
        Self { repository, state }
    }

    /// Writes a file and commits it.
    pub(crate) fn commit(&self, path: &str, text: &str, subject: &str) {
        self.write(path, text);
        self.repository.git(&["add", "."]);
        self.repository.git(&["commit", "--quiet", "--message", subject]);
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.repository.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Sends a review message.
    pub(crate) fn send(&self, file: &str, comment: &str) {
        let inbox = Inbox::open(self.repository.path(), Env::default()).unwrap();
        inbox.send(&Remark { file: file.into(), comment: comment.into(), ..Remark::default() }).unwrap();
    }

    /// Calls a tool, which must succeed.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, given: Value) -> Told {
        self.try_call(tool, given.clone()).unwrap_or_else(|message| panic!("{tool} {given}: {message}"))
    }

    /// Calls a tool; an error is its message. The structured content of every result conforms to the tool's schema.
    pub(crate) fn try_call(&self, tool: &str, given: Value) -> Result<Told, String> {
        let tool = CAIRN.tools.iter().find(|known| known.name == tool).unwrap();
        let answer = (tool.call)(&self.state, given, &Call::unheard()).map_err(|fault| fault.message().to_owned())?;
        let [Content::Text(text)] = &answer.content[..] else { panic!("{:?}", answer.content) };
        let structured = answer.structured.clone().unwrap_or_default();
        if let Some(output) = tool.output {
            let schema = Value::Object(output());
            for name in schema["required"].as_array().unwrap() {
                assert!(structured.get(name.as_str().unwrap()).is_some(), "{}: {name} in {structured}", tool.name);
            }
            assert_eq!(json!(structured["items"].as_array().unwrap().len()), structured["returned"]);
        }
        let told = Told { text: text.clone(), structured };
        if let Some(then) = answer.then {
            then.run();
        }
        Ok(told)
    }

    /// Reads a resource; an error is its message.
    pub(crate) fn read(&self, uri: &str, call: &Call) -> Result<ResourceContents, String> {
        let read = CAIRN.resources.as_ref().unwrap().read;
        read(&self.state, uri, call).map(|mut all| all.remove(0)).map_err(|fault| fault.message().to_owned())
    }

    /// Calls a tool, which must fail, and returns the message.
    #[track_caller]
    pub(crate) fn refuse(&self, tool: &str, given: Value) -> String {
        match self.try_call(tool, given.clone()) {
            Err(message) => message,
            Ok(told) => panic!("{tool} {given} succeeded: {}", told.text),
        }
    }
}
