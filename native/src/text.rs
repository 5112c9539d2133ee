//! Lines and columns of a text file.

use memchr::{memchr, memrchr};

use crate::feed::Feed;
use crate::problem::{Problem, Problems, Tally, shown};
use crate::source::{Limits, Stop};

/// One line: its bytes without the end of line, its number from 1, and where it starts in the file.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    pub bytes: &'a [u8],
    pub number: u64,
    pub offset: u64,
}

/// What is seen of a text on the way, whatever it holds.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub lines: u64,
    pub crlf: Tally,
    pub blank: Tally,
    /// Lines that start with `#` after the first line of data, or that have the form of data.
    pub comments: Tally,
    pub unended: bool,
    /// Other lines that start with `#` before the first line of data.
    pub header: Vec<u8>,
    data: bool,
}

/// How much of a header is kept.
const HEADER: usize = 1 << 16;

impl Seen {
    /// What to expect of a part that starts at `offset`: only the first has a header.
    pub fn starting_at(offset: u64) -> Seen {
        Seen { data: offset > 0, ..Seen::default() }
    }

    /// Whether a line is data; comments and blank lines are dealt with here.
    #[inline]
    fn is_data(&mut self, bytes: &[u8]) -> bool {
        match bytes.first() {
            Some(b'#') if self.data || has_form_of_data(bytes) => self.comments.see(self.lines, String::new),
            Some(b'#') => {
                if self.header.len() + bytes.len() < HEADER {
                    self.header.extend_from_slice(bytes);
                    self.header.push(b'\n');
                }
            }
            Some(first) if *first > b' ' || bytes.iter().any(|b| *b > b' ') => {
                self.data = true;
                return true;
            }
            _ => self.blank.see(self.lines, String::new),
        }
        false
    }

    /// Take over what was seen in a later part of the file.
    pub fn append(&mut self, later: Seen) {
        self.crlf.append(later.crlf, self.lines);
        self.blank.append(later.blank, self.lines);
        self.comments.append(later.comments, self.lines);
        self.unended |= later.unended;
        self.lines += later.lines;
    }

    /// Say once what any text file may show often.
    pub fn report(&self, problems: &mut Problems) {
        let mut warn = |code, tally: &Tally, what: &str, hint| {
            if tally.count > 0 {
                problems.add(code, tally.line, || format!("{what}: {}", tally.count), hint);
            }
        };
        warn("W-CRLF", &self.crlf, "lines that end as on Windows", "harmless; dos2unix removes it");
        warn("W-BLANK", &self.blank, "blank lines", "harmless; was the file joined from several?");
        let hint = "harmless if they are comments; no topic may start with #";
        warn("W-COMMENT", &self.comments, "lines that start with # and are left out", hint);
        if self.unended {
            let message = || "the last line has no end of line".into();
            problems.add("W-END", self.lines, message, "was the file cut short?");
        }
    }
}

/// Whether a line that starts with `#` may be a line of judgments or of a run whose topic starts with `#`.
fn has_form_of_data(line: &[u8]) -> bool {
    fn is<T: std::str::FromStr>(field: &[u8]) -> bool {
        std::str::from_utf8(field).is_ok_and(|text| text.parse::<T>().is_ok())
    }
    let fields: Vec<&[u8]> =
        line.split(|byte| byte.is_ascii_whitespace()).filter(|field| !field.is_empty()).take(6).collect();
    match fields.as_slice() {
        [topic, step, _, grade] => {
            topic.len() > 1 && (step.eq_ignore_ascii_case(b"Q0") || is::<i64>(step)) && is::<i64>(grade)
        }
        [topic, _, _, rank, score, _] => topic.len() > 1 && is::<i64>(rank) && is::<f64>(score),
        _ => false,
    }
}

/// Who is shown the lines of a text.
pub trait Reader {
    /// One line of data; whether to go on.
    fn line(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<bool, Stop>;

    /// Take lines at once, at most so many, from a text of ASCII without NUL that follows line `number`: how many lines
    /// were taken, and how many bytes they have with their ends. Comments, blank lines and ends as on Windows must stay.
    fn many(&mut self, _text: &[u8], _number: u64, _most: u64) -> (u64, usize) {
        (0, 0)
    }
}

/// A reader that takes line by line.
struct Each<F>(F);

impl<F: FnMut(Line<'_>, &mut Problems) -> Result<bool, Stop>> Reader for Each<F> {
    fn line(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<bool, Stop> {
        self.0(line, problems)
    }
}

/// Walk all lines of a feed that starts at `offset`; `each` says whether to go on.
pub fn lines(
    feed: &mut dyn Feed,
    offset: u64,
    limits: Limits,
    seen: &mut Seen,
    problems: &mut Problems,
    each: impl FnMut(Line<'_>, &mut Problems) -> Result<bool, Stop>,
) -> Result<(), Stop> {
    read_lines(feed, offset, limits, seen, problems, &mut Each(each))
}

/// Show a reader all lines of a feed that starts at `offset`. Comments, blank lines and lines that are no text are dealt
/// with here.
pub fn read_lines(
    feed: &mut dyn Feed,
    offset: u64,
    limits: Limits,
    seen: &mut Seen,
    problems: &mut Problems,
    reader: &mut impl Reader,
) -> Result<(), Stop> {
    let mut buffer = Vec::new();
    let mut base = offset;
    loop {
        let first = base == 0 && buffer.is_empty();
        let ended = feed.more(&mut buffer)? == 0;
        if first {
            base = byte_order_mark(&mut buffer, problems);
        }
        let whole = if ended { buffer.len() } else { memrchr(b'\n', &buffer).map_or(0, |n| n + 1) };
        if whole == 0 && buffer.len() > limits.line {
            return Err(too_long(seen.lines + 1, limits.line));
        }
        let block = &buffer[..whole];
        let plain = is_plain(block);
        let mut start = 0;
        seen.unended = block.last().is_some_and(|last| *last != b'\n');
        while start < whole {
            if plain {
                let (lines, bytes) = reader.many(&block[start..], seen.lines, limits.lines - seen.lines);
                (seen.lines, start) = (seen.lines + lines, start + bytes);
                if start == whole {
                    break;
                }
            }
            let end = memchr(b'\n', &block[start..]).map_or(whole, |n| start + n);
            let (mut bytes, at) = (&block[start..end], base + start as u64);
            start = end + 1;
            seen.lines += 1;
            let number = seen.lines;
            if number > limits.lines {
                return Err(Stop::too_many(number, format!("the file has more than {} lines", limits.lines)));
            }
            if bytes.len() > limits.line {
                return Err(too_long(number, limits.line));
            }
            if let [text @ .., b'\r'] = bytes {
                bytes = text;
                seen.crlf.see(number, String::new);
            }
            if !plain && !is_text(bytes, number, problems) || !seen.is_data(bytes) {
                continue;
            }
            if !reader.line(Line { bytes, number, offset: at }, problems)? {
                return Ok(());
            }
        }
        if ended {
            return Ok(());
        }
        base += whole as u64;
        buffer.drain(..whole);
    }
}

/// Take the mark off the start of a file; its length.
fn byte_order_mark(buffer: &mut Vec<u8>, problems: &mut Problems) -> u64 {
    if !buffer.starts_with(b"\xef\xbb\xbf") {
        return 0;
    }
    let hint = "harmless; save without a byte order mark to be rid of it";
    problems.add("W-BOM", 1, || "the file starts with a byte order mark".into(), hint);
    buffer.drain(..3);
    3
}

/// Whether a block is ASCII without NUL: one look at it spares a look at every line.
fn is_plain(block: &[u8]) -> bool {
    block.chunks(1 << 12).all(|some| some.iter().fold(0, |most, b| b.wrapping_sub(1).max(most)) < 0x7f)
}

fn too_long(line: u64, longest: usize) -> Stop {
    let message = format!("the line is longer than {longest} bytes");
    Stop::Problem(Problem::new("E-LINE", line, message, "is this a text file with one document per line?"))
}

fn is_text(bytes: &[u8], number: u64, problems: &mut Problems) -> bool {
    if memchr(0, bytes).is_some() {
        let message = || format!("the line holds a NUL byte: \"{}\"", shown(bytes));
        problems.add("E-NUL", number, message, "the file is damaged or not a text file");
        return false;
    }
    if std::str::from_utf8(bytes).is_err() {
        let message = || format!("the line is not UTF-8: \"{}\"", shown(bytes));
        problems.add("E-UTF8", number, message, "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE");
        return false;
    }
    true
}

/// Refuse a file whose first line of data opens an object or a list of JSON.
pub fn no_json(line: &[u8]) -> Result<(), Stop> {
    match line {
        [b'{' | b'[', rest @ ..] if rest.iter().find(|b| **b > b' ').is_none_or(|b| b"\"{[]}".contains(b)) => {
            Err(Stop::problem("E-FORMAT", "this looks like JSON", "let its name end in .json"))
        }
        _ => Ok(()),
    }
}

/// A number of columns, in words.
pub fn said(columns: usize) -> String {
    format!("{columns} column{}", if columns == 1 { "" } else { "s" })
}

/// Split a line at white space into at most N columns; the number of columns there are, however many fit.
#[inline]
pub fn columns<'a, const N: usize>(line: &'a [u8], into: &mut [&'a [u8]; N]) -> usize {
    let (mut count, mut at) = (0, 0);
    loop {
        while at < line.len() && line[at] <= b' ' {
            at += 1;
        }
        if at == line.len() {
            return count;
        }
        let start = at;
        while at < line.len() && line[at] > b' ' {
            at += 1;
        }
        if count < N {
            into[count] = &line[start..at];
        }
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Limits =
        Limits { bytes: 1 << 40, ratio: 1000, line: 100, lines: u64::MAX, topics: usize::MAX, documents: usize::MAX };

    struct Pieces(Vec<Vec<u8>>);

    impl Feed for Pieces {
        fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            into.extend_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn read(text: &[u8], piece: usize) -> (Vec<(u64, String)>, Seen, Problems) {
        let (mut seen, mut problems, mut all) = (Seen::default(), Problems::default(), Vec::new());
        let mut feed = Pieces(text.chunks(piece).map(<[u8]>::to_vec).collect());
        lines(&mut feed, 0, SHORT, &mut seen, &mut problems, |line, _| {
            assert!(text[line.offset as usize..].starts_with(line.bytes));
            all.push((line.number, String::from_utf8(line.bytes.to_vec()).unwrap()));
            Ok(true)
        })
        .unwrap();
        (all, seen, problems)
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_arrive() {
        let text = b"# made by me\n\na b\r\nc\n# late\n  \nlast";
        for piece in 1..text.len() + 1 {
            let (all, seen, problems) = read(text, piece);
            assert_eq!(all, [(3, "a b".into()), (4, "c".into()), (7, "last".into())]);
            assert_eq!((seen.lines, seen.crlf.count, seen.blank.count), (7, 1, 2));
            assert_eq!((seen.comments.count, seen.comments.line, seen.unended), (1, 5, true));
            assert_eq!(seen.header, b"# made by me\n");
            assert!(problems.kept().is_empty());
        }
    }

    #[test]
    fn comments_at_the_top_that_have_the_form_of_data_are_reported() {
        let cases: [(&[u8], u64); 7] = [
            (b"#1 0 d1 2", 1),
            (b"#1\tQ0\td1\t-1", 1),
            (b"#1 Q0 d1 1 3.5 tag", 1),
            (b"#1 Q0 d1 1 3.5 tag more", 1),
            (b"# 0 d1 2", 0),
            (b"#made in the 2020", 0),
            (b"#1 Q0 d1 one 3.5 tag", 0),
        ];
        for (line, count) in cases {
            let (_, seen, _) = read(&[line, b"\nlast\n"].concat(), 1000);
            assert_eq!((seen.comments.count, seen.header.is_empty()), (count, count == 1), "{line:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_taken_off_and_bad_bytes_are_named() {
        let (all, _, problems) = read(b"\xef\xbb\xbfa\nb\0\n\xe9t\xe9\nc\n", 1000);
        assert_eq!(all, [(1, "a".into()), (4, "c".into())]);
        let codes: Vec<_> = problems.kept().iter().map(|p| (p.code, p.line)).collect();
        assert_eq!(codes, [("W-BOM", 1), ("E-NUL", 2), ("E-UTF8", 3)]);
    }

    #[test]
    fn all_ascii_but_nul_is_plain() {
        for byte in 0..=255u8 {
            let mut block = vec![b'a'; 5000];
            block[4999] = byte;
            assert_eq!(is_plain(&block), (1..128).contains(&byte), "{byte}");
        }
        assert!(is_plain(b""));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut feed = Pieces(vec![vec![b'x'; 500]]);
        let end = lines(&mut feed, 0, SHORT, &mut Seen::default(), &mut Problems::default(), |_, _| Ok(true));
        assert!(matches!(end, Err(Stop::Problem(p)) if p.code == "E-LINE"));
    }

    #[test]
    fn reading_ends_at_the_first_line_too_many() {
        for (most, expected) in [(2, 3), (3, 0)] {
            let (mut feed, mut read) = (Pieces(vec![b"# note\n\na b\n".to_vec()]), 0);
            let limits = Limits { lines: most, ..SHORT };
            let end = lines(&mut feed, 0, limits, &mut Seen::default(), &mut Problems::default(), |_, _| {
                read += 1;
                Ok(true)
            });
            let line = match end {
                Err(Stop::Problem(problem)) if problem.code == "E-LARGE" => problem.line,
                _ => 0,
            };
            assert_eq!((line, read), (expected, usize::from(expected == 0)));
        }
    }

    #[test]
    fn columns_are_cut_at_any_white_space() {
        let mut into = [b"".as_slice(); 3];
        assert_eq!(columns(b" a\t bb  ccc d ", &mut into), 4);
        assert_eq!(into, [b"a".as_slice(), b"bb", b"ccc"]);
        assert_eq!(columns(b"", &mut into), 0);
    }
}
