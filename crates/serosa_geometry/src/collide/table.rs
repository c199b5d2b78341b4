//! A hash table of cells: the first layer of the cascade.

/// Where no entry is.
const FREE: u32 = u32::MAX;

/// Values by the number of a cell. Entries lie in the order in which they came, so that nothing depends on the hash.
#[derive(Clone, Debug)]
pub(super) struct Table<V> {
    pub(super) entries: Vec<(u64, V)>,
    /// Numbers of entries, at least twice as many as these; a power of two.
    slots: Vec<u32>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self { entries: Vec::new(), slots: vec![FREE; 16] }
    }
}

impl<V> Table<V> {
    /// Empties it and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.slots.fill(FREE);
    }

    /// The value of a cell, if there is one. O(1) on average.
    pub(super) fn get(&self, cell: u64) -> Option<&V> {
        self.entries.get(self.slots[self.slot(cell)] as usize).map(|(_, value)| value)
    }

    /// The value of a cell, made where there is none. O(1) on average.
    pub(super) fn get_or_make(&mut self, cell: u64, make: impl FnOnce() -> V) -> &mut V {
        let mut slot = self.slot(cell);
        if self.slots[slot] == FREE {
            if 2 * self.entries.len() >= self.slots.len() {
                self.grow();
                slot = self.slot(cell);
            }
            self.slots[slot] = self.entries.len() as u32;
            self.entries.push((cell, make()));
        }
        &mut self.entries[self.slots[slot] as usize].1
    }

    /// The slot that leads to a cell, or the free one where it belongs.
    fn slot(&self, cell: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The high half of a product with an odd number (Knuth's multiplicative hash).
        let mut slot = (cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[slot] != FREE && self.entries[self.slots[slot] as usize].0 != cell {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 2 * self.slots.len()];
        for k in 0..self.entries.len() {
            let slot = self.slot(self.entries[k].0);
            self.slots[slot] = k as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn it_holds_what_a_tree_holds() {
        let (mut table, mut tree) = (Table::default(), BTreeMap::new());
        for round in 0..2 {
            for k in 0..20_000u64 {
                let cell = ((k * k) % 9973) << (k % 40);
                *table.get_or_make(cell, || 0) += k + round;
                *tree.entry(cell).or_insert(0) += k + round;
            }
            assert_eq!(table.entries.len(), tree.len());
            for cell in 0..20_000 {
                assert_eq!(table.get(cell), tree.get(&cell));
            }
            let mut sorted = table.entries.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(tree.clone()));
            table.clear();
            tree.clear();
        }
    }
}
