//! The graceful shutdown of an HTTP server and its sessions.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Graceful shutdown: event streams end at once, and requests that were begun are completed.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    tasks: TaskTracker,
}

impl Shutdown {
    /// Waits until the shutdown begins.
    pub async fn wait(&self) {
        self.token.cancelled().await;
    }

    /// Returns the token that is cancelled when the shutdown begins.
    pub fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Runs a task that the shutdown waits for.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Waits until all spawned tasks have ended; call it after the shutdown began.
    pub async fn finished(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}
