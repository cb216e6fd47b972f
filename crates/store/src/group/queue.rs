//! A thread for the short writes of many clients. While a write waits for its commit, the thread runs the next job on top
//! of it, so that the writes of a batch need no thread each, which would be woken for its turn and again for the outcome.
//!
//! Invariant: a job may wait for anything but the commit of a job below it. Whatever needs the writers' lock or an index that
//! follows the log calls `commit_awaited` first.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::{io, thread};

use parking_lot::{Condvar, Mutex};

use super::Group;

/// Maximum number of jobs on top of each other, which bounds the stack.
const MAX_DEPTH: usize = 64;
/// Stack of the thread: half a MiB for each job. Only what is used takes memory.
const STACK_SIZE: usize = 32 * 1024 * 1024;

/// A short piece of work with a write. It reports its result itself.
pub type WriteJob = Box<dyn FnOnce() + Send>;

/// A queue of short writes, with the thread that runs them until it is dropped.
pub struct WriteQueue(Arc<Queue>);

#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<WriteJob>,
    is_over: bool,
}

/// The state of a thread that runs a queue.
struct QueueThread {
    queue: Arc<Queue>,
    /// The group of each job that waits for its commit, lowest first.
    awaited: Vec<Arc<Group>>,
}

thread_local! {
    static THREAD: RefCell<Option<QueueThread>> = const { RefCell::new(None) };
}

impl WriteQueue {
    /// Starts the thread.
    pub fn start() -> io::Result<Self> {
        let queue = Arc::<Queue>::default();
        let own = Arc::clone(&queue);
        let run = move || {
            THREAD.set(Some(QueueThread { queue: Arc::clone(&own), awaited: Vec::new() }));
            while let Some(job) = own.wait() {
                run(job);
            }
        };
        thread::Builder::new().name("cairn-writes".to_owned()).stack_size(STACK_SIZE).spawn(run)?;
        Ok(Self(queue))
    }

    /// Adds a job. It must be short, since others wait for it, and must not wait for another job.
    pub fn push(&self, job: WriteJob) {
        self.0.state.lock().jobs.push_back(job);
        self.0.changed.notify_one();
    }
}

impl Drop for WriteQueue {
    fn drop(&mut self) {
        self.0.state.lock().is_over = true;
        self.0.changed.notify_one();
    }
}

impl Queue {
    /// Waits for a job; `None` at the end of the queue.
    fn wait(&self) -> Option<WriteJob> {
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, |state| state.jobs.is_empty() && !state.is_over);
        state.jobs.pop_front()
    }
}

// A panic was reported by its hook. Whoever waits for the result notices that the job was dropped.
fn run(job: WriteJob) {
    let _ = catch_unwind(AssertUnwindSafe(job));
}

/// Returns the number of jobs that this thread will run while the current one waits.
pub(super) fn n_next() -> usize {
    THREAD.with_borrow(|thread| match thread {
        Some(thread) if thread.awaited.len() < MAX_DEPTH => thread.queue.state.lock().jobs.len(),
        _ => 0,
    })
}

/// Runs the next jobs while the current one waits for its commit. Returns false if this thread runs no queue.
pub(super) fn run_next_until(group: &Arc<Group>, is_done: impl Fn() -> bool) -> bool {
    let queue = THREAD.with_borrow_mut(|thread| {
        let thread = thread.as_mut()?;
        thread.awaited.push(Arc::clone(group));
        Some((Arc::clone(&thread.queue), thread.awaited.len() <= MAX_DEPTH))
    });
    let Some((queue, may_run)) = queue else { return false };
    while may_run && !is_done() {
        let Some(job) = queue.state.lock().jobs.pop_front() else { break };
        run(job);
    }
    THREAD.with_borrow_mut(|thread| thread.as_mut().and_then(|thread| thread.awaited.pop()));
    true
}

/// Writes the commits that jobs below this one wait for: this one is about to wait for what their batch holds.
pub(crate) fn commit_awaited() {
    let awaited = THREAD.with_borrow(|thread| thread.as_ref().map(|thread| thread.awaited.clone()).unwrap_or_default());
    for group in awaited {
        group.seal_passed_on();
    }
}
