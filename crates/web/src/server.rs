//! One address for everything.

use std::net::SocketAddr;

use app::Error;
use dialects::Setting;
use mcp::Service;
use mcp::http::{Access, Site};

use crate::door::{Door, Entrance};
use crate::shared::Shared;
use crate::tokens::Tokens;
use crate::{api, pages};

/// What is served, where, and to whom.
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// The dialects, each at `/mcp/NAME`.
    pub services: Vec<Service>,
    /// The dialect that is found at `/mcp` too.
    pub chosen: &'static str,
    /// Where the server works.
    pub setting: Setting,
    /// What lets people in.
    pub entrance: Entrance,
}

/// Serves until a signal says so; `ready` hears the address once it can be reached.
pub fn serve(settings: Settings, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let Settings { address, services, chosen, setting, entrance } = settings;
    // Before anything listens there.
    Access::loopback(address).map_err(|error| Error::invalid(format!("cannot serve on {address}: {error}")))?;
    let door = Door::new(entrance, Tokens::of(&setting.place)?);
    let shared = Shared::new(setting);
    let make = |address, stop: &mcp::http::Stop| {
        let access = Access::loopback(address)?;
        // What does not exist is behind the door too: the pages say so.
        let own = pages::routes(shared.clone()).merge(api::routes(shared, stop));
        let guarded = access.clone().with_guard(door.guard());
        let dialects = mcp::http::router(Site { services, chosen: Some(chosen), access: guarded }, stop);
        Ok(door.before(own, &access).merge(dialects))
    };
    let served = mcp::http::serve(address, make, ready);
    served.map_err(|error| Error::unavailable(format!("cannot serve on {address}: {error}")))
}
