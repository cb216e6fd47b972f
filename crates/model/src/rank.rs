//! The rank of an item in the order of cards: a fractional key, so that moving one card writes one key.
//!
//! A key is an integer and a fraction, written so that byte order is key order. There is a key between any two keys.
//! The key of an item that was never moved is derived from its number.

use std::fmt;
use std::str::FromStr;

use crate::value_error::ValueError;

/// Maximum length of a key. Five moves to the same place cost about one digit.
pub const MAX_LENGTH: usize = 64;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const BASE: u8 = 36;
/// Digits of the largest integer part: 36^12 fits 63 bits.
const MAX_WHOLE_DIGITS: usize = 12;
const MAX_WHOLE: i64 = 36_i64.pow(12) - 1;

/// A fractional key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank {
    whole: i64,
    // Digits after the point, as ASCII; never ends in `0`, so that keys are unique.
    fraction: String,
}

/// Keys for inserted items, and for neighbors that must be rekeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Number of neighbors before them that get a new key; usually none.
    pub n_before: usize,
    /// Number of neighbors after them that get a new key; usually none.
    pub n_after: usize,
    /// New keys in order: neighbors before, items, neighbors after.
    pub keys: Vec<Rank>,
}

impl Rank {
    /// Returns the key of an item that was never moved.
    pub fn of_number(number: u64) -> Self {
        Self::of_whole(i64::try_from(number).unwrap_or(MAX_WHOLE))
    }

    fn of_whole(whole: i64) -> Self {
        Self { whole: whole.clamp(-MAX_WHOLE, MAX_WHOLE), fraction: String::new() }
    }

    /// Returns a key strictly between two others; `None` as an argument means the end of the order. Returns `None` if
    /// the two are not in order, or if the key would exceed [`MAX_LENGTH`].
    pub fn between(after: Option<&Self>, before: Option<&Self>) -> Option<Self> {
        let key = match (after, before) {
            (None, None) => Self::of_whole(0),
            (Some(after), None) if after.whole < MAX_WHOLE => Self::of_whole(after.whole + 1),
            (Some(after), None) => after.with_fraction(None),
            (None, Some(before)) if !before.fraction.is_empty() => Self::of_whole(before.whole),
            (None, Some(before)) if before.whole > -MAX_WHOLE => Self::of_whole(before.whole - 1),
            (None, Some(_)) => return None,
            (Some(after), Some(before)) if after >= before => return None,
            (Some(after), Some(before)) => Self::inside(after, before),
        };
        (key.to_string().len() <= MAX_LENGTH).then_some(key)
    }

    fn inside(after: &Self, before: &Self) -> Self {
        // A log may contain keys whose difference overflows.
        match before.whole.saturating_sub(after.whole) {
            0 => after.with_fraction(Some(before.fraction.as_bytes())),
            1 if before.fraction.is_empty() => after.with_fraction(None),
            1 => Self::of_whole(before.whole),
            _ => Self::of_whole(i64::midpoint(after.whole, before.whole)),
        }
    }

    fn with_fraction(&self, before: Option<&[u8]>) -> Self {
        let mut fraction = String::new();
        push_midpoint(self.fraction.as_bytes(), before, &mut fraction);
        Self { whole: self.whole, fraction }
    }

    /// Returns `n` keys in order between two others, or `None` if there is no room.
    fn spread(after: Option<&Self>, before: Option<&Self>, n: usize) -> Option<Vec<Self>> {
        let mut keys = vec![None; n];
        fill(after, before, &mut keys)?;
        keys.into_iter().collect()
    }
}

/// Items on one side of a place in the order.
#[derive(Debug, Clone, Copy)]
pub struct Neighbors<'a> {
    /// The keys of the nearest ones, in order.
    pub ranks: &'a [Rank],
    /// Whether no others follow beyond them.
    pub is_all: bool,
}

/// Finds keys for `n_items` inserted between `before` and `after`, whose keys are in order, the nearest of `before`
/// last. Neighbors with equal or too long keys are rekeyed, as few as possible. `None` means that more neighbors are
/// needed.
pub fn insertion(n_items: usize, neighbors_before: Neighbors<'_>, neighbors_after: Neighbors<'_>) -> Option<Insertion> {
    let (before, after) = (neighbors_before.ranks, neighbors_after.ranks);
    let widest = before.len().max(after.len());
    for n in 0..=widest {
        let (n_before, n_after) = (n.min(before.len()), n.min(after.len()));
        let lower = before.len().checked_sub(n_before + 1).map(|place| &before[place]);
        let upper = after.get(n_after);
        let is_known = (lower.is_some() || neighbors_before.is_all) && (upper.is_some() || neighbors_after.is_all);
        if !is_known {
            return None;
        }
        if let Some(keys) = Rank::spread(lower, upper, n_before + n_items + n_after) {
            return Some(Insertion { n_before, n_after, keys });
        }
    }
    None
}

// The middle first, then both halves: keys grow logarithmically.
fn fill(after: Option<&Rank>, before: Option<&Rank>, keys: &mut [Option<Rank>]) -> Option<()> {
    let (first, rest) = keys.split_at_mut(keys.len() / 2);
    let Some((key, last)) = rest.split_first_mut() else { return Some(()) };
    *key = Some(Rank::between(after, before)?);
    fill(after, key.as_ref(), first)?;
    fill(key.as_ref(), before, last)
}

// Writes digits between two fractions, of which `after` is the smaller; without `before`, the upper bound is one.
fn push_midpoint(after: &[u8], before: Option<&[u8]>, digits: &mut String) {
    let (mut after, mut before) = (after, before);
    loop {
        let low = after.first().map_or(0, |digit| value(*digit));
        let high = before.and_then(|digits| digits.first()).map_or(BASE, |digit| value(*digit));
        after = after.get(1..).unwrap_or_default();
        if high > low + 1 {
            digits.push(digit(u8::midpoint(low, high)));
            return;
        }
        if high == low {
            digits.push(digit(low));
            before = before.and_then(|digits| digits.get(1..));
            continue;
        }
        // Adjacent digits: the upper one suffices if more digits follow it, else the lower one is extended.
        if before.is_some_and(|digits| digits.len() > 1) {
            digits.push(digit(high));
            return;
        }
        digits.push(digit(low));
        before = None;
    }
}

fn value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit.saturating_sub(b'a') + 10,
    }
}

fn digit(value: u8) -> char {
    DIGITS.get(usize::from(value)).map_or('z', |digit| char::from(*digit))
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = Vec::new();
        let mut rest = self.whole.unsigned_abs();
        while rest > 0 || digits.is_empty() {
            let low = u8::try_from(rest % u64::from(BASE)).unwrap_or_default();
            digits.push(digit(if self.whole < 0 { BASE - 1 - low } else { low }));
            rest /= u64::from(BASE);
        }
        let length = u8::try_from(digits.len()).unwrap_or(u8::MAX);
        // The first letter encodes the number of digits, so that longer numbers sort after shorter ones, and the other
        // way round below zero.
        let head = if self.whole < 0 { b'Z' + 1 - length } else { b'a' + length - 1 };
        let digits: String = digits.into_iter().rev().collect();
        write!(f, "{}{digits}{}", char::from(head), self.fraction)
    }
}

impl FromStr for Rank {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        read(text).filter(|rank| rank.to_string() == text).ok_or_else(|| ValueError::Rank(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Rank> {
    let (head, rest) = text.as_bytes().split_first()?;
    let is_digits = text.len() <= MAX_LENGTH && rest.iter().all(|digit| DIGITS.contains(digit));
    let (is_negative, n_digits) = match head {
        b'a'..=b'z' => (false, usize::from(head - b'a') + 1),
        b'A'..=b'Z' => (true, usize::from(b'Z' - head) + 1),
        _ => return None,
    };
    if !is_digits
        || n_digits > MAX_WHOLE_DIGITS
        || rest.len() < n_digits
        || text.len() > n_digits + 1 && text.ends_with('0')
    {
        return None;
    }
    let (whole, fraction) = rest.split_at(n_digits);
    let digit = |digit: &u8| if is_negative { BASE - 1 - value(*digit) } else { value(*digit) };
    let whole = whole.iter().fold(0, |sum, one| sum * i64::from(BASE) + i64::from(digit(one)));
    let fraction = String::from_utf8(fraction.to_vec()).ok()?;
    Some(Rank { whole: if is_negative { -whole } else { whole }, fraction })
}

#[cfg(test)]
mod tests;
