//! The system clock. The time libraries panic at times that they cannot represent; such times are clamped here.

use std::time::SystemTime;

use jiff::Timestamp;
use uuid::{NoContext, Uuid};

/// Returns the current time.
pub fn now() -> Timestamp {
    timestamp(SystemTime::now())
}

/// Returns a new UUID (version 7), which sorts after those of earlier milliseconds.
pub fn new_uuid() -> Uuid {
    uuid_at(SystemTime::now())
}

fn timestamp(at: SystemTime) -> Timestamp {
    let nearest = if at < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(at).unwrap_or(nearest)
}

// UUIDv7 has 48 bits for milliseconds since 1970, so earlier times are not representable.
fn uuid_at(at: SystemTime) -> Uuid {
    if at >= SystemTime::UNIX_EPOCH {
        Uuid::now_v7()
    } else {
        Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, 0, 0))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn any_time_can_be_expressed() {
        let (epoch, year) = (SystemTime::UNIX_EPOCH, Duration::from_secs(31_556_952));
        assert_eq!(timestamp(epoch), Timestamp::UNIX_EPOCH);
        assert_eq!(timestamp(epoch - year).as_second(), -31_556_952);
        assert_eq!(timestamp(epoch + year * 9000), Timestamp::MAX);
        assert_eq!(timestamp(epoch - year * 13_000), Timestamp::MIN);
    }

    #[test]
    fn names_differ_also_before_1970() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        let [one, other] = [uuid_at(before), uuid_at(before)];
        assert_ne!(one, other);
        assert_eq!((one.get_version_num(), one.as_bytes()[..6].iter().max()), (7, Some(&0)));
    }
}
