//! Maps chosen colors to the eight hues of the design, which have equal lightness in both themes.

/// The hues of the design with their angle on the color wheel of HSL.
const HUES: [(&str, f64); 8] = [
    ("h-rose", 355.0),
    ("h-orange", 25.0),
    ("h-gold", 45.0),
    ("h-green", 135.0),
    ("h-cyan", 185.0),
    ("h-blue", 213.0),
    ("h-violet", 260.0),
    ("h-pink", 315.0),
];

/// The class of what nobody gave a color.
pub(super) const NEUTRAL: &str = "h-none";

/// Returns the class for a color `#rrggbb`; neutral for none and for grays.
pub(super) fn of(color: Option<&str>) -> &'static str {
    let Some(angle) = color.and_then(angle) else { return NEUTRAL };
    let distance = |hue: f64| (hue - angle).abs().min(360.0 - (hue - angle).abs());
    let nearest = HUES.iter().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    nearest.map_or(NEUTRAL, |(class, _)| class)
}

/// Returns the name of the hue for a color, without the prefix of its class.
pub(crate) fn name_of(color: Option<&str>) -> &'static str {
    of(color).trim_start_matches("h-")
}

/// Returns a class for a person: the same text always has the same one.
pub(super) fn of_person(name: &str) -> &'static str {
    // FNV-1a: short, and stable across versions of the program.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    HUES[((hash ^ (hash >> 16)) % 8) as usize].0
}

fn angle(color: &str) -> Option<f64> {
    let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let part = |at: usize| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).map(f64::from);
    let (red, green, blue) = (part(0)?, part(2)?, part(4)?);
    let (high, low) = (red.max(green).max(blue), red.min(green).min(blue));
    let spread = high - low;
    // A color with hardly any saturation is a gray.
    if spread < 24.0 {
        return None;
    }
    let sixth = if high <= red {
        (green - blue) / spread
    } else if high <= green {
        2.0 + (blue - red) / spread
    } else {
        4.0 + (red - green) / spread
    };
    Some((sixth * 60.0).rem_euclid(360.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_gets_the_nearest_hue_and_grays_are_neutral() {
        for (color, expect) in [
            ("#d63d3d", "h-rose"),
            ("#c2410c", "h-orange"),
            ("#b8860b", "h-gold"),
            ("#26854f", "h-green"),
            ("#0e98a5", "h-cyan"),
            ("#2563eb", "h-blue"),
            ("#7353d3", "h-violet"),
            ("#db2777", "h-pink"),
            ("#888888", NEUTRAL),
            ("red", NEUTRAL),
        ] {
            assert_eq!(of(Some(color)), expect, "{color}");
        }
        assert_eq!(of(None), NEUTRAL);
        assert_eq!(of_person("Ada"), of_person("Ada"));
    }
}
