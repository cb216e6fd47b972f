//! Bytes as hexadecimal digits.

/// Returns two lower-case digits for each byte.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns the bytes of a text of [`encode`], of either case; `None` for any other text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let half = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|[high, low]| Some((half(*high)? << 4) | half(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back() {
        assert_eq!(encode(&[0, 0x4f, 0xff]), "004fff");
        assert_eq!(decode("004fFF"), Some(vec![0, 0x4f, 0xff]));
        assert_eq!(decode(""), Some(Vec::new()));
        for text in ["0", "zz", "+1", "é", "0x", "12 "] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
