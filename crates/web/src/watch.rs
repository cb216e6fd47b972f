//! What is known about requests while they are served and after: a name for each, a line in the log, numbers, and the
//! record of writes. It sees no body and no token.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use jiff::Timestamp;
use mcp::{Deed, Outcome, Witness};
use serde::Serialize;
use uuid::Uuid;

use crate::audit::{Audit, Entry, moment};
use crate::metrics::Metrics;
use crate::tokens::Fingerprint;
use crate::visitor::Visitor;

/// Hears of each request once it is answered.
pub type Log = Arc<dyn Fn(&Answered) + Send + Sync>;

/// A request that was answered, for the log.
#[derive(Debug, Clone, Serialize)]
pub struct Answered {
    /// When.
    pub at: String,
    /// The name of the request, which its answer bears as `X-Trace-Id`.
    pub trace: Uuid,
    /// Such as `GET`.
    pub method: String,
    /// What was asked for, without its query.
    pub path: String,
    /// The rule that it fell under.
    pub route: String,
    /// How it was answered.
    pub status: u16,
    /// How long the answer took to begin.
    pub ms: f64,
    /// The name of the token.
    pub who: Option<String>,
}

/// Watches over requests; cheap to clone.
#[derive(Clone)]
pub(crate) struct Watch(Arc<Inner>);

struct Inner {
    metrics: Metrics,
    audit: Audit,
    log: Option<Log>,
}

/// What is found out about a request on its way, for those who watch. Each request has one among its extensions.
#[derive(Clone)]
pub(crate) struct Record(Arc<Found>);

struct Found {
    trace: Uuid,
    guest: OnceLock<Guest>,
}

/// Who sent a request, and the token that let them in, when one was needed.
#[derive(Debug, Clone)]
pub(crate) struct Guest {
    pub(crate) visitor: Visitor,
    pub(crate) token: Option<Fingerprint>,
}

impl Record {
    /// Takes down who sent a request.
    pub(crate) fn identify(&self, guest: &Guest) {
        let _ = self.0.guest.set(guest.clone());
    }

    pub(crate) fn guest(&self) -> Option<&Guest> {
        self.0.guest.get()
    }
}

impl Watch {
    pub(crate) fn new(folder: &Path, metrics: Metrics, log: Option<Log>) -> Self {
        Self(Arc::new(Inner { metrics, audit: Audit::in_folder(folder), log }))
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Watches over all requests of a router.
    pub(crate) fn over(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), watch))
    }

    /// Puts a write through the pages or the API on the record.
    pub(crate) fn wrote(&self, record: &Record, method: &Method, path: &str, status: StatusCode) {
        let outcome = match status.as_u16() {
            200..400 => "done",
            403 => "forbidden",
            _ => "failed",
        };
        self.record(record, format!("{method} {path}"), outcome);
    }

    /// Makes someone who puts the calls of a request on the record.
    fn witness(&self, record: &Record, path: &str) -> Witness {
        let (watch, record, path) = (self.clone(), record.clone(), path.to_owned());
        Witness::new(move |deed: Deed<'_>| {
            let outcome = match deed.outcome {
                Outcome::Done => "done",
                Outcome::Failed => "failed",
                Outcome::Forbidden => "forbidden",
                Outcome::Abandoned => "abandoned",
            };
            watch.record(&record, format!("{path} {}", deed.tool), outcome);
        })
    }

    fn record(&self, record: &Record, what: String, outcome: &'static str) {
        let visitor = record.guest().map(|guest| &guest.visitor);
        let entry = Entry {
            when: moment(Timestamp::now()),
            who: visitor.map_or("", |visitor| &visitor.name),
            person: visitor.and_then(|visitor| visitor.person.as_ref()).map(ToString::to_string),
            what,
            outcome,
            trace: record.0.trace,
        };
        // What was written stays written; that it is not on the record shows among the numbers.
        let is_recorded = self.0.audit.add(&entry).is_ok();
        self.0.metrics.wrote(outcome, is_recorded);
    }

    fn answered(&self, asked: &Asked, record: &Record, status: StatusCode, took: Duration) {
        self.0.metrics.answered(&asked.route, &asked.method, status, took);
        let Some(log) = &self.0.log else { return };
        log(&Answered {
            at: moment(Timestamp::now()),
            trace: record.0.trace,
            method: asked.method.to_string(),
            path: asked.path.clone(),
            route: asked.route.clone(),
            status: status.as_u16(),
            ms: (took.as_secs_f64() * 1_000_000.0).round() / 1000.0,
            who: record.guest().map(|guest| guest.visitor.name.clone()),
        });
    }
}

/// What is kept of a request to tell about it later.
struct Asked {
    method: Method,
    path: String,
    route: String,
}

impl Asked {
    fn of(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str);
        Self { method: request.method().clone(), path: request.uri().path().to_owned(), route: route.to_owned() }
    }
}

async fn watch(State(watch): State<Watch>, mut request: Request, next: Next) -> Response {
    let (start, asked) = (Instant::now(), Asked::of(&request));
    let record = Record(Arc::new(Found { trace: Uuid::new_v4(), guest: OnceLock::new() }));
    request.extensions_mut().insert(record.clone());
    request.extensions_mut().insert(watch.witness(&record, &asked.path));
    let _serving = watch.0.metrics.begin();
    let mut response = next.run(request).await;
    if let Ok(trace) = HeaderValue::from_str(&record.0.trace.to_string()) {
        response.headers_mut().insert(HeaderName::from_static("x-trace-id"), trace);
    }
    watch.answered(&asked, &record, response.status(), start.elapsed());
    response
}

/// Tells whether an answer goes on as long as its reader listens.
pub(crate) fn is_stream(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
