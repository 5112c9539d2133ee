//! The documents that somebody named, by topic: what a run is matched against.

use std::collections::HashMap;

use crate::numbered::Numbered;
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
        let mut set = Numbered::default();
        set.reset(tables.iter().map(|(_, topic_of, _)| topic_of.len()).sum());
        // The distinct pairs in order of appearance: topic, place among those of the topic, document.
        let mut pairs: Vec<(u32, u32, &[u8])> = Vec::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for (topics, topic_of, documents) in tables {
            let topic: Vec<u32> = topics.iter().map(|t| names.topic_or_new(t)).collect();
            counts.resize(names.topics.len(), 0);
            let number = |(local, document): (&u32, _)| {
                let (topic, next) = (topic[*local as usize], pairs.len() as u32);
                let equal = |i: u32| pairs[i as usize].0 == topic && pairs[i as usize].2 == document;
                set.enter(set.hash_of(topic, document), next, equal).unwrap_or_else(|| {
                    pairs.push((topic, counts[topic as usize], document));
                    counts[topic as usize] += 1;
                    next
                })
            };
            rows.push(topic_of.iter().zip(documents.iter()).map(number).collect());
        }
        let starts = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        names.starts = std::iter::once(0).chain(starts).collect();
        let place = |(topic, place, _): &(u32, u32, &[u8])| names.starts[*topic as usize] + place;
        let mut grouped = vec![b"".as_slice(); pairs.len()];
        pairs.iter().for_each(|pair| grouped[place(pair) as usize] = pair.2);
        rows.iter_mut().flatten().for_each(|row| *row = place(&pairs[*row as usize]));
        names.documents = grouped.into_iter().collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(all: &[&str]) -> Strings {
        all.iter().map(|s| s.as_bytes()).collect()
    }

    #[test]
    fn tables_join_by_topic_and_document() {
        let qrels = (strings(&["7", "9"]), vec![0, 1, 0, 1], strings(&["a", "a", "b", "a"]));
        let lengths = (strings(&["9", "11"]), vec![0, 0, 1], strings(&["a", "c", "a"]));
        let (names, rows) = Names::join(&[qrels, lengths]);
        assert_eq!(names.topics, strings(&["7", "9", "11"]));
        assert_eq!(names.documents, strings(&["a", "b", "a", "c", "a"]));
        assert_eq!(names.starts, [0, 2, 4, 5]);
        assert_eq!(rows, [vec![0, 2, 1, 2], vec![2, 3, 4]]);
        assert_eq!(names.topic(b"11"), Some(2));
        assert_eq!(names.topic(b"8"), None);
        assert_eq!(Names::join(&[]).0.starts, [0]);
    }
}
