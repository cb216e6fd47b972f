//! One JSON message per line on standard input and output. Nothing else is ever written to standard output.

pub(crate) mod lines;
mod outlet;
#[cfg(test)]
mod tests;
pub(crate) mod transport;

use std::io;
use std::sync::Arc;

use rmcp::service::serve_directly_with_ct;
use tokio_util::sync::CancellationToken;

use crate::dialect::{Dialect, ToolNames};
use crate::server::Server;
use crate::signals::Signals;
use transport::LineTransport;

/// How many threads work. The calls are short reads of one database; more threads would only hold more of it open.
const MOST_THREADS: usize = 8;

/// Serves a dialect until the client hangs up, asks for `shutdown`, or a signal says so. Requests that were begun are
/// answered first; a second signal does not wait for them.
pub fn serve<C: Send + Sync>(dialect: &'static Dialect<C>, context: C, names: ToolNames) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(MOST_THREADS).enable_all().build()?;
    let done = runtime.block_on(run(dialect, context, names));
    // A read of standard input that is still waiting must not keep us.
    runtime.shutdown_background();
    done
}

async fn run<C: Send + Sync>(dialect: &'static Dialect<C>, context: C, names: ToolNames) -> io::Result<()> {
    let stop = CancellationToken::new();
    let signals = Signals::listen()?;
    let (reader, writer) = rmcp::transport::stdio_pipes();
    let transport = LineTransport::new(reader, writer, dialect.errors.body, stop.clone());
    // Not `serve`: that one ends the process when a notification comes before `initialize`.
    let server = Server::new(dialect, Arc::new(context), names);
    let service = serve_directly_with_ct(server, transport, None, CancellationToken::new());
    tokio::select! {
        _ = service.waiting() => {}
        () = signals.stop_then_leave(&stop) => {}
    }
    Ok(())
}
