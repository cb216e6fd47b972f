//! Observes requests: trace id, request log, metrics, and the audit log of writes. It sees no bodies and no tokens.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use mcp::{AuditHook, Outcome, ToolCallEvent};
use serde::Serialize;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::audit::{AuditWriter, Entry, OnWritten, moment};
use crate::metrics::Metrics;
use crate::principal::Principal;
use crate::proxy::Proxy;
use crate::tokens::Fingerprint;

/// Status of a request whose client disconnected before the response, as nginx logs it.
const GONE: u16 = 499;

/// Receives each request after its response.
pub type Log = Arc<dyn Fn(&AnsweredRequest) + Send + Sync>;

/// An answered request, for the log.
#[derive(Debug, Clone, Serialize)]
pub struct AnsweredRequest {
    /// Time of the response.
    pub at: String,
    /// Trace id, also in the response as `X-Trace-Id`.
    pub trace: Uuid,
    /// HTTP method, such as `GET`.
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// Pattern of the matched route.
    pub route: String,
    /// Status of the response; 499 if the client disconnected before.
    pub status: u16,
    /// Time until the response began, in milliseconds.
    pub ms: f64,
    /// Name of the token.
    pub who: Option<String>,
}

/// Observes requests; cheap to clone.
#[derive(Clone)]
pub(crate) struct Watch(Arc<Inner>);

struct Inner {
    metrics: Metrics,
    audit: AuditWriter,
    log: Option<Log>,
    proxy: Proxy,
}

/// Facts about a request that are collected while it is served. Each request has one in its extensions.
#[derive(Clone)]
pub(crate) struct Record(Arc<RequestFacts>);

struct RequestFacts {
    trace: Uuid,
    address: Option<IpAddr>,
    authenticated: OnceLock<Authenticated>,
}

/// The principal of a request, and its token if one was needed.
#[derive(Debug, Clone)]
pub(crate) struct Authenticated {
    pub(crate) principal: Principal,
    pub(crate) token: Option<Fingerprint>,
}

impl Record {
    /// Records the principal of the request.
    pub(crate) fn identify(&self, authenticated: &Authenticated) {
        let _ = self.0.authenticated.set(authenticated.clone());
    }

    pub(crate) fn authenticated(&self) -> Option<&Authenticated> {
        self.0.authenticated.get()
    }

    /// Returns the client address.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.0.address
    }
}

impl Watch {
    pub(crate) fn new(audit: AuditWriter, metrics: Metrics, log: Option<Log>, proxy: Proxy) -> Self {
        Self(Arc::new(Inner { metrics, audit, log, proxy }))
    }

    /// Waits until the audit log is written; call it at shutdown.
    pub(crate) fn flush(&self) {
        self.0.audit.flush();
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Adds the observer to a router.
    pub(crate) fn over(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), watch))
    }

    /// Records a write through the pages or the API in the audit log when the guard is dropped.
    pub(crate) fn writing(&self, record: Record, method: &Method, path: &str) -> WriteRecord {
        WriteRecord { watch: self.clone(), record, what: format!("{method} {path}"), outcome: "abandoned" }
    }

    /// Returns a hook that writes this request's tool calls to the audit log.
    fn audit_hook(&self, record: &Record, path: &str) -> AuditHook {
        let (watch, record, path) = (self.clone(), record.clone(), path.to_owned());
        AuditHook::new(move |event: ToolCallEvent<'_>| {
            let outcome = match event.outcome {
                Outcome::Done => "done",
                Outcome::Failed => "failed",
                Outcome::Forbidden => "forbidden",
                Outcome::Abandoned => "abandoned",
            };
            watch.record(&record, format!("{path} {}", event.tool), outcome);
        })
    }

    /// Records a login, a failed login or a logout in the audit log.
    pub(crate) fn signed(&self, record: &Record, what: &str, outcome: &'static str) {
        let metrics = self.0.metrics.clone();
        let written = move |is_recorded: bool| {
            if !is_recorded {
                metrics.not_recorded();
            }
        };
        self.add(record, what.to_owned(), outcome, Box::new(written));
    }

    fn record(&self, record: &Record, what: String, outcome: &'static str) {
        let metrics = self.0.metrics.clone();
        // The change stays made even if it cannot be recorded; the metrics count such failures.
        self.add(
            record,
            what,
            outcome,
            Box::new(move |is_recorded| {
                metrics.wrote(outcome);
                if !is_recorded {
                    metrics.not_recorded();
                }
            }),
        );
    }

    fn add(&self, record: &Record, what: String, outcome: &'static str, written: OnWritten) {
        let principal = record.authenticated().map(|authenticated| &authenticated.principal);
        let entry = Entry {
            when: moment(app::now()),
            who: principal.map_or("", |principal| &principal.name),
            person: principal.and_then(|principal| principal.person.as_ref()).map(ToString::to_string),
            what,
            outcome,
            address: record.address(),
            trace: record.0.trace,
        };
        self.0.audit.add(&entry, written);
    }

    fn answered(&self, target: &RequestTarget, record: &Record, status: u16, took: Duration) {
        tracing::debug!(trace = %record.0.trace, route = target.route, status, ?took, "answered");
        self.0.metrics.answered(&target.route, &target.method, status, took);
        let Some(log) = &self.0.log else { return };
        log(&AnsweredRequest {
            at: moment(app::now()),
            trace: record.0.trace,
            method: target.method.to_string(),
            path: target.path.clone(),
            route: target.route.clone(),
            status,
            ms: (took.as_secs_f64() * 1_000_000.0).round() / 1000.0,
            who: record.authenticated().map(|authenticated| authenticated.principal.name.clone()),
        });
    }
}

/// A write through the pages or the API. If the client disconnects, the write completes and is recorded as abandoned.
pub(crate) struct WriteRecord {
    watch: Watch,
    record: Record,
    what: String,
    outcome: &'static str,
}

impl WriteRecord {
    pub(crate) fn end(mut self, status: StatusCode) {
        self.outcome = match status.as_u16() {
            200..400 => "done",
            403 => "forbidden",
            _ => "failed",
        };
    }
}

impl Drop for WriteRecord {
    fn drop(&mut self) {
        self.watch.record(&self.record, std::mem::take(&mut self.what), self.outcome);
    }
}

/// Method, path and route of a request, kept for the log.
struct RequestTarget {
    method: Method,
    path: String,
    route: String,
}

impl RequestTarget {
    fn of(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str);
        Self { method: request.method().clone(), path: request.uri().path().to_owned(), route: route.to_owned() }
    }
}

async fn watch(State(watch): State<Watch>, mut request: Request, next: Next) -> Response {
    let target = RequestTarget::of(&request);
    let address = watch.0.proxy.client_address(request.extensions(), request.headers());
    let record = Record(Arc::new(RequestFacts { trace: Uuid::new_v4(), address, authenticated: OnceLock::new() }));
    request.extensions_mut().insert(record.clone());
    request.extensions_mut().insert(watch.audit_hook(&record, &target.path));
    let _serving = watch.0.metrics.begin();
    let mut serving = RequestGuard { watch, target, record, start: Instant::now(), status: GONE };
    // Without the query, which may hold what people search for.
    let span = tracing::debug_span!(
        "request", trace = %serving.record.0.trace, method = %serving.target.method, path = serving.target.path
    );
    let mut response = next.run(request).instrument(span).await;
    if let Ok(trace) = HeaderValue::from_str(&serving.record.0.trace.to_string()) {
        response.headers_mut().insert(HeaderName::from_static("x-trace-id"), trace);
    }
    serving.status = response.status().as_u16();
    response
}

/// A request until its response, or until its client disconnects: then the future is dropped, and `Drop` reports it.
struct RequestGuard {
    watch: Watch,
    target: RequestTarget,
    record: Record,
    start: Instant,
    status: u16,
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.watch.answered(&self.target, &self.record, self.status, self.start.elapsed());
    }
}

/// Returns whether a response is an event stream.
pub(crate) fn is_stream(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
