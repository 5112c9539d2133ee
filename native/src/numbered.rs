//! Sets of strings that stand elsewhere, known by number.

use std::hash::{BuildHasher, Hasher};

/// So many entries fit in a set, and no count that goes to Python is larger: it has 32 bits and a sign there.
pub const MOST: usize = i32::MAX as usize;

/// A set of strings given by number. The hash has a random seed, so that nobody can write a file in which all documents
/// collide; equal means equal bytes.
#[derive(Clone, Default)]
pub struct Numbered {
    /// Upper half: the upper half of the hash; lower half: number + 1; 0 is free. A power of two of them.
    slots: Vec<u64>,
    count: usize,
    seed: foldhash::fast::RandomState,
}

const HASH: u64 = 0xffff_ffff_0000_0000;

impl Numbered {
    /// Empty it, with room for `expected` entries.
    pub fn reset(&mut self, expected: usize) {
        self.count = 0;
        self.slots.clear();
        self.slots.resize((expected * 2).next_power_of_two().max(64), 0);
    }

    #[inline]
    pub fn hash(&self, string: &[u8]) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write(string);
        hasher.finish()
    }

    /// The hash of a string of some kind: the same bytes may be a document of two topics.
    #[inline]
    pub fn hash_of(&self, kind: u32, string: &[u8]) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write_u32(kind);
        hasher.write(string);
        hasher.finish()
    }

    /// The number under which an equal string stands already; otherwise it is entered as `number`, which is below `MOST`.
    #[inline]
    pub fn enter(&mut self, hash: u64, number: u32, equal: impl Fn(u32) -> bool) -> Option<u32> {
        if self.count * 2 >= self.slots.len() {
            self.grow();
        }
        let mut at = self.place(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = hash & HASH | (u64::from(number) + 1);
                self.count += 1;
                return None;
            }
            let here = slot as u32 - 1;
            if slot & HASH == hash & HASH && equal(here) {
                return Some(here);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Where to look first: decided by the half of the hash that is kept, so that growing needs no strings.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; (self.slots.len() * 2).max(64)];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot != 0 {
                let mut at = self.place(slot);
                while self.slots[at] != 0 {
                    at = (at + 1) & (self.slots.len() - 1);
                }
                self.slots[at] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_found_and_others_are_not() {
        let all: Vec<String> = (0..5000).map(|i| format!("d{}", i % 3000)).collect();
        for expected in [0, 100, all.len()] {
            let mut set = Numbered::default();
            set.reset(expected);
            for (i, s) in all.iter().enumerate() {
                let found = set.enter(set.hash(s.as_bytes()), i as u32, |j| all[j as usize] == *s);
                assert_eq!(found, (i >= 3000).then(|| i as u32 - 3000));
            }
        }
    }

    #[test]
    fn an_unused_set_takes_entries() {
        let mut set = Numbered::default();
        assert_eq!(set.enter(set.hash_of(1, b"a"), 0, |_| true), None);
        assert_eq!(set.enter(set.hash_of(1, b"a"), 1, |_| true), Some(0));
    }
}
