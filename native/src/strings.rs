//! Many short strings in one piece of memory.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    bytes: Vec<u8>,
    /// Where each string starts, and at last where all end.
    starts: Vec<usize>,
}

impl Default for Strings {
    fn default() -> Self {
        Strings { bytes: Vec::new(), starts: vec![0] }
    }
}

impl Strings {
    #[inline]
    pub fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.starts.push(self.bytes.len());
    }

    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        &self.bytes[self.starts[i]..self.starts[i + 1]]
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.starts.truncate(1);
    }

    pub fn append(&mut self, other: &Strings) {
        let here = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.starts.extend(other.starts[1..].iter().map(|s| s + here));
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(i))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn starts(&self) -> &[usize] {
        &self.starts
    }
}

impl<'a> FromIterator<&'a [u8]> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(items: I) -> Self {
        let mut all = Strings::default();
        items.into_iter().for_each(|s| all.push(s));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_pushed() {
        let mut all: Strings = [b"a".as_slice(), b"", "é".as_bytes()].into_iter().collect();
        all.append(&[b"z".as_slice()].into_iter().collect());
        assert_eq!(all.iter().collect::<Vec<_>>(), [b"a".as_slice(), b"", "é".as_bytes(), b"z"]);
        all.clear();
        assert!(all.is_empty());
    }
}
