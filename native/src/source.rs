//! Where bytes come from: plain files in parts, compressed files and pipes as one stream; with their digest.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};

use blake3::hazmat::{ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};

use crate::problem::Problem;

/// One read, and one subtree of the BLAKE3 tree: a power of two, so that parts can be hashed apart.
pub const BLOCK: usize = 1 << 20;

/// What a file may cost before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes after unpacking.
    pub bytes: u64,
    /// Bytes after unpacking for each byte before it, once 64 MiB have come out.
    pub ratio: u64,
    /// Bytes of one line.
    pub line: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 40, ratio: 1000, line: 1 << 16 }
    }
}

/// What the caller and the threads say to each other while a file is read.
#[derive(Debug, Default)]
pub struct Control {
    pub stop: AtomicBool,
    /// Bytes of the file read so far, by all threads.
    pub done: AtomicU64,
}

/// Why reading ended early.
#[derive(Debug)]
pub enum Stop {
    Interrupted,
    /// A topic came back after others: the file needs the walk that gathers lines by topic.
    Scattered,
    Problem(Problem),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Problem(Problem {
            code: "E-READ",
            line: 0,
            message: format!("reading failed: {error}"),
            hint: "check the disk and try again".into(),
        })
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
    file: File,
    pub size: u64,
    pub packing: Packing,
}

fn problem(code: &'static str, message: impl Into<String>, hint: &str) -> Stop {
    Stop::Problem(Problem { code, line: 0, message: message.into(), hint: hint.into() })
}

impl Source {
    /// Open a file; `-` is standard input. Pipes are spooled to an unnamed file first, because a file may need two walks.
    pub fn open(path: &Path, control: &Control) -> Result<Source, Stop> {
        if path.as_os_str() == "-" {
            return Source::new(spool(io::stdin().lock(), control)?);
        }
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => problem("E-MISSING", "there is no such file", "check the name of the file"),
            io::ErrorKind::PermissionDenied => {
                problem("E-PERMISSION", "the file may not be read", "check its permissions")
            }
            _ => problem("E-READ", format!("the file cannot be opened: {error}"), "check the name of the file"),
        })?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(problem("E-FOLDER", "this is a folder, not a file", "name the files in it, as in folder/*"));
        }
        if about.is_file() { Source::new(file) } else { Source::new(spool(file, control)?) }
    }

    fn new(mut file: File) -> Result<Source, Stop> {
        let size = file.metadata()?.len();
        let mut magic = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        (&file).take(8).read_to_end(&mut magic)?;
        let packing = match magic.as_slice() {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            [b'P', b'K', 3, 4, ..] => {
                return Err(problem("E-ARCHIVE", "this is a zip archive", "unpack it and name the file inside"));
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let hint = "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE";
                return Err(problem("E-UTF16", "the text is UTF-16", hint));
            }
            _ => Packing::Plain,
        };
        Ok(Source { file, size, packing })
    }

    /// The first bytes after unpacking, to see what kind of file this is.
    pub fn head(&self, length: usize) -> Result<Vec<u8>, Stop> {
        let mut head = Vec::new();
        let raw = At { file: &self.file, offset: 0 };
        unpack(self.packing, raw).take(length as u64).read_to_end(&mut head).map_err(inflate_failed)?;
        Ok(head)
    }

    /// The bytes from `start` to `end` of a plain file.
    pub fn part(&self, start: u64, end: u64, control: &Arc<Control>) -> PartFeed<'_> {
        PartFeed { file: &self.file, at: start, end, size: self.size, digests: Vec::new(), control: control.clone() }
    }

    /// The whole of a packed file, unpacked by a thread of its own.
    pub fn stream(&self, limits: Limits, control: &Arc<Control>) -> Result<StreamFeed, Stop> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(StreamFeed::start(self.packing, file, limits, control.clone()))
    }
}

fn spool(mut pipe: impl Read, control: &Control) -> Result<File, Stop> {
    let mut file = tempfile::tempfile()?;
    let mut block = vec![0; BLOCK];
    loop {
        if control.stop.load(Relaxed) {
            return Err(Stop::Interrupted);
        }
        match pipe.read(&mut block) {
            Ok(0) => return Ok(file),
            Ok(n) => io::Write::write_all(&mut file, &block[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn inflate_failed(error: io::Error) -> Stop {
    problem(
        "E-INFLATE",
        format!("the compressed data is damaged or cut short ({error})"),
        "fetch or pack the file again",
    )
}

fn unpack<'a>(packing: Packing, raw: impl Read + 'a) -> Box<dyn Read + 'a> {
    let raw = io::BufReader::with_capacity(1 << 16, raw);
    match packing {
        Packing::Plain => Box::new(raw),
        Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
        Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        Packing::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(raw)),
        Packing::Zstd => match zstd::stream::read::Decoder::with_buffer(raw) {
            Ok(decoder) => Box::new(decoder),
            Err(error) => Box::new(Failed(Some(error))),
        },
    }
}

/// A reader whose making failed: says so at the first read.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Reads a shared file from its own place.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let n = std::os::unix::fs::FileExt::read_at(self.file, into, self.offset)?;
        #[cfg(windows)]
        let n = std::os::windows::fs::FileExt::seek_read(self.file, into, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

/// Hands over the bytes of a source, block by block.
pub trait Feed {
    /// Append more bytes; none means the end.
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop>;
}

pub struct PartFeed<'a> {
    file: &'a File,
    at: u64,
    end: u64,
    size: u64,
    /// Chaining values of the blocks that start in this part.
    pub digests: Vec<ChainingValue>,
    control: Arc<Control>,
}

impl Feed for PartFeed<'_> {
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop> {
        if self.control.stop.load(Relaxed) {
            return Err(Stop::Interrupted);
        }
        if self.at >= self.end {
            return Ok(0);
        }
        let (before, skip) = (into.len(), self.at % BLOCK as u64);
        let n = At { file: self.file, offset: self.at }.take(BLOCK as u64 - skip).read_to_end(into)? as u64;
        if skip == 0 && n > 0 {
            let mut hasher = blake3::Hasher::new();
            hasher.set_input_offset(self.at).update(&into[before..]);
            // A file of one block is the root of its tree.
            let root = self.size <= BLOCK as u64;
            self.digests.push(if root { *hasher.finalize().as_bytes() } else { hasher.finalize_non_root() });
        }
        let own = n.min(self.end - self.at);
        into.truncate(before + own as usize);
        self.at += n;
        self.control.done.fetch_add(own, Relaxed);
        Ok(own as usize)
    }
}

/// The BLAKE3 digest of a file, from the chaining values of its blocks.
pub fn digest(blocks: &[ChainingValue], size: u64) -> Result<String, Stop> {
    if size.div_ceil(BLOCK as u64) != blocks.len() as u64 {
        return Err(problem(
            "E-CHANGED",
            "the file changed while it was read",
            "wait until it is written, then try again",
        ));
    }
    let hash = match blocks {
        [] => blake3::hash(b""),
        [only] => blake3::Hash::from_bytes(*only),
        _ => {
            let (left, right) = halves(blocks, size);
            merge_subtrees_root(&left, &right, Mode::Hash)
        }
    };
    Ok(hash.to_hex().to_string())
}

fn halves(blocks: &[ChainingValue], size: u64) -> (ChainingValue, ChainingValue) {
    let left = left_subtree_len(size);
    let (a, b) = blocks.split_at((left / BLOCK as u64) as usize);
    (subtree(a, left), subtree(b, size - left))
}

fn subtree(blocks: &[ChainingValue], size: u64) -> ChainingValue {
    match blocks {
        [only] => *only,
        _ => {
            let (left, right) = halves(blocks, size);
            merge_subtrees_non_root(&left, &right, Mode::Hash)
        }
    }
}

enum Message {
    Bytes(Vec<u8>),
    End(String),
    Failed(Stop),
}

pub struct StreamFeed {
    blocks: Receiver<Message>,
    control: Arc<Control>,
    pub digest: String,
}

struct Hashed {
    file: File,
    hasher: blake3::Hasher,
    read: Arc<AtomicU64>,
    control: Arc<Control>,
}

impl Read for Hashed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(into)?;
        self.hasher.update(&into[..n]);
        self.read.fetch_add(n as u64, Relaxed);
        self.control.done.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

impl StreamFeed {
    fn start(packing: Packing, file: File, limits: Limits, control: Arc<Control>) -> StreamFeed {
        let (send, blocks) = sync_channel(4);
        let read = Arc::new(AtomicU64::new(0));
        let mut raw = Hashed { file, hasher: blake3::Hasher::new(), read: read.clone(), control: control.clone() };
        std::thread::spawn(move || {
            let end = (|| {
                let mut out = 0u64;
                let mut unpacked = unpack(packing, &mut raw);
                loop {
                    let mut block = Vec::with_capacity(BLOCK);
                    let n = (&mut unpacked).take(BLOCK as u64).read_to_end(&mut block).map_err(inflate_failed)?;
                    if n == 0 {
                        break;
                    }
                    out += n as u64;
                    if out > limits.bytes {
                        let hint = "raise the limit if the file is meant to be this large";
                        return Err(problem(
                            "E-SIZE",
                            format!("the file unpacks to more than {} bytes", limits.bytes),
                            hint,
                        ));
                    }
                    if out > 1 << 26 && out / limits.ratio > read.load(Relaxed) {
                        let message = format!("the file unpacks to more than {} times its size", limits.ratio);
                        return Err(problem("E-RATIO", message, "unpack it yourself if you trust it"));
                    }
                    if send.send(Message::Bytes(block)).is_err() {
                        return Err(Stop::Interrupted);
                    }
                }
                drop(unpacked);
                io::copy(&mut raw, &mut io::sink())?;
                Ok(raw.hasher.finalize().to_hex().to_string())
            })();
            let _ = send.send(end.map_or_else(Message::Failed, Message::End));
        });
        StreamFeed { blocks, control, digest: String::new() }
    }
}

impl Feed for StreamFeed {
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop> {
        if self.control.stop.load(Relaxed) {
            return Err(Stop::Interrupted);
        }
        match self.blocks.recv() {
            Ok(Message::Bytes(block)) => {
                into.extend_from_slice(&block);
                Ok(block.len())
            }
            Ok(Message::End(digest)) => {
                self.digest = digest;
                Ok(0)
            }
            Ok(Message::Failed(stop)) => Err(stop),
            Err(_) => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn written(bytes: &[u8]) -> (tempfile::NamedTempFile, Source) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let source = Source::open(file.path(), &Control::default()).unwrap();
        (file, source)
    }

    fn drain(feed: &mut dyn Feed) -> Result<Vec<u8>, Stop> {
        let mut all = Vec::new();
        while feed.more(&mut all)? > 0 {}
        Ok(all)
    }

    #[test]
    fn the_digest_of_parts_is_the_digest_of_the_whole() {
        for size in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 17, 5 * BLOCK] {
            let bytes: Vec<u8> = (0..size).map(|i| (i * 31 % 251) as u8 | 1).collect();
            let (_keep, source) = written(&bytes);
            let control = Arc::default();
            for middle in [0, size as u64 / 2, size as u64 / 3 + 1, BLOCK as u64].map(|m| m.min(size as u64)) {
                let (mut a, mut b) = (source.part(0, middle, &control), source.part(middle, size as u64, &control));
                assert!([drain(&mut a).unwrap(), drain(&mut b).unwrap()].concat() == bytes);
                let blocks = [a.digests, b.digests].concat();
                assert_eq!(digest(&blocks, size as u64).unwrap(), blake3::hash(&bytes).to_hex().to_string(), "{size}");
            }
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_member_of_a_packed_file_is_read() {
        let bz = |b: &[u8]| {
            let mut e = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            e.write_all(b).unwrap();
            e.finish().unwrap()
        };
        let xz = |b: &[u8]| {
            let mut e = liblzma::write::XzEncoder::new(Vec::new(), 1);
            e.write_all(b).unwrap();
            e.finish().unwrap()
        };
        let zst = |b: &[u8]| zstd::encode_all(b, 1).unwrap();
        let packers: [&dyn Fn(&[u8]) -> Vec<u8>; 4] = [&|b| gzip(b), &bz, &xz, &zst];
        for pack in packers {
            let packed = [pack(b"first\n"), pack(b"second\n")].concat();
            let (_keep, source) = written(&packed);
            let mut feed = source.stream(Limits::default(), &Arc::default()).unwrap();
            assert_eq!(drain(&mut feed).unwrap(), b"first\nsecond\n");
            assert_eq!(feed.digest, blake3::hash(&packed).to_hex().to_string());
        }
    }

    #[test]
    fn a_cut_or_exploding_file_is_refused() {
        let whole = gzip(&[b'x'; 5000]);
        let (_keep, source) = written(&whole[..whole.len() - 9]);
        let cut = drain(&mut source.stream(Limits::default(), &Arc::default()).unwrap());
        assert!(matches!(cut, Err(Stop::Problem(p)) if p.code == "E-INFLATE"));
        let (_keep, source) = written(&gzip(&vec![b'x'; 100 << 20]));
        let limits = Limits { ratio: 50, ..Limits::default() };
        let bomb = drain(&mut source.stream(limits, &Arc::default()).unwrap());
        assert!(matches!(bomb, Err(Stop::Problem(p)) if p.code == "E-RATIO"));
        let limits = Limits { bytes: 4000, ..Limits::default() };
        let large = drain(&mut source.stream(limits, &Arc::default()).unwrap());
        assert!(matches!(large, Err(Stop::Problem(p)) if p.code == "E-SIZE"));
    }

    #[test]
    fn folders_archives_and_missing_files_say_so() {
        let code = |path: &Path| match Source::open(path, &Control::default()) {
            Err(Stop::Problem(p)) => p.code,
            _ => "opened",
        };
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(code(folder.path()), "E-FOLDER");
        assert_eq!(code(&folder.path().join("none")), "E-MISSING");
        for (bytes, expected) in [(b"PK\x03\x04..".as_slice(), "E-ARCHIVE"), (b"\xff\xfe3\x00", "E-UTF16")] {
            let path = folder.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(code(&path), expected);
        }
    }
}
