//! Numbers in text, exactly: the float64 nearest to what is written.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// No number is written there.
    Unreadable,
    /// NaN, infinite, or too large for float64.
    NotFinite,
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// A finite decimal number. Up to 15 digits without exponent the quotient of two exact floats is exact (clinger1990);
/// everything else goes to the standard library.
#[inline]
pub fn score(text: &[u8]) -> Result<f64, NotANumber> {
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        _ => (false, text),
    };
    if digits.len() <= 16 {
        let (mut mantissa, mut point, mut plain) = (0u64, None, !digits.is_empty());
        for (i, &byte) in digits.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                mantissa = mantissa * 10 + u64::from(digit);
            } else if byte == b'.' && point.is_none() {
                point = Some(i);
            } else {
                plain = false;
                break;
            }
        }
        let decimals = point.map_or(0, |p| digits.len() - p - 1);
        let written = digits.len() - usize::from(point.is_some());
        if plain && (1..=15).contains(&written) {
            let value = mantissa as f64 / POWERS[decimals];
            return Ok(if negative { -value } else { value });
        }
    }
    let value: f64 = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(NotANumber::Unreadable)?;
    if value.is_finite() { Ok(value) } else { Err(NotANumber::NotFinite) }
}

/// A whole number, or `None` where none is written.
#[inline]
pub fn whole(text: &[u8]) -> Option<i64> {
    if (1..=9).contains(&text.len()) && text.iter().all(u8::is_ascii_digit) {
        return Some(text.iter().fold(0, |n, &b| n * 10 + i64::from(b - b'0')));
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library_bit_for_bit() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (whole, part, cut) = (state >> 44, (state >> 8) & 0xf_ffff_ffff, (state & 15) as usize);
            let sign = if state & 1 == 0 { "-" } else { "" };
            let text = format!("{sign}{whole}.{:.*}", cut.min(11), format!("{part:011}"));
            assert_eq!(score(text.as_bytes()).map(f64::to_bits), Ok(text.parse::<f64>().unwrap().to_bits()), "{text}");
        }
    }

    #[test]
    fn reads_what_people_write() {
        for text in ["0", "-0", "5.", ".5", "+3", "1e-3", "1E5", "0.1", "123456789012345678", "-7.25e2", "000012"] {
            assert_eq!(score(text.as_bytes()), Ok(text.parse::<f64>().unwrap()), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_number() {
        for text in ["", "-", ".", "+", "abc", "1,5", "1_000", "0x10", "1e", "--1", "1.2.3", "\u{663}"] {
            assert_eq!(score(text.as_bytes()), Err(NotANumber::Unreadable), "{text}");
        }
        for text in ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"] {
            assert_eq!(score(text.as_bytes()), Err(NotANumber::NotFinite), "{text}");
        }
    }

    #[test]
    fn whole_numbers() {
        assert_eq!(whole(b"0012"), Some(12));
        assert_eq!(whole(b"-2"), Some(-2));
        assert_eq!(whole(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(whole(b"9223372036854775808"), None);
        assert_eq!(whole(b"1.0"), None);
        assert_eq!(whole(b""), None);
    }
}
