//! The reader of cranfield: read, inflate, match, rank. Nothing else.

pub mod names;
pub mod number;
pub mod problem;
pub mod qrels;
pub mod rank;
pub mod run;
pub mod source;
pub mod strings;
pub mod text;

#[cfg(feature = "python")]
mod python;
