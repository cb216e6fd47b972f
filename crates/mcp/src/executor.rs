//! Runs handlers that block, each on a thread of its own or on one that several share.

use std::sync::Arc;

/// A handler with its call, which reports its result itself.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs a job on another thread, soon. A job that panics must not affect the others.
pub type Executor = Arc<dyn Fn(Job) + Send + Sync>;

/// Returns an executor with a thread for each job. Call it inside a runtime.
pub(crate) fn thread_per_job() -> Executor {
    Arc::new(|job| drop(tokio::task::spawn_blocking(job)))
}
