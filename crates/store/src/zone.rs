//! The local time zone.

use std::sync::OnceLock;
use std::{env, fs};

use jiff::tz::TimeZone;

/// Returns the local time zone, read once per process.
///
/// It is read from the system's file if there is one: to find it by name, the library lists every zone, which costs
/// each command a millisecond.
pub fn local_zone() -> TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    ZONE.get_or_init(read).clone()
}

fn read() -> TimeZone {
    let is_default = env::var_os("TZ").is_none();
    let bytes = if is_default { fs::read("/etc/localtime").ok() } else { None };
    let zone = bytes.and_then(|bytes| TimeZone::tzif("local", &bytes).ok());
    zone.unwrap_or_else(TimeZone::system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_is_the_one_the_library_finds_by_name() {
        for second in [0, 1_700_000_000, 1_720_000_000] {
            let at = jiff::Timestamp::from_second(second).unwrap();
            assert_eq!(local_zone().to_offset(at), TimeZone::system().to_offset(at));
        }
    }
}
