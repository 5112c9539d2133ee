//! The reader of cranfield: read, inflate, match, rank. Nothing else.

pub mod alike;
pub mod checks;
pub mod feed;
pub mod found;
pub mod many;
pub mod met;
pub mod names;
pub mod number;
pub mod numbered;
pub mod part;
pub mod problem;
pub mod qrels;
pub mod rank;
pub mod run;
pub mod source;
pub mod strings;
pub mod text;
pub mod walk;

#[cfg(feature = "python")]
mod python;
