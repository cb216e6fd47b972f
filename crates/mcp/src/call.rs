//! A tool call from its handler's point of view: who calls, cancellation, progress, log messages, questions.
//!
//! Handlers block on their own threads. What they send goes through a channel to the task that serves the request,
//! which keeps the order. Back-pressure is per call: a client that does not read blocks only its own handlers.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::question::{Capability, Question, Questions};

/// A running call, as its handler sees it.
#[derive(Debug, Default)]
pub struct Call {
    requests: Option<mpsc::Sender<HandlerRequest>>,
    cancelled: CancellationToken,
    pub(crate) info: CallInfo,
}

/// Facts about a call that are known before its handler runs.
#[derive(Debug, Default)]
pub(crate) struct CallInfo {
    /// The client sent a progress token.
    pub(crate) wants_progress: bool,
    /// The lowest level of log messages that the client wants; `None` means no messages.
    pub(crate) log_level: Option<LogLevel>,
    /// The client's capabilities for questions.
    pub(crate) capabilities: Vec<Capability>,
    /// The responses that came with a repeated request; `None` when the client is asked during the call.
    pub(crate) input_responses: Option<InputResponses>,
    /// The authenticated caller, if the server in front of the endpoint identified one.
    pub(crate) caller: Option<Caller>,
}

/// The responses to earlier questions, sent with a repeated request.
#[derive(Debug, Default)]
pub(crate) struct InputResponses {
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
}

/// An authenticated caller. The server in front of the endpoint authenticates the request and puts a `Caller` into its
/// extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Name of the caller in logs.
    pub name: String,
    /// The person recorded as the author of changes, in the domain's notation; `None` means the server's own identity.
    pub acts_as: Option<String>,
    /// The caller may call tools that write.
    pub may_write: bool,
}

/// Progress of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressUpdate {
    /// The amount of work that is done.
    pub done: f64,
    /// The total amount of work, if known.
    pub total: Option<f64>,
    /// What the handler is doing now.
    pub message: Option<String>,
}

/// Severity of a log message, lowest first.
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

/// A log message that is sent to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct LogMessage {
    /// Severity.
    pub level: LogLevel,
    /// The component that logs.
    pub logger: Option<String>,
    /// A `message` member next to `data`, for contracts that have one.
    pub message: Option<String>,
    /// The payload.
    pub data: Value,
}

/// A request of a handler to the task that serves its call, with the channel for the result.
#[derive(Debug)]
pub(crate) enum HandlerRequest {
    ProgressUpdate(ProgressUpdate, oneshot::Sender<()>),
    Log(LogMessage, oneshot::Sender<()>),
    Ask(Question, oneshot::Sender<Result<Value, Fault>>),
}

impl Call {
    pub(crate) fn new(info: CallInfo, cancelled: CancellationToken) -> (Self, mpsc::Receiver<HandlerRequest>) {
        let (sender, receiver) = mpsc::channel(1);
        (Self { requests: Some(sender), cancelled, info }, receiver)
    }

    /// A call without a client, for running handlers outside a server. Progress and log messages are dropped.
    pub fn unheard() -> Self {
        Self::default()
    }

    /// Returns whether the request was cancelled or its client is gone. A long-running handler should check this and
    /// stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Returns whether the client asked for progress.
    pub fn wants_progress(&self) -> bool {
        self.info.wants_progress
    }

    /// Sends a progress notification, if the client asked for progress.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if self.info.wants_progress {
            let progress = ProgressUpdate { done, total, message: message.map(str::to_owned) };
            self.send(|done| HandlerRequest::ProgressUpdate(progress, done));
        }
    }

    /// Sends a log message, if the client asked for messages of this level.
    pub fn log(&self, message: LogMessage) {
        if self.info.log_level.is_some_and(|least| message.level >= least) {
            self.send(|done| HandlerRequest::Log(message, done));
        }
    }

    /// Returns the authenticated caller, if there is one.
    pub fn caller(&self) -> Option<&Caller> {
        self.info.caller.as_ref()
    }

    /// Asks the client and waits for the answer.
    ///
    /// A client of 2026-07-28 cannot be asked during a call: the call ends with [`Fault::NeedsInput`], which the
    /// handler must return. The client repeats the call with the answer under `name`, and the handler runs again from
    /// the start. So a handler must not write anything before its last question.
    pub fn ask(&self, name: &str, question: Question) -> Result<Value, Fault> {
        let asked = Questions { questions: vec![(name.to_owned(), question)], state: None };
        let mut answers = self.ask_all(asked)?;
        answers.remove(name).ok_or_else(|| Fault::Failed("the client left the question unanswered".to_owned()))
    }

    /// Asks several questions at once; see [`Call::ask`].
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

    /// Fails if the client lacks a capability.
    pub fn require(&self, capability: Capability) -> Result<(), Fault> {
        if self.info.capabilities.contains(&capability) { Ok(()) } else { Err(Fault::Unable(capability)) }
    }

    /// Returns the state that the client sent back; see [`Questions::state`].
    pub fn state(&self) -> Option<&str> {
        self.info.input_responses.as_ref()?.state.as_deref()
    }

    /// Returns the responses that came with the request, by name of the question.
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
    /// A log message without a logger name.
    pub fn new(level: LogLevel, data: impl Into<Value>) -> Self {
        Self { level, logger: None, message: None, data: data.into() }
    }
}
