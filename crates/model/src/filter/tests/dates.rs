//! Instants, days and dates, including relative ones.

use super::*;

fn check_meaning(source: &str, expect: &str) {
    assert_eq!(parse(source).to_string(), expect, "{source}");
}

#[test]
fn day_against_a_moment_is_a_pair_of_bounds() {
    let (start, end) = ("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z");
    check_meaning("created == 2026-03-01", &format!("created >= {start} and created < {end}"));
    check_meaning("created != 2026-03-01", &format!("not (created >= {start} and created < {end})"));
    check_meaning("created < 2026-03-01", &format!("created < {start}"));
    check_meaning("created <= 2026-03-01", &format!("created < {end}"));
    check_meaning("created > 2026-03-01", &format!("created >= {end}"));
    check_meaning("created >= 2026-03-01", &format!("created >= {start}"));
    check_meaning(
        "created in [2026-03-01, 2026-03-02T10:00:00+02:00]",
        &format!("created >= {start} and created < {end} or created == 2026-03-02T08:00:00Z"),
    );
}

#[test]
fn moments_are_resolved() {
    check_meaning("updated > -7d", "updated > 2026-03-03T15:30:00Z");
    check_meaning("updated_at > -12h", "updated > 2026-03-10T03:30:00Z");
    check_meaning("updated >= '-30m'", "updated >= 2026-03-10T15:00:00Z");
    check_meaning("updated < -2w", "updated < 2026-02-24T15:30:00Z");
    check_meaning("updated < +1h", "updated < 2026-03-10T16:30:00Z");
    check_meaning("updated <= NOW", "updated <= 2026-03-10T15:30:00Z");
    check_meaning("updated < today", "updated < 2026-03-10T00:00:00Z");
    check_meaning("updated >= Yesterday", "updated >= 2026-03-09T00:00:00Z");
    check_meaning("created == 2026-03-01T12:00:00.123456789+01:00", "created == 2026-03-01T11:00:00.123456789Z");
}

#[test]
fn dates_are_resolved() {
    check_meaning("due < 2026-03-01", "due < 2026-03-01");
    check_meaning("due == today", "due == 2026-03-10");
    check_meaning("due <= now", "due <= 2026-03-10");
    check_meaning("due > yesterday", "due > 2026-03-09");
    check_meaning("due <= tomorrow", "due <= 2026-03-11");
    check_meaning("due <= +7d", "due <= 2026-03-17");
    check_meaning("completed_at >= -1w", "completed >= 2026-03-03");
    check_meaning("started >= -15h", "started >= 2026-03-10");
    check_meaning("started >= -16h", "started >= 2026-03-09");
    check_meaning("due != none", "due != none");
    check_meaning("due == ''", "due == none");
}

#[test]
fn far_dates_are_read_back() {
    check_meaning("due < 9999-12-31", "due < 9999-12-31");
    check_meaning("due < 0000-01-01", "due < 0000-01-01");
    check_meaning("due > -1000000d", "due > -000712-04-12");
    assert_eq!(parse("due > -1000000d"), parse("due > -000712-04-12"));
    // Its midnight is after the last representable timestamp.
    check("created < 9999-12-31", true);
    check("created == 9999-12-31", false);
    check("created >= -009999-01-01", true);
}

#[test]
fn moments_match() {
    for source in [
        "created == 2026-03-01",
        "created < 2026-03-02",
        "created <= 2026-03-01",
        "created > 2026-02-28",
        "created >= 2026-03-01",
        "created == 2026-03-01T23:59:59.5Z",
        "created > 2026-03-01T23:59:59Z",
        "updated == today",
        "updated > -31m",
    ] {
        check(source, true);
    }
    for source in [
        "created != 2026-03-01",
        "created < 2026-03-01",
        "created > 2026-03-01",
        "created == 2026-03-01T23:59:59Z",
        "updated > -30m",
    ] {
        check(source, false);
    }
}

#[test]
fn comparison_with_an_absent_date_is_false() {
    for source in [
        "due == 2026-03-12",
        "due < +3d",
        "due >= today",
        "started <= 2026-03-02",
        "completed == none",
        "completed != 2026-03-02",
        "not completed < 2026-03-02",
        "completed not in [2026-03-02]",
        "completed in [2026-03-02, none]",
    ] {
        check(source, true);
    }
    for source in [
        "completed == 2026-03-02",
        "completed < 9999-01-01",
        "completed >= 0000-01-01",
        "due == none",
        "completed != none",
    ] {
        check(source, false);
    }
}
