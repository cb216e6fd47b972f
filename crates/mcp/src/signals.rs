//! SIGTERM and SIGINT, which shut a server down.

use std::io;

use tokio_util::sync::CancellationToken;

/// A handler of SIGTERM and SIGINT.
#[cfg(unix)]
pub struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Installs the handler; before that, a signal kills the process.
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Cancels `stop` at the first signal and returns at the second.
    pub async fn stop_then_leave(mut self, stop: &CancellationToken) {
        self.next().await;
        stop.cancel();
        self.next().await;
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// A handler of SIGTERM and SIGINT.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Installs the handler; before that, a signal kills the process.
    pub fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Cancels `stop` at the first signal and returns at the second.
    pub async fn stop_then_leave(self, stop: &CancellationToken) {
        let _ = tokio::signal::ctrl_c().await;
        stop.cancel();
        let _ = tokio::signal::ctrl_c().await;
    }
}
