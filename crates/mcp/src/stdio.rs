//! One JSON message per line on standard input and output. Nothing else is written to standard output.

mod batch;
pub(crate) mod lines;
mod response_writer;
#[cfg(test)]
mod tests;
pub(crate) mod transport;

use std::io;

use rmcp::service::serve_directly_with_ct;
use tokio_util::sync::CancellationToken;

use crate::server::Server;
use crate::service::Service;
use crate::signals::Signals;
use crate::validate::Validator;
use transport::LineTransport;

/// Maximum number of worker threads. Calls are short reads of one database; more threads would only open more
/// connections to it.
const MAX_THREADS: usize = 8;

/// Serves a dialect until end of input, a `shutdown` request or a signal. Pending requests are answered first; a second
/// signal ends without waiting for them.
pub fn serve(service: Service) -> io::Result<()> {
    run(service.0)
}

pub(crate) fn run(server: Server) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(MAX_THREADS).enable_all().build()?;
    let done = runtime.block_on(converse(server));
    // Do not wait for the thread that is blocked in a read of standard input.
    runtime.shutdown_background();
    done
}

async fn converse(server: Server) -> io::Result<()> {
    let (stop, ending) = (CancellationToken::new(), CancellationToken::new());
    let signals = Signals::listen()?;
    let (reader, writer) = rmcp::transport::stdio_pipes();
    let transport = LineTransport::new(reader, writer, Validator::of(server.dialect()), stop.clone(), ending.clone());
    // Not `serve`, which ends the process when a notification arrives before `initialize`.
    let service = serve_directly_with_ct(server.until(ending), transport, None, CancellationToken::new());
    tokio::select! {
        _ = service.waiting() => {}
        () = signals.stop_then_leave(&stop) => {}
    }
    Ok(())
}
