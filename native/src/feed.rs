//! The bytes of a source, block by block, with their digest.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use blake3::hazmat::{ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};
use liblzma::stream::{CONCATENATED, Stream};

use crate::source::{Control, Limits, Packing, Stop, too_large};

/// One read, and one subtree of the BLAKE3 tree: a power of two, so that parts can be hashed apart.
pub const BLOCK: usize = 1 << 20;

pub trait Feed {
    /// Append more bytes; none means the end.
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop>;
}

/// Reads a shared file from a place of its own: a file has only one cursor, and a walk that was given up may still read.
struct At<F> {
    file: F,
    offset: u64,
}

impl<F: std::ops::Deref<Target = File>> Read for At<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let n = std::os::unix::fs::FileExt::read_at(&*self.file, into, self.offset)?;
        #[cfg(windows)]
        let n = std::os::windows::fs::FileExt::seek_read(&*self.file, into, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

/// A part of a plain file, as large as the file was when it was opened.
pub struct PartFeed<'a> {
    file: &'a File,
    size: u64,
    part: Range<u64>,
    /// Chaining values of the blocks that start in this part.
    pub digests: Vec<ChainingValue>,
    control: Arc<Control>,
}

impl<'a> PartFeed<'a> {
    pub fn new(file: &'a File, size: u64, part: Range<u64>, control: Arc<Control>) -> Self {
        PartFeed { file, size, part, digests: Vec::new(), control }
    }
}

impl Feed for PartFeed<'_> {
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop> {
        self.control.check()?;
        let at = self.part.start;
        if at >= self.part.end {
            return Ok(0);
        }
        let (before, skip) = (into.len(), at % BLOCK as u64);
        // To the end of the block, even where the part ends before: whoever starts a block hashes it.
        let n = (BLOCK as u64 - skip).min(self.size - at);
        if before == 0 {
            // What is left of a block when the next one comes is mostly short: room for it spares a copy.
            into.reserve_exact(n as usize + (1 << 12));
        }
        into.resize(before + n as usize, 0);
        At { file: self.file, offset: at }.read_exact(&mut into[before..]).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => changed(),
            _ => error.into(),
        })?;
        if skip == 0 {
            let mut hasher = blake3::Hasher::new();
            hasher.set_input_offset(at).update(&into[before..]);
            // A file of one block is the root of its tree.
            let root = self.size <= BLOCK as u64;
            self.digests.push(if root { *hasher.finalize().as_bytes() } else { hasher.finalize_non_root() });
        }
        let own = n.min(self.part.end - at);
        into.truncate(before + own as usize);
        self.part.start += n;
        self.control.done.fetch_add(own, Relaxed);
        Ok(own as usize)
    }
}

fn changed() -> Stop {
    Stop::problem("E-CHANGED", "the file changed while it was read", "wait until it is written, then try again")
}

/// The BLAKE3 digest of a file, from the chaining values of its blocks.
pub fn digest(blocks: &[ChainingValue], size: u64) -> Result<String, Stop> {
    if size.div_ceil(BLOCK as u64) != blocks.len() as u64 {
        return Err(changed());
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

fn inflate_failed(error: io::Error) -> Stop {
    let said = error.to_string();
    // Both xz and zstd say so in words only: the file asks for a window larger than any usual level has.
    let (what, hint) = if said.contains("memory") {
        ("unpacking needs too much memory", "pack it again, with xz -9 or zstd -19 at most")
    } else {
        ("the compressed data is damaged or cut short", "fetch or pack the file again")
    };
    Stop::problem("E-INFLATE", format!("{what} ({said})"), hint)
}

/// A file may ask for 4 GiB; xz -9 asks for 65 MiB.
const XZ_MEMORY: u64 = 1 << 28;

fn unpack<'a>(packing: Packing, raw: impl Read + 'a) -> Result<Box<dyn Read + 'a>, Stop> {
    let raw = io::BufReader::with_capacity(1 << 16, raw);
    Ok(match packing {
        Packing::Plain => Box::new(raw),
        Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
        Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        Packing::Xz => {
            let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED);
            let stream = stream.map_err(|error| inflate_failed(error.into()))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(raw, stream))
        }
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(raw).map_err(inflate_failed)?),
    })
}

/// The first bytes of what is packed; those before the damage where it is damaged, which is for the walk to find.
pub fn first_bytes(packing: Packing, file: &File, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(unpacked) = unpack(packing, At { file, offset: 0 }) {
        let _ = unpacked.take(most).read_to_end(&mut bytes);
    }
    bytes
}

/// The start of a file, to see what kind of file it is: small pieces, and of a packed one an end after 16 MiB.
pub struct HeadFeed<'a> {
    packing: Packing,
    unpacked: io::Take<Box<dyn Read + 'a>>,
    control: Arc<Control>,
}

impl<'a> HeadFeed<'a> {
    pub fn new(packing: Packing, file: &'a File, control: Arc<Control>) -> Result<Self, Stop> {
        let most = if packing == Packing::Plain { u64::MAX } else { 1 << 24 };
        let unpacked = unpack(packing, At { file, offset: 0 })?.take(most);
        Ok(HeadFeed { packing, unpacked, control })
    }
}

impl Feed for HeadFeed<'_> {
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop> {
        self.control.check()?;
        let failed = if self.packing == Packing::Plain { Stop::from } else { inflate_failed };
        (&mut self.unpacked).take(1 << 14).read_to_end(into).map_err(failed)
    }
}

enum Message {
    Bytes(Vec<u8>),
    End(String),
    Failed(Stop),
}

/// A packed file, unpacked by a thread of its own.
pub struct StreamFeed {
    blocks: Receiver<Message>,
    control: Arc<Control>,
    /// The digest of the file as it is packed; empty until the end is reached.
    pub digest: String,
}

impl StreamFeed {
    pub fn start(packing: Packing, file: Arc<File>, limits: Limits, control: Arc<Control>) -> Result<StreamFeed, Stop> {
        let (send, blocks) = sync_channel(4);
        let file = At { file, offset: 0 };
        let raw = Hashed { file, hasher: blake3::Hasher::new(), read: Arc::default(), control: control.clone() };
        std::thread::Builder::new().spawn(move || {
            let end = send_all(packing, raw, limits, &send);
            // Nobody listens any more where the walk ended early.
            let _ = send.send(end.map_or_else(Message::Failed, Message::End));
        })?;
        Ok(StreamFeed { blocks, control, digest: String::new() })
    }
}

/// Unpack and send everything; the digest of the file.
fn send_all(packing: Packing, mut raw: Hashed, limits: Limits, send: &SyncSender<Message>) -> Result<String, Stop> {
    let (mut out, read) = (0u64, raw.read.clone());
    let mut unpacked = unpack(packing, &mut raw)?;
    loop {
        let mut block = Vec::with_capacity(BLOCK);
        let n = (&mut unpacked).take(BLOCK as u64).read_to_end(&mut block).map_err(inflate_failed)?;
        if n == 0 {
            break;
        }
        out += n as u64;
        if out > limits.bytes {
            return Err(too_large(limits));
        }
        if out > 1 << 26 && out / limits.ratio.max(1) > read.load(Relaxed) {
            let message = format!("the file unpacks to more than {} times its size", limits.ratio);
            return Err(Stop::problem("E-RATIO", message, "unpack it yourself if you trust it"));
        }
        if send.send(Message::Bytes(block)).is_err() {
            return Err(Stop::Interrupted);
        }
    }
    drop(unpacked);
    // What a decoder left unread is part of the file too.
    io::copy(&mut raw, &mut io::sink())?;
    Ok(raw.hasher.finalize().to_hex().to_string())
}

impl Feed for StreamFeed {
    fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Stop> {
        self.control.check()?;
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
            Err(_) if !self.digest.is_empty() => Ok(0),
            Err(_) => Err(Stop::problem("E-INFLATE", "unpacking broke off", "please report this file")),
        }
    }
}

struct Hashed {
    file: At<Arc<File>>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use std::io::Write;

    fn written(bytes: &[u8]) -> (tempfile::NamedTempFile, Source) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let source = Source::open(file.path(), Limits::default(), &Control::default()).unwrap();
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
        type Pack = fn(&[u8]) -> Vec<u8>;
        let packers: [Pack; 4] = [gzip, bz, xz, zst];
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
    fn a_file_that_shrinks_is_refused_and_one_that_grows_is_read_as_it_was() {
        let bytes = vec![b'x'; BLOCK + 100];
        let (keep, source) = written(&bytes);
        keep.as_file().set_len(BLOCK as u64 + 500).unwrap();
        let mut feed = source.part(0, source.size, &Arc::default());
        assert!(drain(&mut feed).unwrap() == bytes);
        assert_eq!(digest(&feed.digests, source.size).unwrap(), blake3::hash(&bytes).to_hex().to_string());
        for less in [BLOCK as u64 + 99, BLOCK as u64, 5, 0] {
            keep.as_file().set_len(less).unwrap();
            let end = drain(&mut source.part(0, source.size, &Arc::default()));
            assert!(matches!(end, Err(Stop::Problem(p)) if p.code == "E-CHANGED"));
        }
    }
}
