//! Read a run against its qrels, as Python would, and say how long it took: the thing to profile.
//!
//!     cargo run --release --no-default-features --example read -- RUN QRELS THREADS TIMES

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cranfield_native::names::Names;
use cranfield_native::qrels::{Reading, read_qrels};
use cranfield_native::rank::Wanted;
use cranfield_native::run::{Parts, read_run};
use cranfield_native::source::{Limits, Stop};

fn main() -> Result<(), Stop> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [run, qrels, threads, times] = given.as_slice() else {
        eprintln!("usage: read RUN QRELS THREADS TIMES");
        return Ok(());
    };
    let (threads, times) = (threads.parse().unwrap_or(1), times.parse().unwrap_or(1));
    for _ in 0..times {
        let (start, control) = (Instant::now(), Arc::default());
        let judged = read_qrels(Path::new(qrels), Reading::default(), Limits::default(), &control)?;
        let judged_in = start.elapsed();
        let (names, _) = Names::join(&[(judged.topics, judged.topic, judged.document)]);
        let joined_in = start.elapsed() - judged_in;
        let start = Instant::now();
        let wanted = Wanted { names: Some(Arc::new(names)), ..Wanted::default() };
        let read = read_run(Path::new(run), &wanted, Parts::new(threads), Limits::default(), &control)?;
        println!(
            "qrels {judged_in:.3?}, names {joined_in:.3?}, run {:.3?}: {} lines, {} found, {}",
            start.elapsed(),
            read.lines,
            read.ranked.found.len(),
            &read.digest[..8]
        );
    }
    Ok(())
}
