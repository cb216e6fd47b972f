//! A write timeout for connections. Without it, a client that sends requests and never reads the responses would hold a
//! connection forever, even without a token.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a client may read nothing while output is pending.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A stream with a write timeout.
pub(super) struct WriteTimeout<S> {
    stream: S,
    /// Runs while a write is pending.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, waiting: None }
    }

    fn check_timeout<T>(&mut self, context: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        // Any progress clears the timer: a client that reads slowly is served.
        if done.is_ready() {
            self.waiting = None;
            return done;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_timeout(context, done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check_timeout(context, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(context);
        self.check_timeout(context, done)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check_timeout(context, done)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stalled_client_is_disconnected() {
        let (ours, _theirs) = duplex(8);
        let start = Instant::now();
        let failed = WriteTimeout::new(ours).write_all(b"more than fits").await.expect_err("nobody reads");
        assert_eq!((failed.kind(), start.elapsed().as_secs()), (io::ErrorKind::TimedOut, WRITE_TIMEOUT.as_secs()));
    }

    #[tokio::test(start_paused = true)]
    async fn slow_but_steady_client_is_served() {
        let (ours, mut theirs) = duplex(1);
        let reading = tokio::spawn(async move {
            for _ in 0..5 {
                sleep(WRITE_TIMEOUT / 2).await;
                theirs.read_u8().await.expect("a byte");
            }
        });
        WriteTimeout::new(ours).write_all(b"12345").await.expect("all of it is taken");
        reading.await.expect("it ends");
    }
}
