//! Where bytes come from: files, packed files and pipes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::feed::{BLOCK, HeadFeed, PartFeed, StreamFeed, first_bytes};
use crate::numbered::MOST;
use crate::problem::Problem;

/// What a file may cost before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes after unpacking.
    pub bytes: u64,
    /// Bytes after unpacking for each byte before it, once 64 MiB have come out.
    pub ratio: u64,
    /// Bytes of one line.
    pub line: usize,
    /// Lines, blank ones and comments too.
    pub lines: u64,
    pub topics: usize,
    /// Lines of data of one topic.
    pub documents: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 40, ratio: 1000, line: 1 << 16, lines: u64::MAX, topics: MOST, documents: MOST }
    }
}

impl Limits {
    /// Whether something is counted over the whole file: then it is read in one part, which knows how much came before.
    pub fn count(&self) -> bool {
        self.lines < u64::MAX || self.topics < MOST || self.documents < MOST
    }
}

/// What the caller and the threads say to each other while a file is read.
#[derive(Debug, Default)]
pub struct Control {
    pub stop: AtomicBool,
    /// Bytes of the file read so far, by all threads.
    pub done: AtomicU64,
}

impl Control {
    pub fn check(&self) -> Result<(), Stop> {
        if self.stop.load(Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

/// Why reading ended early.
#[derive(Debug)]
pub enum Stop {
    Interrupted,
    /// A topic came back after others: the file needs the walk that gathers lines by topic.
    Scattered,
    Problem(Problem),
}

impl Stop {
    /// One line, topic or document too many.
    #[cold]
    pub fn too_many(line: u64, message: String) -> Stop {
        Stop::Problem(Problem::new(
            "E-LARGE",
            line,
            message,
            "is it the right file? cut it to the topics and depth you need",
        ))
    }

    /// A problem of the file as a whole.
    pub fn problem(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Stop {
        Stop::Problem(Problem::new(code, 0, message, hint))
    }

    /// The same problem where other lines stand before those that were counted.
    pub fn after(self, lines: u64) -> Stop {
        match self {
            Stop::Problem(problem) => Stop::Problem(problem.after(lines)),
            stop => stop,
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::problem("E-READ", format!("reading failed: {error}"), "check the disk and try again")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    Plain,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

pub struct Source {
    file: Arc<File>,
    pub size: u64,
    pub packing: Packing,
}

impl Source {
    /// Open a file; `-` is standard input. Pipes are spooled to an unnamed file first, because a file may need two walks.
    pub fn open(path: &Path, limits: Limits, control: &Control) -> Result<Source, Stop> {
        if path.as_os_str() == "-" {
            return Source::new(spool(io::stdin().lock(), limits, control)?, limits);
        }
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                Stop::problem("E-MISSING", "there is no such file", "check the name of the file")
            }
            io::ErrorKind::PermissionDenied => {
                Stop::problem("E-PERMISSION", "the file may not be read", "check its permissions")
            }
            _ => Stop::problem("E-READ", format!("the file cannot be opened: {error}"), "check the name of the file"),
        })?;
        let about = file.metadata()?;
        if about.is_dir() {
            let hint = "name the files in it, as in folder/*";
            return Err(Stop::problem("E-FOLDER", "this is a folder, not a file", hint));
        }
        let file = if about.is_file() { file } else { spool(file, limits, control)? };
        Source::new(file, limits)
    }

    fn new(mut file: File, limits: Limits) -> Result<Source, Stop> {
        let size = file.metadata()?.len();
        if size > limits.bytes {
            return Err(too_large(limits));
        }
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        (&file).take(HEAD).read_to_end(&mut head)?;
        let outside = packing(&head)?;
        if outside != Packing::Plain && packing(&first_bytes(outside, &file, HEAD))? != Packing::Plain {
            return Err(Stop::problem("E-ARCHIVE", "the file is packed twice", "pack it once, or not at all"));
        }
        Ok(Source { file: Arc::new(file), size, packing: outside })
    }

    /// The start of the text in small pieces, without a thread; of a plain file all of it.
    pub fn start(&self, control: &Arc<Control>) -> Result<HeadFeed<'_>, Stop> {
        HeadFeed::new(self.packing, &self.file, control.clone())
    }

    /// The bytes from `start` to `end` of a plain file.
    pub fn part(&self, start: u64, end: u64, control: &Arc<Control>) -> PartFeed<'_> {
        PartFeed::new(&self.file, self.size, start..end, control.clone())
    }

    /// The whole of a packed file, unpacked by a thread of its own.
    pub fn stream(&self, limits: Limits, control: &Arc<Control>) -> Result<StreamFeed, Stop> {
        StreamFeed::start(self.packing, self.file.clone(), limits, control.clone())
    }
}

/// So many bytes tell what a file is: the mark of a tar archive stands behind the name of its first file.
const HEAD: u64 = 512;
const TAKE_OUT: &str = "take the file out of it: plain, or packed with gzip, bzip2, xz or zstd";

/// How a file is packed, by its first bytes; what is no text file is refused here.
fn packing(head: &[u8]) -> Result<Packing, Stop> {
    let (code, message, hint) = match head {
        [0x1f, 0x8b, ..] => return Ok(Packing::Gzip),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => return Ok(Packing::Bzip2),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => return Ok(Packing::Xz),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => return Ok(Packing::Zstd),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => {
            ("E-ARCHIVE", "this is a zip archive, not a text file", TAKE_OUT)
        }
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => ("E-ARCHIVE", "this is a 7z archive, not a text file", TAKE_OUT),
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => ("E-ARCHIVE", "this is a rar archive, not a text file", TAKE_OUT),
        _ if is_tar(head) => ("E-ARCHIVE", "this is a tar archive, not a text file", TAKE_OUT),
        // The byte that follows opens a Thrift structure: a topic may be called PAR1.
        [b'P', b'A', b'R', b'1', 0x15, ..] => ("E-FORMAT", "this is a Parquet file", "let its name end in .parquet"),
        [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] => {
            ("E-FORMAT", "this is an Arrow (Feather) file", "write it as Parquet")
        }
        [b'<', b'!' | b'h' | b'H' | b'?', ..] => ("E-FORMAT", "this looks like a web page or XML", "name a text file"),
        [b'%', b'P', b'D', b'F', b'-', ..] => ("E-FORMAT", "this is a PDF", "name a text file"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            ("E-UTF16", "the text is UTF-16", "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE")
        }
        _ => return Ok(Packing::Plain),
    };
    Err(Stop::problem(code, message, hint))
}

/// A name, filled up with NUL, and the mark behind it: a text may hold the word, but no NUL before it.
fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar") && head[..257].contains(&0)
}

pub fn too_large(limits: Limits) -> Stop {
    let message = format!("the file has more than {} bytes", limits.bytes);
    Stop::problem("E-SIZE", message, "is it the right file? cut it to the topics and depth you need")
}

fn spool(mut pipe: impl Read, limits: Limits, control: &Control) -> Result<File, Stop> {
    let mut file = tempfile::tempfile()?;
    let mut block = vec![0; BLOCK];
    let mut size = 0;
    loop {
        control.check()?;
        match pipe.read(&mut block) {
            Ok(0) => return Ok(file),
            Ok(n) => {
                size += n as u64;
                if size > limits.bytes {
                    return Err(too_large(limits));
                }
                io::Write::write_all(&mut file, &block[..n])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T>(end: Result<T, Stop>) -> &'static str {
        match end {
            Err(Stop::Problem(problem)) => problem.code,
            _ => "opened",
        }
    }

    #[test]
    fn folders_archives_and_missing_files_say_so() {
        let open = |path: &Path| code(Source::open(path, Limits::default(), &Control::default()));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(open(folder.path()), "E-FOLDER");
        assert_eq!(open(&folder.path().join("none")), "E-MISSING");
        let files = [
            (b"PK\x03\x04..".as_slice(), "E-ARCHIVE"),
            (b"PK\x05\x06", "E-ARCHIVE"),
            (b"7z\xbc\xaf\x27\x1c", "E-ARCHIVE"),
            (b"Rar!\x1a\x07\x01", "E-ARCHIVE"),
            (b"7z Q0 d 1 2 t\n", "opened"),
            (b"\xff\xfe3\x00", "E-UTF16"),
            (b"PAR1\x15\x04", "E-FORMAT"),
            (b"ARROW1\0\0\xff", "E-FORMAT"),
            (b"ARROW1 Q0 d 1 2 t\n", "opened"),
            (b"%PDF-1.7", "E-FORMAT"),
            (b"<!DOCTYPE html>", "E-FORMAT"),
            (b"<html><body>", "E-FORMAT"),
            (b"<7> Q0 d 1 2 t\n", "opened"),
            (b"PAR1 Q0 d 1 2 t\n", "opened"),
            (b"", "opened"),
        ];
        for (bytes, expected) in files {
            let path = folder.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(open(&path), expected);
        }
    }

    #[test]
    fn a_tar_archive_is_known_by_its_mark_and_a_text_that_holds_the_word_is_read() {
        let mut tar = [0u8; 512];
        tar[..7].copy_from_slice(b"run.txt");
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(code(packing(&tar)), "E-ARCHIVE");
        let text = tar.map(|byte| if byte == 0 { b'x' } else { byte });
        assert_eq!(code(packing(&text)), "opened");
        assert_eq!(code(packing(&tar[..261])), "opened");
    }

    #[test]
    fn what_is_packed_is_looked_at_too() {
        let gzip = |bytes: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut encoder, bytes).unwrap();
            encoder.finish().unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (run, cut) = (gzip(b"7 Q0 d 1 2 t\n"), gzip(b"7")[..12].to_vec());
        for (bytes, expected) in [
            (gzip(&run), "E-ARCHIVE"),
            (gzip(b"PK\x03\x04.."), "E-ARCHIVE"),
            (gzip(b"%PDF-1.7"), "E-FORMAT"),
            (run, "opened"),
            (cut, "opened"), // the walk finds where it breaks off
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(code(Source::open(&path, Limits::default(), &Control::default())), expected);
        }
    }

    #[test]
    fn plain_files_and_pipes_have_a_largest_size() {
        let limits = Limits { bytes: 10, ..Limits::default() };
        let control = Control::default();
        let folder = tempfile::tempdir().unwrap();
        for (size, expected) in [(10, "opened"), (11, "E-SIZE")] {
            let path = folder.path().join("file");
            std::fs::write(&path, vec![b'x'; size]).unwrap();
            assert_eq!(code(Source::open(&path, limits, &control)), expected);
            assert_eq!(code(spool(vec![b'x'; size].as_slice(), limits, &control)), expected);
        }
    }

    #[test]
    fn a_pipe_is_left_when_asked_to_stop() {
        let control = Control { stop: true.into(), ..Control::default() };
        assert!(matches!(spool(io::repeat(b'x'), Limits::default(), &control), Err(Stop::Interrupted)));
    }
}
