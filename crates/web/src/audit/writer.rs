//! The writer thread of the audit log, so that a slow disk or another server's lock never stalls the thread that serves
//! all requests.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use super::{AuditStore, Entry};

/// Maximum number of queued lines, about 2 MB. More means that the disk hangs; a longer queue would only fill the
/// memory.
const MAX_WAITING: usize = 8192;

/// Maximum number of lines that are stored together. In the database they share a transaction and its wait for the
/// disk: one each would be slower than the writes they are about.
const MAX_TOGETHER: usize = 500;

/// How long the shutdown of a server waits for queued lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// The queue of the writer thread.
pub(crate) struct AuditWriter(SyncSender<Job>);

enum Job {
    Line(Vec<u8>, OnWritten),
    Flush(SyncSender<()>),
}

/// Callback with whether the line was written.
pub(crate) type OnWritten = Box<dyn FnOnce(bool) + Send>;

impl AuditWriter {
    pub(crate) fn start(log: impl AuditStore + 'static) -> io::Result<Self> {
        let (queue, jobs) = sync_channel(MAX_WAITING);
        thread::Builder::new().name("cairn-audit".to_owned()).spawn(move || write_all(&log, &jobs))?;
        Ok(Self(queue))
    }

    /// Queues an entry and returns at once; `written` is called when the line is in the file, or has failed.
    pub(crate) fn add(&self, entry: &Entry<'_>, written: OnWritten) {
        let Ok(line) = entry.to_line() else { return written(false) };
        if let Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) =
            self.0.try_send(Job::Line(line, written))
            && let Job::Line(_, written) = job
        {
            written(false);
        }
    }

    /// Waits until every queued line is written, at most [`FLUSH_TIMEOUT`]. Call it when no more requests are served.
    pub(crate) fn flush(&self) {
        let (done, is_done) = sync_channel(1);
        if self.0.try_send(Job::Flush(done)).is_ok() {
            let _ = is_done.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

fn write_all(log: &impl AuditStore, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        if matches!(first, Job::Line(..)) {
            thread::sleep(log.collect_time());
        }
        let (mut lines, mut callbacks, mut flushes) = (Vec::new(), Vec::new(), Vec::new());
        for job in std::iter::once(first).chain(jobs.try_iter()).take(MAX_TOGETHER) {
            match job {
                Job::Line(line, written) => {
                    lines.push(line);
                    callbacks.push(written);
                }
                Job::Flush(done) => flushes.push(done),
            }
        }
        let is_written = lines.is_empty() || log.append(&lines).is_ok();
        for written in callbacks {
            written(is_written);
        }
        // The flush may have timed out.
        for done in flushes {
            let _ = done.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use parking_lot::Mutex;
    use uuid::Uuid;

    use super::*;
    use crate::audit::AuditLog;

    fn entry(what: usize) -> Entry<'static> {
        let (when, what) = (String::new(), what.to_string());
        Entry { when, who: "ada", person: None, what, outcome: "done", address: None, trace: Uuid::nil() }
    }

    fn add_all(writer: &AuditWriter, n_lines: usize) -> (Arc<AtomicUsize>, Arc<AtomicUsize>) {
        let (n_written, n_failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        for n in 0..n_lines {
            let (written, failed) = (Arc::clone(&n_written), Arc::clone(&n_failed));
            let count = move |is_written| {
                let counter = if is_written { written } else { failed };
                counter.fetch_add(1, Ordering::Relaxed);
            };
            writer.add(&entry(n), Box::new(count));
        }
        (n_written, n_failed)
    }

    #[test]
    fn flush_waits_for_every_line_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let writer = AuditWriter::start(AuditLog::in_folder(folder.path())).expect("a thread");
        let (n_written, n_failed) = add_all(&writer, 500);
        writer.flush();
        assert_eq!((n_written.load(Ordering::Relaxed), n_failed.load(Ordering::Relaxed)), (500, 0));
        let text = std::fs::read_to_string(folder.path().join("audit.log")).expect("the log");
        for (n, line) in text.lines().enumerate() {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(line["what"], n.to_string());
        }
        assert_eq!(text.lines().count(), 500);
    }

    /// Remembers how many lines were stored together.
    struct CountingStore(Arc<Mutex<Vec<usize>>>);

    impl AuditStore for CountingStore {
        fn append(&self, lines: &[Vec<u8>]) -> io::Result<()> {
            self.0.lock().push(lines.len());
            Ok(())
        }

        fn collect_time(&self) -> Duration {
            Duration::from_secs(1)
        }
    }

    #[test]
    fn lines_of_one_moment_are_stored_together() {
        let stored = Arc::new(Mutex::new(Vec::new()));
        let writer = AuditWriter::start(CountingStore(Arc::clone(&stored))).expect("a thread");
        add_all(&writer, 3);
        writer.flush();
        assert_eq!(*stored.lock(), [3]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn slow_disk_fails_lines_instead_of_blocking_the_caller() {
        // Opening a FIFO without a reader blocks, as a hanging disk does.
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.log");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
        assert!(made.success());
        let writer = AuditWriter::start(AuditLog::in_folder(folder.path())).expect("a thread");
        let n_lines = MAX_WAITING + MAX_TOGETHER + 100;
        let (n_written, n_failed) = add_all(&writer, n_lines);
        let n_refused = n_failed.load(Ordering::Relaxed);
        // The thread hangs with the lines that it took first, at least one and at most `MAX_TOGETHER`.
        assert!((100..100 + MAX_TOGETHER).contains(&n_refused), "{n_refused} lines were refused");
        let reader = thread::spawn(move || std::io::copy(&mut std::fs::File::open(path)?, &mut std::io::sink()));
        writer.flush();
        drop(writer);
        assert!(reader.join().expect("it ends").is_ok());
        assert_eq!(n_written.load(Ordering::Relaxed) + n_refused, n_lines);
    }
}
