//! A server with the fixtures that the public MCP conformance suite calls by name. They are ordinary dialects on the
//! same stack as ours, so the results apply to ours. For tests only: no crate may depend on it, and it is never
//! shipped.

mod asking;
mod content;
mod fixtures;
mod reading;

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};

use mcp::http::{Access, HttpServices, router};
use mcp::{ServeOptions, Service};
use web::listen::{Listening, serve};

use fixtures::{EVERYTHING, Fixtures, STATELESS};

/// Serves the fixtures at `/mcp/everything` and, without sessions, at `/mcp/stateless`; prints the address.
fn main() -> io::Result<()> {
    let services = vec![
        Service::new(&EVERYTHING, Fixtures::default(), &ServeOptions::default()),
        Service::new(&STATELESS, Fixtures::default(), &ServeOptions::default()),
    ];
    let make = |address, stop: &_| {
        let site = HttpServices { services, chosen: Some(EVERYTHING.name), access: Access::loopback(address)? };
        Ok(router(site, stop))
    };
    serve(Listening::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))), make, |address| {
        // The runner of the suite reads this line; without a reader a failed write does not matter.
        let _ = writeln!(io::stderr(), "serving http://{address}/mcp");
    })
}
