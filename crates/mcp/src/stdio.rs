//! One JSON message per line on standard input and output. Nothing else is ever written to standard output.

mod batch;
pub(crate) mod lines;
mod response_writer;
#[cfg(test)]
mod tests;
pub(crate) mod transport;

use std::io;

use rmcp::service::serve_directly_with_ct;
use tokio_util::sync::CancellationToken;

use crate::service::{Parts, Service};
use crate::signals::Signals;
use crate::validate::Validator;
use transport::LineTransport;

/// How many threads work. The calls are short reads of one database; more threads would only hold more of it open.
const MAX_THREADS: usize = 8;

/// Serves a dialect until the client hangs up, asks for `shutdown`, or a signal says so. Requests that were begun are
/// answered first; a second signal does not wait for them.
pub fn serve(service: Service) -> io::Result<()> {
    service.0.serve_stdio()
}

pub(crate) fn run<C: Send + Sync>(parts: Parts<C>) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(MAX_THREADS).enable_all().build()?;
    let done = runtime.block_on(converse(parts));
    // A read of standard input that is still waiting must not keep us.
    runtime.shutdown_background();
    done
}

async fn converse<C: Send + Sync>(parts: Parts<C>) -> io::Result<()> {
    let (stop, ending) = (CancellationToken::new(), CancellationToken::new());
    let signals = Signals::listen()?;
    let (reader, writer) = rmcp::transport::stdio_pipes();
    let transport = LineTransport::new(reader, writer, Validator::of(parts.dialect), stop.clone(), ending.clone());
    let server = parts.start(ending);
    // Not `serve`: that one ends the process when a notification comes before `initialize`.
    let service = serve_directly_with_ct(server, transport, None, CancellationToken::new());
    tokio::select! {
        _ = service.waiting() => {}
        () = signals.stop_then_leave(&stop) => {}
    }
    Ok(())
}
