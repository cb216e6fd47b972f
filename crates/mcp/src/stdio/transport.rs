//! The transport that `rmcp` serves: reads and writes lines, and answers every invalid line with an error.
//!
//! `rmcp` drops the future of `receive` whenever another branch of its `select!` completes, so nothing may be lost at
//! an `await`: input is kept in a field, and responses are written by separate tasks.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::model::{ClientRequest, GetExtensions, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;

use super::batch::Batch;
use super::lines::{Line, Lines, MAX_LINE};
use super::response_writer::ResponseWriter;
use crate::validate::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Refusal, Validator, Verdict, judge, judge_in_batch,
};

/// Consecutive invalid lines after which no more errors are sent: two programs that answer each other's errors would
/// loop forever.
const MAX_INVALID_LINES: usize = 100;

/// A transport over lines.
pub(super) struct LineTransport<R, W> {
    reader: BufReader<R>,
    lines: Lines,
    writer: Arc<ResponseWriter<W>>,
    validator: Validator,
    stop: CancellationToken,
    ending: CancellationToken,
    phase: Phase,
    n_noise: usize,
    /// The rest of a batch, each message with the batch that collects its response.
    batched: VecDeque<(Verdict, Option<Arc<Batch>>)>,
}

/// Phase of the connection.
enum Phase {
    /// Reading lines.
    Reading,
    /// Waiting for pending responses; then the `shutdown` request, if any, is answered.
    Ending { shutdown: Option<Value> },
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// Reads until end of input, a cancelled `stop` or a `shutdown` request; then cancels `ending`, for long-lived
    /// requests.
    pub(super) fn new(
        reader: R,
        writer: W,
        validator: Validator,
        stop: CancellationToken,
        ending: CancellationToken,
    ) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            lines: Lines::default(),
            writer: Arc::new(ResponseWriter::new(writer, stop.clone())),
            validator,
            stop,
            ending,
            phase: Phase::Reading,
            n_noise: 0,
            batched: VecDeque::new(),
        }
    }

    async fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.batched.is_empty() {
                self.writer.has_room().await;
                let next = self.batched.pop_front();
                if let Some(message) = next.and_then(|(verdict, batch)| self.handle_verdict(verdict, batch)) {
                    return Some(message);
                }
                continue;
            }
            if let Phase::Ending { shutdown } = &mut self.phase {
                self.ending.cancel();
                self.writer.is_idle().await;
                let id = shutdown.take()?;
                self.answer(ended(&id), None);
                continue;
            }
            let stop = self.stop.clone();
            let line = tokio::select! {
                biased;
                () = stop.cancelled() => None,
                line = self.next_line() => line,
            };
            let Some(line) = line else {
                self.phase = Phase::Ending { shutdown: None };
                continue;
            };
            if let Some(message) = self.handle_verdict(verdict(&self.validator, line), None) {
                return Some(message);
            }
        }
    }

    async fn next_line(&mut self) -> Option<Line> {
        self.writer.has_room().await;
        loop {
            // A read error counts as end of input.
            let bytes = self.reader.fill_buf().await.unwrap_or_default();
            if bytes.is_empty() {
                return self.lines.finish();
            }
            let (used, line) = self.lines.feed(bytes);
            self.reader.consume(used);
            if line.is_some() {
                return line;
            }
        }
    }

    fn handle_verdict(&mut self, verdict: Verdict, batch: Option<Arc<Batch>>) -> Option<RxJsonRpcMessage<RoleServer>> {
        match verdict {
            Verdict::Nothing => None,
            Verdict::Response(message) => {
                self.n_noise = 0;
                self.writer.answer_received();
                serde_json::from_value(Value::Object(message)).ok()
            }
            Verdict::Batch(messages) => {
                self.take_batch(messages);
                None
            }
            Verdict::Refuse(refusal) => {
                self.refuse(&refusal, batch);
                None
            }
            Verdict::Shutdown { id } => {
                let shutdown = match batch {
                    None => Some(id),
                    Some(batch) => {
                        self.answer(ended(&id), Some(batch));
                        None
                    }
                };
                self.phase = Phase::Ending { shutdown };
                None
            }
            Verdict::Notification(message) => {
                self.n_noise = 0;
                self.notification(message)
            }
            Verdict::Request { id, message } => {
                self.n_noise = 0;
                self.request(id, message, batch)
            }
        }
    }

    fn take_batch(&mut self, messages: Vec<Value>) {
        if !self.writer.has_batches() {
            self.refuse(&Refusal::batch(), None);
            return;
        }
        let verdicts: Vec<Verdict> =
            messages.into_iter().map(|message| judge_in_batch(&self.validator, message)).collect();
        let n_answered = verdicts.iter().filter(|verdict| is_answered(verdict)).count();
        let batch = Arc::new(Batch::new(n_answered));
        if n_answered > 0 {
            self.writer.announce();
        }
        self.batched = verdicts.into_iter().map(|verdict| (verdict, Some(Arc::clone(&batch)))).collect();
    }

    fn request(
        &self,
        id: Value,
        mut message: Map<String, Value>,
        batch: Option<Arc<Batch>>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.writer.is_full() {
            let message = "too many requests in flight; wait for responses";
            self.error(&Refusal::new(id, INTERNAL_ERROR, message), batch);
            return None;
        }
        let (key, delivery) = self.writer.register(id, batch.clone());
        message.insert("id".to_owned(), key.clone().into_json_value());
        let method = message.get("method").cloned().unwrap_or_default();
        let read: Result<RxJsonRpcMessage<RoleServer>, _> = serde_json::from_value(Value::Object(message));
        // Invariant: the validator lets only known methods through, so a request that the library parses as custom has
        // invalid parameters.
        match read {
            Ok(JsonRpcMessage::Request(mut request)) if !matches!(request.request, ClientRequest::CustomRequest(_)) => {
                request.request.extensions_mut().insert(delivery);
                Some(JsonRpcMessage::Request(request))
            }
            _ => {
                let message = format!("the parameters of {method} are missing or have the wrong type");
                self.error(&Refusal::new(self.writer.unregister(&key), INVALID_PARAMS, message), batch);
                None
            }
        }
    }

    fn notification(&self, mut message: Map<String, Value>) -> Option<RxJsonRpcMessage<RoleServer>> {
        if message["method"] == "notifications/cancelled"
            && let Some(id) = message.get_mut("params").and_then(|params| params.get_mut("requestId"))
        {
            let (key, batch) = self.writer.cancel(id)?;
            *id = key.into_json_value();
            if let Some(complete) = batch.and_then(|batch| batch.give_up()) {
                let writer = Arc::clone(&self.writer);
                tokio::spawn(async move { writer.finish(Some(complete)).await });
            }
        }
        serde_json::from_value(Value::Object(message)).ok()
    }

    fn refuse(&mut self, refusal: &Refusal, batch: Option<Arc<Batch>>) {
        self.n_noise = if refusal.is_noise() { self.n_noise + 1 } else { 0 };
        // In a batch the error must be sent: the batch waits for all of its responses.
        if self.n_noise <= MAX_INVALID_LINES || batch.is_some() {
            self.error(refusal, batch);
        }
    }

    fn error(&self, refusal: &Refusal, batch: Option<Arc<Batch>>) {
        self.answer(refusal.to_json(&self.validator), batch);
    }

    fn answer(&self, answer: Value, batch: Option<Arc<Batch>>) {
        let writer = Arc::clone(&self.writer);
        match batch {
            None => {
                writer.announce();
                tokio::spawn(async move { writer.answer(answer).await });
            }
            Some(batch) => {
                let complete = batch.answer(answer.to_string().into_bytes(), None);
                tokio::spawn(async move { writer.finish(complete).await });
            }
        }
    }
}

fn ended(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": null})
}

/// Returns whether a message will get a response.
fn is_answered(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Request { .. } | Verdict::Refuse(_) | Verdict::Shutdown { .. })
}

pub(crate) fn verdict(validator: &Validator, line: Line) -> Verdict {
    match line {
        Line::Bytes(bytes) => judge(validator, &bytes),
        Line::TooLong => {
            let message = format!("the line has {MAX_LINE} bytes or more");
            Verdict::Refuse(Refusal::new(Value::Null, INVALID_REQUEST, message))
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move { writer.send(message).await }
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.next_message()
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.close().await
    }
}
