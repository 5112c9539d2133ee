//! Lines and columns of a text file.

use memchr::{memchr, memchr_iter, memrchr};

use crate::problem::{Problem, Problems, Tally, shown};
use crate::source::{BLOCK, Feed, Stop};

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
    pub unended: bool,
    /// Lines that start with `#`, kept while they stand before the first line of data.
    pub header: Vec<u8>,
}

const HEADER: usize = 1 << 16;

/// Walk all lines of a feed. Comments, blank lines and lines that are no text are dealt with here; `each` gets the rest
/// and says whether to go on.
pub fn lines(
    feed: &mut impl Feed,
    offset: u64,
    longest: usize,
    seen: &mut Seen,
    problems: &mut Problems,
    mut each: impl FnMut(Line<'_>, &mut Problems) -> Result<bool, Stop>,
) -> Result<(), Stop> {
    let mut buffer: Vec<u8> = Vec::with_capacity(2 * BLOCK);
    let (mut base, mut data) = (offset, false);
    loop {
        let carried = buffer.len();
        let ended = feed.more(&mut buffer)? == 0;
        if base == 0 && carried == 0 && buffer.starts_with(b"\xef\xbb\xbf") {
            let hint = "harmless; save without a byte order mark to be rid of it";
            problems.add("W-BOM", 1, || "the file starts with a byte order mark".into(), hint);
            buffer.drain(..3);
            base = 3;
        }
        let whole = if ended { buffer.len() } else { memrchr(b'\n', &buffer).map_or(0, |n| n + 1) };
        if whole == 0 && buffer.len() > longest {
            return Err(too_long(seen.lines + 1, longest));
        }
        let block = &buffer[..whole];
        // One look at the block spares a look at every line.
        let plain = block.is_ascii() && memchr(0, block).is_none();
        let mut start = 0;
        let open = whole > 0 && block[whole - 1] != b'\n';
        for end in memchr_iter(b'\n', block).chain(open.then_some(whole)) {
            let mut bytes = &block[start..end];
            let at = base + start as u64;
            start = end + 1;
            seen.lines += 1;
            let number = seen.lines;
            if bytes.len() > longest {
                return Err(too_long(number, longest));
            }
            if let [text @ .., b'\r'] = bytes {
                bytes = text;
                seen.crlf.see(number, String::new);
            }
            if !plain && !is_text(bytes, number, problems) {
                continue;
            }
            match bytes.first() {
                Some(b'#') => {
                    if !data && seen.header.len() + bytes.len() < HEADER {
                        seen.header.extend_from_slice(bytes);
                        seen.header.push(b'\n');
                    }
                    continue;
                }
                Some(first) if *first > b' ' => {}
                _ if bytes.iter().all(|b| *b <= b' ') => {
                    seen.blank.see(number, String::new);
                    continue;
                }
                _ => {}
            }
            data = true;
            if !each(Line { bytes, number, offset: at }, problems)? {
                return Ok(());
            }
        }
        if ended {
            seen.unended = open;
            return Ok(());
        }
        base += whole as u64;
        buffer.drain(..whole);
    }
}

fn too_long(line: u64, longest: usize) -> Stop {
    Stop::Problem(Problem {
        code: "E-LINE",
        line,
        message: format!("the line is longer than {longest} bytes"),
        hint: "is this a text file with one document per line?".into(),
    })
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
        lines(&mut feed, 0, 100, &mut seen, &mut problems, |line, _| {
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
            assert_eq!((seen.lines, seen.crlf.count, seen.blank.count, seen.unended), (7, 1, 2, true));
            assert_eq!(seen.header, b"# made by me\n");
            assert!(problems.kept().is_empty());
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
    fn a_line_without_end_is_refused() {
        let mut feed = Pieces(vec![vec![b'x'; 500]]);
        let end = lines(&mut feed, 0, 100, &mut Seen::default(), &mut Problems::default(), |_, _| Ok(true));
        assert!(matches!(end, Err(Stop::Problem(p)) if p.code == "E-LINE"));
    }

    #[test]
    fn columns_are_cut_at_any_white_space() {
        let mut into = [b"".as_slice(); 3];
        assert_eq!(columns(b" a\t bb  ccc d ", &mut into), 4);
        assert_eq!(into, [b"a".as_slice(), b"bb", b"ccc"]);
        assert_eq!(columns(b"", &mut into), 0);
    }
}
