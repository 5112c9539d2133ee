//! Reading a run: parts side by side, each walked once, topics ranked as they end.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::feed::{BLOCK, digest};
use crate::met::Met;
use crate::number;
use crate::part::Part;
use crate::problem::Problems;
use crate::rank::{Ranked, Ties, Wanted};
use crate::source::{Control, Limits, Packing, Source, Stop};
use crate::text::{Seen, columns, lines, no_json};
use crate::walk::{Format, Walk};

/// Into how many parts a plain file may be cut, to be walked side by side.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub most: usize,
    /// Bytes below which a part is not worth a thread.
    pub least: u64,
}

impl Parts {
    pub fn new(threads: usize) -> Parts {
        Parts { most: threads, least: 4 * BLOCK as u64 }
    }
}

/// A run as it was read.
pub struct RunRead {
    pub ranked: Ranked,
    /// By topic of the names, where documents were named.
    pub met: Option<Met>,
    pub problems: Problems,
    pub lines: u64,
    pub tag: String,
    pub header: String,
    pub digest: String,
    pub format: Format,
}

/// Read a run: rank every topic, match the named documents. What is wrong with it is in `problems`.
pub fn read_run(
    path: &Path,
    wanted: &Wanted,
    parts: Parts,
    limits: Limits,
    control: &Arc<Control>,
) -> Result<RunRead, Stop> {
    let source = Source::open(path, limits, control)?;
    let format = sniff(&source, limits, control)?;
    let parts = Parts { most: if limits.count() { 1 } else { parts.most }, ..parts };
    let reading = Reading { source: &source, format, wanted, limits, control };
    match reading.walk(parts, false) {
        Err(Stop::Scattered) => reading.walk(Parts { most: 1, ..parts }, true),
        end => end,
    }
}

/// The lines that start with `#` before the first line of data, and nothing of what follows them.
pub fn read_header(path: &Path, limits: Limits, control: &Arc<Control>) -> Result<String, Stop> {
    let source = Source::open(path, limits, control)?;
    let mut seen = Seen::default();
    lines(&mut source.start(control)?, 0, limits, &mut seen, &mut Problems::default(), |_, _| Ok(false))?;
    Ok(String::from_utf8_lossy(&seen.header).into_owned())
}

/// What kind of run the first line of data shows.
fn sniff(source: &Source, limits: Limits, control: &Arc<Control>) -> Result<Format, Stop> {
    let mut format = Format::Trec;
    lines(&mut source.start(control)?, 0, limits, &mut Seen::default(), &mut Problems::default(), |line, _| {
        format = format_of(line.bytes)?;
        Ok(false)
    })?;
    Ok(format)
}

fn format_of(line: &[u8]) -> Result<Format, Stop> {
    no_json(line)?;
    let mut field = [b"".as_slice(); 4];
    match columns(line, &mut field) {
        3 => Ok(Format::Msmarco),
        4 if number::whole(field[3]).is_some() => {
            let message = "this looks like qrels where a run is expected";
            Err(Stop::problem("E-SWAPPED", message, "the qrels come first, then the runs"))
        }
        _ => Ok(Format::Trec),
    }
}

/// All that the walks through one file share.
struct Reading<'a> {
    source: &'a Source,
    format: Format,
    wanted: &'a Wanted,
    limits: Limits,
    control: &'a Arc<Control>,
}

impl Reading<'_> {
    fn walk(&self, parts: Parts, gather: bool) -> Result<RunRead, Stop> {
        let (mut part, digest) = if self.source.packing == Packing::Plain {
            let borders = self.borders(parts)?;
            // What was read to find the format and the borders is read again.
            self.control.done.store(0, Relaxed);
            let part = self.side_by_side(&borders, gather)?;
            let digest = digest(&part.digests, self.source.size)?;
            (part, digest)
        } else {
            self.control.done.store(0, Relaxed);
            let mut feed = self.source.stream(self.limits, self.control)?;
            let part = Walk::new(self.format, self.wanted, self.limits, gather).through(&mut feed, 0)?;
            (part, feed.digest)
        };
        let ranks_decide = self.format == Format::Msmarco || self.wanted.ties == Ties::Rank;
        part.report(gather, ranks_decide);
        let met = self.wanted.names.as_ref().map(|names| Met::of(&mut part.ranked, names));
        Ok(RunRead {
            met,
            lines: part.seen.lines,
            tag: String::from_utf8_lossy(&part.tag.unwrap_or_default().0).into_owned(),
            header: String::from_utf8_lossy(&part.seen.header).into_owned(),
            ranked: part.ranked,
            problems: part.problems,
            digest,
            format: self.format,
        })
    }

    fn side_by_side(&self, borders: &[u64], gather: bool) -> Result<Part, Stop> {
        let walk = |from: u64, to: u64| {
            let mut feed = self.source.part(from, to, self.control);
            let mut part = Walk::new(self.format, self.wanted, self.limits, gather).through(&mut feed, from)?;
            part.digests = feed.digests;
            Ok(part)
        };
        std::thread::scope(|scope| {
            let spawn = |ends: &[u64]| {
                let (from, to) = (ends[0], ends[1]);
                std::thread::Builder::new().spawn_scoped(scope, move || walk(from, to))
            };
            let later: Vec<_> = borders.windows(2).skip(1).map(spawn).collect::<Result<_, _>>()?;
            let mut all: Part = walk(borders[0], borders[1])?;
            for part in later {
                let part: Result<Part, Stop> = part.join().unwrap_or_else(|panic| resume_unwind(panic));
                all.append(part.map_err(|stop| stop.after(all.seen.lines))?)?;
            }
            Ok(all)
        })
    }

    /// Where to cut a plain file: where topics begin, into about equal parts.
    fn borders(&self, parts: Parts) -> Result<Vec<u64>, Stop> {
        let size = self.source.size;
        let count = (parts.most as u64).clamp(1, (size / parts.least.max(1)).max(1));
        let mut borders = vec![0];
        for i in 1..count {
            let (from, to) = (size / count * i, size / count * (i + 1));
            if let Some(border) = self.border(from.max(1), to)?
                && borders.last().is_some_and(|last| border > *last)
            {
                borders.push(border);
            }
        }
        borders.push(size);
        Ok(borders)
    }

    /// The first place from `from` to `to` where a topic begins. A walk would turn there too, whatever the lines hold.
    fn border(&self, from: u64, to: u64) -> Result<Option<u64>, Stop> {
        let (mut topic, mut border) = (None, None);
        let mut feed = self.source.part(from - 1, self.source.size, self.control);
        let (mut seen, mut problems) = (Seen::starting_at(from), Problems::default());
        let end = lines(&mut feed, from - 1, self.limits, &mut seen, &mut problems, |line, _| {
            let mut field = [b"".as_slice(); 1];
            // The rest of a line that started before is no line.
            if line.offset >= from && self.format.fits(columns(line.bytes, &mut field), self.wanted) {
                let first = topic.get_or_insert_with(|| field[0].to_vec());
                border = (*first != field[0]).then_some(line.offset);
            }
            Ok(border.is_none() && line.offset < to)
        });
        match end {
            // A line that is too long is for the walk to find: it knows its number.
            Err(Stop::Problem(problem)) if problem.code == "E-LINE" => Ok(None),
            end => end.map(|()| border),
        }
    }
}
