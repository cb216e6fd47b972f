//! A server with the fixtures that the public conformance suite of the protocol asks for by name. They are ordinary
//! dialects on the stack that serves ours, so what the suite finds of them it would find of ours. It is for tests: no
//! crate may depend on it, and it is never shipped.

mod asking;
mod content;
mod fixtures;
mod reading;

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};

use mcp::http::{Access, Site, router};
use mcp::{ServeOptions, Service};
use web::listen::{Listening, serve};

use fixtures::{EVERYTHING, Fixtures, STATELESS};

/// Serves the fixtures at `/mcp/everything` and, without sessions, at `/mcp/stateless`; says on a line where.
fn main() -> io::Result<()> {
    let services = vec![
        Service::new(&EVERYTHING, Fixtures::default(), ServeOptions::default()),
        Service::new(&STATELESS, Fixtures::default(), ServeOptions::default()),
    ];
    let make = |address, stop: &_| {
        let site = Site { services, chosen: Some(EVERYTHING.name), access: Access::loopback(address)? };
        Ok(router(site, stop))
    };
    serve(Listening::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))), make, |address| {
        // Whoever runs the suite reads it; without a reader there is nobody to tell.
        let _ = writeln!(io::stderr(), "serving http://{address}/mcp");
    })
}
