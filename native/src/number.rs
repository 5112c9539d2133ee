//! Numbers in text, exactly: the float64 nearest to what is written.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// No number is written there.
    Unreadable,
    /// NaN, infinite, or too large for float64.
    NotFinite,
}

pub const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// A finite decimal number: the float64 nearest to what is written.
#[inline]
pub fn score(text: &[u8]) -> Result<f64, NotANumber> {
    if let Some((value, length)) = leading(text)
        && length == text.len()
    {
        return Ok(value);
    }
    let value: f64 = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(NotANumber::Unreadable)?;
    if value.is_finite() { Ok(value) } else { Err(NotANumber::NotFinite) }
}

/// The decimal number with which a text starts, and its length. Only what most people write: up to 15 digits without
/// exponent, because the quotient of two floats that are exact is exact (clinger1990).
#[inline]
pub fn leading(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, point) = digits(text, start, 0);
    let (mut digits_read, mut decimals, mut mantissa, mut end) = (point - start, 0, whole, point);
    if text.get(point) == Some(&b'.') {
        (mantissa, end) = digits(text, point + 1, whole);
        decimals = end - point - 1;
        digits_read += decimals;
    }
    if !(1..=15).contains(&digits_read) {
        return None;
    }
    let value = mantissa as f64 / POWERS[decimals];
    Some((if negative { -value } else { value }, end))
}

/// The whole number with which a text starts, up to nine digits without sign, and its length.
#[inline]
pub fn leading_whole(text: &[u8]) -> Option<(i64, usize)> {
    let (number, end) = digits(text, 0, 0);
    (1..=9).contains(&end).then_some((number as i64, end))
}

/// Read on from `at`: the number so far with all digits that follow, and where they end. Past 19 digits the number is
/// wrong, but nobody asks for it then.
#[inline]
fn digits(text: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// A whole number, or `None` where none is written.
#[inline]
pub fn whole(text: &[u8]) -> Option<i64> {
    match leading_whole(text) {
        Some((number, length)) if length == text.len() => Some(number),
        _ => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}

/// Whether a text is a whole number that its float64 `value` does not hold exactly, which happens above 2^53.
pub fn is_rounded(text: &[u8], value: f64) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if digits.len() < 16 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    // A number of 39 digits or more need not fit; no float64 of that size has all its digits.
    let written: Option<u128> = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    written.is_none_or(|written| value.abs() as u128 != written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_above_two_to_the_53_are_rounded() {
        for (text, expected) in [
            ("9007199254740992", false),
            ("9007199254740993", true),
            ("-9007199254740993", true),
            ("9007199254740993.5", false),
            ("0000000000000012", false),
            ("123456789012345", false),
        ] {
            assert_eq!(is_rounded(text.as_bytes(), text.parse().unwrap()), expected, "{text}");
        }
    }

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
    fn a_number_ends_where_its_digits_end() {
        assert_eq!(leading(b"-12.50 tag"), Some((-12.5, 6)));
        assert_eq!(leading(b"1.2.3"), Some((1.2, 3)));
        assert_eq!(leading(b"123456789012345"), Some((123456789012345.0, 15)));
        assert_eq!(leading(b"1234567890123456"), None);
        assert_eq!(leading(b"0.000000000000001"), None);
        assert_eq!(leading(b"-"), None);
        assert_eq!(leading_whole(b"999999999 "), Some((999999999, 9)));
        assert_eq!(leading_whole(b"1234567890"), None);
        assert_eq!(leading_whole(&[b'9'; 100]), None);
        assert_eq!(leading_whole(b" 1"), None);
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
