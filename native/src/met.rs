//! A run by the topics in which somebody named documents.

use crate::names::Names;
use crate::rank::Ranked;
use crate::strings::Strings;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Met {
    /// Where the found documents of each topic start, and at last where all end.
    pub starts: Vec<i64>,
    pub retrieved: Vec<i32>,
    pub tied: Vec<i32>,
    /// Topics of the run in which nobody named a document.
    pub unknown: Strings,
}

impl Met {
    /// Put the found documents of a run in the order in which topics were named.
    pub fn of(ranked: &mut Ranked, names: &Names) -> Met {
        let mut row_of = vec![None; names.topics.len()];
        let mut met = Met { starts: vec![0], ..Met::default() };
        for (row, topic) in ranked.topics.iter().enumerate() {
            match names.topic(topic) {
                Some(t) => row_of[t] = Some(row),
                None => met.unknown.push(topic),
            }
        }
        let (mut places, mut end) = (Vec::with_capacity(row_of.len()), 0);
        for row in row_of {
            let place = row.map_or(0..0, |row| ranked.found_of(row));
            let (retrieved, tied) = row.map_or((0, 0), |row| (ranked.rows[row].retrieved, ranked.rows[row].tied));
            end += place.len() as i64;
            met.starts.push(end);
            met.retrieved.push(retrieved as i32);
            met.tied.push(tied as i32);
            places.push(place);
        }
        places.retain(|place| !place.is_empty());
        ranked.found = std::mem::take(&mut ranked.found).in_order(&places);
        met
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::problem::Problems;
    use crate::rank::{Topic, Wanted};

    #[test]
    fn topics_stand_as_they_were_named_and_others_are_told() {
        let strings = |all: &[&str]| all.iter().map(|one| one.as_bytes()).collect::<Strings>();
        let table = (strings(&["7", "9", "11"]), vec![0, 0, 1, 2], strings(&["a", "b", "a", "c"]));
        let names = Arc::new(Names::join(&[table]).0);
        let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
        for (name, documents) in [("11", ["x", "c"]), ("8", ["a", "b"]), ("7", ["b", "a"])] {
            let mut topic = Topic { name: name.into(), ..Topic::default() };
            documents.iter().for_each(|document| topic.push(document.as_bytes(), 1.0, 1));
            ranked.add(&topic, &Wanted { names: Some(names.clone()), ..Wanted::default() }, &mut problems).unwrap();
        }
        let met = Met::of(&mut ranked, &names);
        // Both documents of a topic share their score; the higher id stands first.
        assert_eq!(ranked.found.document, [1, 0, 3]);
        assert_eq!(ranked.found.rank, [1, 2, 2]);
        assert_eq!((met.starts, met.retrieved, met.tied), (vec![0, 2, 2, 3], vec![2, 0, 2], vec![2, 0, 2]));
        assert_eq!(met.unknown, strings(&["8"]));
    }
}
