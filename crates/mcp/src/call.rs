//! What a handler knows of the call it serves, and can say while it works.
//!
//! Handlers block on threads of their own; what they say is done by the task that serves the request, in its order.
//! Back-pressure is per call: a client that does not read blocks its own handlers only.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::question::{Capability, Question, Questions};

/// A call, as its handler sees it.
#[derive(Debug, Default)]
pub struct Call {
    requests: Option<mpsc::Sender<HandlerRequest>>,
    cancelled: CancellationToken,
    pub(crate) info: CallInfo,
}

/// What is known of a call before its handler runs.
#[derive(Debug, Default)]
pub(crate) struct CallInfo {
    /// The client wants to hear of progress.
    pub(crate) wants_progress: bool,
    /// The least important message that the client wants; none at all without one.
    pub(crate) log_level: Option<LogLevel>,
    /// What the client can be asked.
    pub(crate) capabilities: Vec<Capability>,
    /// The responses that came with a repeated request; `None` when the client is asked during the call.
    pub(crate) input_responses: Option<InputResponses>,
    /// Who calls, when something in front found out.
    pub(crate) caller: Option<Caller>,
}

/// The responses to earlier questions, sent with a repeated request.
#[derive(Debug, Default)]
pub(crate) struct InputResponses {
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
}

/// Who calls, as found out by what stands in front of the server. A front puts one into the extensions of an HTTP
/// request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// What they are called in logs.
    pub name: String,
    /// In whose name they change things, as the domain writes people; the server's own when nobody is named.
    pub acts_as: Option<String>,
    /// They may call tools that write.
    pub may_write: bool,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// How much there is, when that is known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// How important a message is, least important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are those of the protocol, which has them from syslog")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// A message for whoever watches the client.
#[derive(Debug, Clone, PartialEq)]
pub struct LogMessage {
    /// How important it is.
    pub level: LogLevel,
    /// Which part of the program speaks.
    pub logger: Option<String>,
    /// The message as a member of its own, where a contract has one beside `data`.
    pub message: Option<String>,
    /// What there is to say.
    pub data: Value,
}

/// A request of a handler to the task that serves its call, with the channel for the result.
#[derive(Debug)]
pub(crate) enum HandlerRequest {
    Progress(Progress, oneshot::Sender<()>),
    Log(LogMessage, oneshot::Sender<()>),
    Ask(Question, oneshot::Sender<Result<Value, Fault>>),
}

impl Call {
    pub(crate) fn new(info: CallInfo, cancelled: CancellationToken) -> (Self, mpsc::Receiver<HandlerRequest>) {
        let (sender, receiver) = mpsc::channel(1);
        (Self { requests: Some(sender), cancelled, info }, receiver)
    }

    /// A call that nobody listens to, for handlers that are used outside a server.
    pub fn unheard() -> Self {
        Self::default()
    }

    /// Tells whether nobody waits for the answer any more. A handler that takes long should look, and stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Tells how far the call is, if the client wants to know.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if self.info.wants_progress {
            let progress = Progress { done, total, message: message.map(str::to_owned) };
            self.send(|done| HandlerRequest::Progress(progress, done));
        }
    }

    /// Sends a message, if the client wants messages of this importance.
    pub fn log(&self, message: LogMessage) {
        if self.info.log_level.is_some_and(|least| message.level >= least) {
            self.send(|done| HandlerRequest::Log(message, done));
        }
    }

    /// Returns who calls, when something in front of the server found out.
    pub fn caller(&self) -> Option<&Caller> {
        self.info.caller.as_ref()
    }

    /// Asks the client and waits for the answer. A client of 2026-07-28 cannot be asked in between: the call ends with
    /// [`Fault::NeedsInput`], which is to be handed on, and begins anew when the client comes with the answer under
    /// this name. So nothing may have been changed before the last question.
    pub fn ask(&self, name: &str, question: Question) -> Result<Value, Fault> {
        let asked = Questions { questions: vec![(name.to_owned(), question)], state: None };
        let mut answers = self.ask_all(asked)?;
        answers.remove(name).ok_or_else(|| Fault::Failed("the client left the question unanswered".to_owned()))
    }

    /// Asks several things at once; see [`Call::ask`].
    pub fn ask_all(&self, asked: Questions) -> Result<BTreeMap<String, Value>, Fault> {
        for (_, question) in &asked.questions {
            self.require(question.needs())?;
        }
        let Some(input_responses) = &self.info.input_responses else {
            return asked.questions.into_iter().map(|(name, question)| Ok((name, self.ask_now(question)?))).collect();
        };
        // An invalid response counts as missing, so the client is asked again.
        let answers = asked.questions.iter().filter_map(|(name, question)| {
            let answer = input_responses.answers.get(name).filter(|answer| question.takes(answer))?;
            Some((name.clone(), answer.clone()))
        });
        let answers: BTreeMap<String, Value> = answers.collect();
        if answers.len() == asked.questions.len() { Ok(answers) } else { Err(Fault::NeedsInput(Box::new(asked))) }
    }

    /// Refuses a client that cannot do this.
    pub fn require(&self, capability: Capability) -> Result<(), Fault> {
        if self.info.capabilities.contains(&capability) { Ok(()) } else { Err(Fault::Unable(capability)) }
    }

    /// Returns the state that the client handed back; see [`Questions::state`].
    pub fn state(&self) -> Option<&str> {
        self.info.input_responses.as_ref()?.state.as_deref()
    }

    /// Returns the responses that came with the request, by the name of the question.
    pub fn input_responses(&self) -> Option<&BTreeMap<String, Value>> {
        self.info.input_responses.as_ref().map(|input_responses| &input_responses.answers)
    }

    fn ask_now(&self, question: Question) -> Result<Value, Fault> {
        let gone = || Fault::Failed("the client went away".to_owned());
        self.send(|answer| HandlerRequest::Ask(question, answer)).ok_or_else(gone)?
    }

    // Blocks until the task has sent it: this is the back-pressure on a handler whose client does not read.
    fn send<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> HandlerRequest) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        self.requests.as_ref()?.blocking_send(request(done)).ok()?;
        outcome.blocking_recv().ok()
    }
}

impl LogMessage {
    /// Says something.
    pub fn new(level: LogLevel, data: impl Into<Value>) -> Self {
        Self { level, logger: None, message: None, data: data.into() }
    }
}
