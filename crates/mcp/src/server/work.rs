//! Runs one request: its handler blocks on a thread, and this task sends the handler's messages to the client.

use std::sync::Arc;

use rmcp::model::{
    CustomRequest, ErrorData, GetExtensions, ProgressNotification, ProgressNotificationParam, RequestId,
    ServerNotification, ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use super::request_source::RequestSource;
use super::{Era, Server, encode};
use crate::call::{Call, CallInfo, HandlerRequest, InputResponses, LogLevel, ProgressUpdate};
use crate::fault::Fault;
use crate::question::{Capability, Question};
use crate::registry::Effect;

/// How a request ended.
pub(super) enum Outcome<T> {
    Done(T),
    Fault(Fault),
    /// The request was cancelled, so it gets no response.
    Cancelled,
    Broken,
}

/// Marks a notification as sent on behalf of a request, so that a transport with one stream per request can route it.
#[derive(Debug, Clone)]
pub(crate) struct RelatedRequest(pub(crate) RequestId);

impl Server {
    /// Runs a handler that reads.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        source: RequestSource<'_>,
        input_responses: InputResponses,
        handler: impl FnOnce(&Call) -> Result<T, Fault> + Send + 'static,
    ) -> Outcome<T> {
        self.work_on(Effect::Reads, source, input_responses, handler).await
    }

    /// Runs a handler. When the request is cancelled, the handler runs to its end on its thread.
    pub(super) async fn work_on<T: Send + 'static>(
        &self,
        effect: Effect,
        source: RequestSource<'_>,
        input_responses: InputResponses,
        handler: impl FnOnce(&Call) -> Result<T, Fault> + Send + 'static,
    ) -> Outcome<T> {
        let cancelled = source.cancelled();
        let (call, mut requests) = Call::new(self.info(source, input_responses), cancelled.clone());
        let place = tokio::select! {
            place = self.take_place(effect) => place,
            () = cancelled.cancelled() => return Outcome::Cancelled,
        };
        let mut work = tokio::task::spawn_blocking(move || {
            // The permit is held by the thread, not by the request: a cancelled handler still runs.
            let _place = place;
            handler(&call)
        });
        loop {
            tokio::select! {
                // Biased: messages of the handler are sent before its result.
                biased;
                () = cancelled.cancelled() => return Outcome::Cancelled,
                Some(request) = requests.recv() => tokio::select! {
                    () = run(request, source) => {}
                    () = cancelled.cancelled() => return Outcome::Cancelled,
                },
                done = &mut work => return match done {
                    Ok(Ok(done)) => Outcome::Done(done),
                    Ok(Err(fault)) => Outcome::Fault(fault),
                    Err(_) => Outcome::Broken,
                },
            }
        }
    }

    /// Waits for a place. A call that waits for one of those that write takes no other place meanwhile.
    async fn take_place(&self, effect: Effect) -> Vec<OwnedSemaphorePermit> {
        let is_writing = !effect.is_read_only();
        let wanted = is_writing.then_some(&self.shared.writing_places).into_iter().chain([&self.shared.places]);
        let mut places = Vec::with_capacity(2);
        for semaphore in wanted {
            // It is never closed.
            places.extend(Arc::clone(semaphore).acquire_owned().await.ok());
        }
        places
    }

    fn info(&self, source: RequestSource<'_>, input_responses: InputResponses) -> CallInfo {
        let Some(context) = source.context() else {
            return CallInfo { caller: source.caller(), ..CallInfo::default() };
        };
        let era = source.era();
        CallInfo {
            wants_progress: context.meta.get_progress_token().is_some(),
            log_level: self.log_level(era, context),
            capabilities: capabilities(context),
            input_responses: (era == Era::Modern).then_some(input_responses),
            caller: source.caller(),
        }
    }

    fn log_level(&self, era: Era, context: &RequestContext<RoleServer>) -> Option<LogLevel> {
        if !self.shared.dialect.logs {
            return None;
        }
        match era {
            Era::Modern => context.meta.log_level().map(encode::log_level),
            Era::Legacy => Some(self.connection.log_level()),
        }
    }
}

fn capabilities(context: &RequestContext<RoleServer>) -> Vec<Capability> {
    let Some(client) = context.client_capabilities() else { return Vec::new() };
    let known = [
        (client.elicitation.is_some(), Capability::Elicitation),
        (client.sampling.is_some(), Capability::Sampling),
        (client.roots.is_some(), Capability::Roots),
    ];
    known.into_iter().filter_map(|(is_known, capability)| is_known.then_some(capability)).collect()
}

// Dropping the request closes its reply channel, so the handler sees that the client is gone.
async fn run(request: HandlerRequest, source: RequestSource<'_>) {
    let Some(context) = source.context() else { return };
    match request {
        HandlerRequest::ProgressUpdate(progress, done) => {
            if let Some(notification) = progress_notification(progress, context) {
                send_notification(notification, context).await;
            }
            let _ = done.send(());
        }
        HandlerRequest::Log(message, done) => {
            send_notification(encode::log(&message), context).await;
            let _ = done.send(());
        }
        HandlerRequest::Ask(question, answer) => {
            let _ = answer.send(ask_client(&question, context).await);
        }
    }
}

async fn send_notification(mut notification: ServerNotification, context: &RequestContext<RoleServer>) {
    notification.extensions_mut().insert(RelatedRequest(context.id.clone()));
    // A failed send means that the client is gone; the handler sees the cancellation.
    let _ = context.peer.send_notification(notification).await;
}

fn progress_notification(progress: ProgressUpdate, context: &RequestContext<RoleServer>) -> Option<ServerNotification> {
    let mut params = ProgressNotificationParam::new(context.meta.get_progress_token()?, progress.done);
    params.total = progress.total;
    params.message = progress.message;
    Some(ServerNotification::ProgressNotification(ProgressNotification::new(params)))
}

async fn ask_client(question: &Question, context: &RequestContext<RoleServer>) -> Result<Value, Fault> {
    let request = question.to_request();
    let method = request["method"].as_str().unwrap_or_default().to_owned();
    let request = CustomRequest::new(method, request.get("params").cloned());
    let answer = context.peer.send_request(ServerRequest::CustomRequest(request)).await;
    match answer {
        Ok(answer) => serde_json::to_value(answer).map_err(|error| Fault::Failed(error.to_string())),
        Err(ServiceError::McpError(ErrorData { message, .. })) => {
            Err(Fault::Failed(format!("the client refused the question: {message}")))
        }
        Err(error) => Err(Fault::Failed(format!("the client could not be asked: {error}"))),
    }
}
