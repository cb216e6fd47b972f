//! The MCP server of the built binary, over its standard input and output: what every dialect promises, and the `mile`
//! contract to the letter.

mod client;
mod contract;
mod framing;
mod http;
#[cfg(unix)]
mod in_flight;
mod lifecycle;
mod load;
mod offer;
mod session;
mod twins;
