//! The documents that somebody named, by topic: what a run is matched against.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use crate::strings::Strings;

/// Topics in order of appearance; the named documents of each, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub topics: Strings,
    index: HashMap<Box<[u8]>, u32>,
    pub documents: Strings,
    /// Where the documents of each topic start, and at last where all end.
    pub starts: Vec<u32>,
}

impl Names {
    /// Join tables of (topic, document); for each row of each table, which named document it is.
    pub fn join(tables: &[(Strings, Vec<u32>, Strings)]) -> (Names, Vec<Vec<u32>>) {
        let mut names = Names::default();
        let mut documents: Vec<(HashMap<&[u8], u32>, Vec<&[u8]>)> = Vec::new();
        let mut local: Vec<Vec<(u32, u32)>> = Vec::new();
        for (topics, topic_of, documents_of) in tables {
            let topic: Vec<u32> = topics.iter().map(|t| names.topic_or_new(t)).collect();
            documents.resize_with(names.topics.len(), Default::default);
            let place = |(row, t): (usize, &u32)| {
                let t = topic[*t as usize];
                let (index, list) = &mut documents[t as usize];
                let document = documents_of.get(row);
                let next = list.len() as u32;
                let here = *index.entry(document).or_insert(next);
                if here == next {
                    list.push(document);
                }
                (t, here)
            };
            local.push(topic_of.iter().enumerate().map(place).collect());
        }
        names.starts = vec![0];
        for (_, list) in &documents {
            list.iter().for_each(|d| names.documents.push(d));
            names.starts.push(names.documents.len() as u32);
        }
        let rows = local.iter().map(|rows| rows.iter().map(|(t, d)| names.starts[*t as usize] + d).collect()).collect();
        (names, rows)
    }

    fn topic_or_new(&mut self, topic: &[u8]) -> u32 {
        let next = self.topics.len() as u32;
        let here = *self.index.entry(topic.into()).or_insert(next);
        if here == next {
            self.topics.push(topic);
        }
        here
    }

    pub fn topic(&self, topic: &[u8]) -> Option<usize> {
        self.index.get(topic).map(|t| *t as usize)
    }

    pub fn of(&self, topic: usize) -> std::ops::Range<usize> {
        self.starts[topic] as usize..self.starts[topic + 1] as usize
    }
}

/// A set of byte strings given by number, cleared and filled again for every topic. The hash has a random seed, so that
/// nobody can write a file in which all documents collide; equal means equal bytes.
pub struct Numbered {
    /// Upper half: the hash; lower half: number + 1; 0 is free.
    slots: Vec<u64>,
    seed: foldhash::fast::RandomState,
}

impl Default for Numbered {
    fn default() -> Self {
        Numbered { slots: Vec::new(), seed: foldhash::fast::RandomState::default() }
    }
}

impl Numbered {
    /// Empty it, with room for `expected` entries.
    pub fn reset(&mut self, expected: usize) {
        self.slots.clear();
        self.slots.resize((expected * 2).next_power_of_two().max(64), 0);
    }

    /// The number under which an equal string stands already; otherwise it is entered as `number`.
    #[inline]
    pub fn enter(&mut self, string: &[u8], number: u32, equal: impl Fn(u32) -> bool) -> Option<u32> {
        let mut hasher = self.seed.build_hasher();
        hasher.write(string);
        let hash = hasher.finish();
        let (mask, mark) = (self.slots.len() - 1, hash & 0xffff_ffff_0000_0000);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = mark | u64::from(number + 1);
                return None;
            }
            let here = slot as u32 - 1;
            if slot & 0xffff_ffff_0000_0000 == mark && equal(here) {
                return Some(here);
            }
            at = (at + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(all: &[&str]) -> Strings {
        all.iter().map(|s| s.as_bytes()).collect()
    }

    #[test]
    fn tables_join_by_topic_and_document() {
        let qrels = (strings(&["7", "9"]), vec![0, 1, 0], strings(&["a", "a", "b"]));
        let lengths = (strings(&["9", "11"]), vec![0, 0, 1], strings(&["a", "c", "a"]));
        let (names, rows) = Names::join(&[qrels, lengths]);
        assert_eq!(names.topics, strings(&["7", "9", "11"]));
        assert_eq!(names.documents, strings(&["a", "b", "a", "c", "a"]));
        assert_eq!(names.starts, [0, 2, 4, 5]);
        assert_eq!(rows, [vec![0, 2, 1], vec![2, 3, 4]]);
        assert_eq!(names.topic(b"11"), Some(2));
        assert_eq!(names.topic(b"8"), None);
    }

    #[test]
    fn equal_strings_are_found_and_others_are_not() {
        let all: Vec<String> = (0..5000).map(|i| format!("d{}", i % 3000)).collect();
        let mut set = Numbered::default();
        set.reset(all.len());
        for (i, s) in all.iter().enumerate() {
            let found = set.enter(s.as_bytes(), i as u32, |j| all[j as usize] == *s);
            assert_eq!(found, (i >= 3000).then(|| i as u32 - 3000));
        }
    }
}
