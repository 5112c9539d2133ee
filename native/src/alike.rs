//! Lines that are written like the line before: read sixteen bytes at a time, without a branch for each byte.

use crate::number::POWERS;

/// The text with which a line starts or ends, to be found again.
#[derive(Clone, Debug, Default)]
struct Same {
    bytes: Vec<u8>,
    /// Its first sixteen bytes, and which of them there are.
    first: u128,
    mask: u128,
}

impl Same {
    fn new(parts: [&[u8]; 2]) -> Same {
        let bytes = parts.concat();
        let mut first = [0; 16];
        let length = bytes.len().min(16);
        first[..length].copy_from_slice(&bytes[..length]);
        let mask = if length == 16 { u128::MAX } else { (1 << (8 * length)) - 1 };
        Same { bytes, first: u128::from_le_bytes(first), mask }
    }

    #[inline]
    fn starts(&self, text: &[u8]) -> bool {
        match sixteen(text) {
            Some(here) => {
                (here ^ self.first) & self.mask == 0
                    && (self.bytes.len() <= 16 || text[16..].starts_with(&self.bytes[16..]))
            }
            None => text.starts_with(&self.bytes),
        }
    }
}

/// A line of a run, and how many bytes it has with its end.
#[derive(Debug, PartialEq)]
pub struct Alike<'a> {
    pub document: &'a [u8],
    pub rank: i64,
    pub score: f64,
    pub length: usize,
}

/// How the line before was written: `topic Q0 ` at its start, white space included, and its tag at the end.
#[derive(Clone, Debug, Default)]
pub struct Style {
    prefix: Same,
    ending: Same,
}

impl Style {
    pub fn new(prefix: &[u8], tag: &[u8]) -> Style {
        Style { prefix: Same::new([prefix, b""]), ending: Same::new([tag, b"\n"]) }
    }

    pub fn prefix(&self) -> &[u8] {
        &self.prefix.bytes
    }

    pub fn tag(&self) -> &[u8] {
        self.ending.bytes.strip_suffix(b"\n").unwrap_or_default()
    }

    /// The line with which a text starts (ASCII without NUL), if it has the prefix and the tag of the line before and in
    /// between `document rank score`, cut by single characters, in plain numbers. Every other line is for `columns`;
    /// what is found here, it would find too.
    #[inline]
    pub fn line<'a>(&self, text: &'a [u8]) -> Option<Alike<'a>> {
        if self.prefix.bytes.is_empty() || self.ending.bytes.len() < 2 || !self.prefix.starts(text) {
            return None;
        }
        let start = self.prefix.bytes.len();
        let end = start + word(text.get(start..)?)?;
        let rank = after_blank(text, end)?;
        let (place, length) = whole(rank)?;
        let score = after_blank(rank, length)?;
        let (value, length) = decimal(score)?;
        let tag = after_blank(score, length)?;
        let length = text.len() - tag.len() + self.ending.bytes.len();
        (end > start && self.ending.starts(tag)).then_some(Alike {
            document: &text[start..end],
            rank: place,
            score: value,
            length,
        })
    }
}

const EACH: u64 = u64::MAX / 255;
const HIGH: u64 = EACH << 7;

#[inline]
fn sixteen(text: &[u8]) -> Option<u128> {
    text.first_chunk().map(|bytes| u128::from_le_bytes(*bytes))
}

#[inline]
fn eight(text: &[u8]) -> Option<u64> {
    text.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The highest bit of every byte that is white space, or below it; they are all ASCII, so no sum reaches the next byte.
#[inline]
fn blanks(bytes: u64) -> u64 {
    !(bytes + EACH * (0x80 - 0x21)) & HIGH
}

/// How many bytes a text has before its first white space: up to 63.
#[inline]
fn word(text: &[u8]) -> Option<usize> {
    for from in [0, 16, 32, 48] {
        let bytes = sixteen(text.get(from..)?)?;
        let marks = u128::from(blanks((bytes >> 64) as u64)) << 64 | u128::from(blanks(bytes as u64));
        if marks != 0 {
            return Some(from + marks.trailing_zeros() as usize / 8);
        }
    }
    None
}

/// What follows one space or tab.
#[inline]
fn after_blank(text: &[u8], at: usize) -> Option<&[u8]> {
    match text.get(at..)? {
        [b' ' | b'\t', rest @ ..] => Some(rest),
        _ => None,
    }
}

const TENS: [u64; 16] = {
    let mut tens = [1; 16];
    let mut i = 1;
    while i < 16 {
        tens[i] = 10 * tens[i - 1];
        i += 1;
    }
    tens
};

/// The digits with which a text starts, as a number, and how many there are: up to fifteen.
#[inline]
fn digits(text: &[u8]) -> Option<(u64, usize)> {
    let (number, count) = up_to_eight(eight(text)?);
    if count < 8 {
        return Some((number, count));
    }
    let (more, others) = up_to_eight(eight(&text[8..])?);
    (others < 8).then(|| (number * TENS[others] + more, 8 + others))
}

/// The digits with which eight bytes start, as a number, and how many there are.
#[inline]
fn up_to_eight(bytes: u64) -> (u64, usize) {
    let numbers = bytes ^ (EACH * b'0' as u64);
    let count = ((numbers + EACH * (0x80 - 10)) & HIGH).trailing_zeros() / 8;
    // The last digit in the highest byte; what stands before the first is 0.
    let digits = numbers.checked_shl(64 - 8 * count).unwrap_or(0);
    // Pairs, then fours, then all of them (lemire2021, section 4).
    let pairs = digits.wrapping_mul(10 * (1 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 * (1 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000 * (1 << 32) + 1) >> 32, count as usize)
}

/// The whole number with which a text starts, without sign, and its length.
#[inline]
fn whole(text: &[u8]) -> Option<(i64, usize)> {
    let (number, length) = digits(text)?;
    (length > 0).then_some((number as i64, length))
}

/// The decimal number with which a text starts, and its length. No more than fifteen digits, because the quotient of two
/// floats that are exact is exact (clinger1990).
#[inline]
fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let (mut number, mut count) = digits(&text[sign..])?;
    let (mut length, mut decimals) = (sign + count, 0);
    if let [b'.', rest @ ..] = &text[length..] {
        let (more, others) = digits(rest)?;
        (length, count, decimals) = (length + 1 + others, count + others, others);
        number = number.wrapping_mul(TENS[others]).wrapping_add(more);
    }
    let value = number as i64 as f64 / POWERS[decimals];
    (1..=15).contains(&count).then_some((if sign == 1 { -value } else { value }, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::score;
    use crate::text::columns;

    fn line(text: &str) -> Option<(String, i64, f64, usize)> {
        let text = format!("{text}\n{}", " ".repeat(64));
        let found = Style::new(b"7 Q0 ", b"me").line(text.as_bytes())?;
        Some((String::from_utf8(found.document.to_vec()).unwrap(), found.rank, found.score, found.length))
    }

    #[test]
    fn a_line_like_the_line_before_is_read_at_once() {
        assert_eq!(line("7 Q0 d1 12 3.25 me"), Some(("d1".into(), 12, 3.25, 19)));
        assert_eq!(line("7 Q0 d1\t12 -0.5 me"), Some(("d1".into(), 12, -0.5, 19)));
        let long = "x".repeat(63);
        assert_eq!(line(&format!("7 Q0 {long} 1 .5 me")), Some((long, 1, 0.5, 77)));
    }

    #[test]
    fn every_other_line_is_left_alone() {
        for text in [
            "8 Q0 d1 12 3.25 me",
            "7 Q0 d1 12 3.25 you",
            "7 Q0 d1 12 3.25 me ",
            "7 Q0 d1 12 3.25 me\r",
            "7 Q0 d1  12 3.25 me",
            "7 Q0 d1 12 3.25  me",
            "7 Q0  d1 12 3.25 me",
            "7 Q0 d1 12 3.25",
            "7 Q0 d1 1234567890123456 3.25 me",
            "7 Q0 d1 -1 3.25 me",
            "7 Q0 d1 1.0 3.25 me",
            "7 Q0 d1 1 1e5 me",
            "7 Q0 d1 1 +1 me",
            "7 Q0 d1 1 1.2.3 me",
            "7 Q0 d1 1 . me",
            "7 Q0 d1 1 - me",
            "7 Q0 d1 1 --1 me",
            "7 Q0 d1 1 nan me",
            "7 Q0 d1 1 1234567890.123456 me",
            "7 Q0 d1 1 .1234567890123456 me",
            "7 Q0 d1\n1 2 me",
            "7 Q0 \n1 2 3 me",
            "7 Q0 d1 1\n2 me",
            "7 Q0 d1 1 2\nme",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
        assert_eq!(line(&format!("7 Q0 {} 1 .5 me", "x".repeat(64))), None);
        assert_eq!(Style::default().line(b"7 Q0 d1 12 3.25 me\n                          "), None);
        assert_eq!(Style::new(b"7 Q0 ", b"me").line(b"7 Q0 d1 12 3.25 me"), None);
        assert_eq!(Style::new(b"7 Q0 ", b"").line(b"7 Q0 d1 12 3.25 \n                          "), None);
    }

    #[test]
    fn long_starts_and_ends_are_compared_whole() {
        let (topic, tag) = ("t".repeat(20), "r".repeat(17));
        let style = Style::new(format!("{topic} Q0 ").as_bytes(), tag.as_bytes());
        let text = format!("{topic} Q0 d 1 2 {tag}\n{}", " ".repeat(64));
        assert_eq!(style.line(text.as_bytes()).map(|found| found.length), Some(text.len() - 64));
        for (from, to) in [(topic.as_str(), "ttttttttttttttttttts"), (tag.as_str(), "rrrrrrrrrrrrrrrrrx")] {
            assert_eq!(style.line(text.replacen(from, to, 1).as_bytes()), None);
        }
        assert_eq!((style.prefix(), style.tag()), (format!("{topic} Q0 ").as_bytes(), tag.as_bytes()));
    }

    #[test]
    fn what_is_found_here_the_general_way_finds_too() {
        let (mut state, mut found) = (1u64, 0);
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % most
        };
        for _ in 0..200_000 {
            let written: String =
                (0..draw(18)).map(|_| char::from(b"0123456789.-0123456789 "[draw(23) as usize])).collect();
            let text = format!("7 Q0 d{} {} {written} me", draw(1000), draw(10_000_000));
            let mut field = [b"".as_slice(); 6];
            let count = columns(text.as_bytes(), &mut field);
            if let Some((document, rank, value, length)) = line(&text) {
                found += 1;
                assert_eq!((count, length), (6, text.len() + 1), "{text}");
                assert_eq!(document.as_bytes(), field[2]);
                assert_eq!(rank.to_string().as_bytes(), field[3]);
                assert_eq!(Ok(value.to_bits()), score(field[4]).map(f64::to_bits), "{text}");
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
