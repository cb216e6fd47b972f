//! Metrics in the Prometheus text format.

mod format;

use std::fmt::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use app::{Listener, Notice};
use axum::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

pub(crate) use format::Format;

/// Upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Upper bounds of the buckets for writes per commit; larger batches are rare.
const GROUPS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0];

/// All metrics; cheap to clone.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    requests: Family<Request, Counter>,
    durations: Family<Route, Histogram>,
    in_flight: Gauge,
    writes: Family<Write, Counter>,
    unrecorded: Counter,
    groups: Histogram,
    rate_limited: Counter,
    connections: Gauge,
    n_connections: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Write {
    outcome: &'static str,
}

/// A request in progress.
pub(crate) struct InFlight(Gauge);

impl Metrics {
    /// Registers the metrics; connections are counted by the listener.
    pub(crate) fn new(n_connections: Arc<AtomicUsize>) -> Self {
        let mut registry = Registry::with_prefix("cairn");
        let inner = Inner {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            in_flight: Gauge::default(),
            writes: Family::default(),
            unrecorded: Counter::default(),
            groups: Histogram::new(GROUPS),
            rate_limited: Counter::default(),
            connections: Gauge::default(),
            n_connections,
            registry: Registry::default(),
        };
        registry.register("http_requests", "Completed requests", inner.requests.clone());
        let durations = inner.durations.clone();
        registry.register("http_request_duration_seconds", "Time until the response began", durations);
        registry.register("http_requests_in_flight", "Requests in flight", inner.in_flight.clone());
        registry.register("writes", "Calls of writing tools and requests", inner.writes.clone());
        let unrecorded = inner.unrecorded.clone();
        registry.register("audit_failures", "Audit records that could not be written", unrecorded);
        registry.register("commit_writes", "Writes per commit of the log", inner.groups.clone());
        registry.register("rate_limited", "Rate-limited requests", inner.rate_limited.clone());
        registry.register("connections", "Open connections", inner.connections.clone());
        registry.register("build", "What is running", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        Self(Arc::new(Inner { registry, ..inner }))
    }

    /// Counts a request until the guard is dropped.
    pub(crate) fn begin(&self) -> InFlight {
        self.0.in_flight.inc();
        InFlight(self.0.in_flight.clone())
    }

    pub(crate) fn answered(&self, route: &str, method: &Method, status: u16, took: Duration) {
        let labels = Request { route: route.to_owned(), method: known(method), status };
        self.0.requests.get_or_create(&labels).inc();
        self.0.durations.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
        if status == StatusCode::TOO_MANY_REQUESTS.as_u16() {
            self.0.rate_limited.inc();
        }
    }

    pub(crate) fn wrote(&self, outcome: &'static str) {
        self.0.writes.get_or_create(&Write { outcome }).inc();
    }

    /// Counts an event that could not be written to the audit log.
    pub(crate) fn not_recorded(&self) {
        self.0.unrecorded.inc();
    }

    /// Wraps a listener of the store and counts its notices.
    pub(crate) fn over(&self, listener: Listener) -> Listener {
        let groups = self.0.groups.clone();
        Arc::new(move |notice| {
            if let Notice::Committed { n_writes } = notice {
                groups.observe(f64::from(u32::try_from(n_writes).unwrap_or(u32::MAX)));
            }
            listener(notice);
        })
    }

    /// Encodes all metrics.
    pub(crate) fn text(&self, format: Format) -> Result<String, Error> {
        let n_connections = self.0.n_connections.load(Ordering::Relaxed);
        self.0.connections.set(i64::try_from(n_connections).unwrap_or(i64::MAX));
        let mut text = String::new();
        encode(&mut text, &self.0.registry)?;
        Ok(format.write(text))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

// An unknown method must not create a new time series, or clients could create any number of them.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_and_writes_are_counted() {
        let metrics = Metrics::new(Arc::new(AtomicUsize::new(3)));
        let serving = metrics.begin();
        metrics.answered("/mcp", &Method::POST, 200, Duration::from_millis(2));
        metrics.answered("/mcp", &Method::POST, 429, Duration::from_millis(2));
        metrics.wrote("done");
        metrics.not_recorded();
        metrics.over(Arc::new(|_| {}))(Notice::Committed { n_writes: 7 });
        let text = metrics.text(Format::OpenMetrics).expect("text");
        for line in [
            "cairn_http_requests_total{route=\"/mcp\",method=\"POST\",status=\"200\"} 1",
            "cairn_http_request_duration_seconds_bucket{le=\"0.0025\",route=\"/mcp\"} 2",
            "cairn_http_requests_in_flight 1",
            "cairn_writes_total{outcome=\"done\"} 1",
            "cairn_audit_failures_total 1",
            "cairn_commit_writes_bucket{le=\"8.0\"} 1",
            "cairn_commit_writes_sum 7.0",
            "cairn_rate_limited_total 1",
            "cairn_connections 3",
            "cairn_build_info{version=",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        drop(serving);
        let text = metrics.text(Format::OpenMetrics).expect("text");
        insta::assert_snapshot!(testkit::lines_with(&text, "cairn_http_requests_in_flight"), @"
        # HELP cairn_http_requests_in_flight Requests in flight.
        # TYPE cairn_http_requests_in_flight gauge
        cairn_http_requests_in_flight 0
        ");
    }
}
