//! One address for everything.

use std::io;
use std::net::SocketAddr;

use dialects::Setting;
use mcp::Service;
use mcp::http::{Access, Site};

use crate::shared::Shared;
use crate::{api, door, pages};

/// What is served, and where.
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// The dialects, each at `/mcp/NAME`.
    pub services: Vec<Service>,
    /// The dialect that is found at `/mcp` too.
    pub chosen: &'static str,
    /// Where the server works.
    pub setting: Setting,
}

/// Serves until a signal says so; `ready` hears the address once it can be reached.
pub fn serve(settings: Settings, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let Settings { address, services, chosen, setting } = settings;
    // Before anything listens there.
    Access::loopback(address)?;
    let shared = Shared::new(setting);
    let make = |address, stop: &mcp::http::Stop| {
        let access = Access::loopback(address)?;
        let own = pages::routes(shared.clone()).merge(api::routes(shared, stop));
        let dialects = mcp::http::router(Site { services, chosen: Some(chosen), access: access.clone() }, stop);
        Ok(door::guard(own, &access).merge(dialects))
    };
    mcp::http::serve(address, make, ready)
}
