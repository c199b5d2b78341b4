//! The fewest nodes that touch all edges between two sides.

/// Which nodes of the left and of the right side touch all edges and are the fewest that do.
///
/// `edges` are those of each left node. By a largest matching, found by augmenting paths, and König's theorem: with Z what
/// alternating paths reach from unmatched left nodes, the left nodes outside Z and the right ones in it. Cost at most
/// left nodes × edges; a greedy start makes it far less on cuts of meshes.
pub fn smallest_cover(edges: &[Vec<u32>], right: usize) -> (Vec<bool>, Vec<bool>) {
    let mut matching = Matching { edges, of_left: vec![None; edges.len()], of_right: vec![None; right] };
    for (left, others) in edges.iter().enumerate() {
        if let Some(free) = others.iter().find(|r| matching.of_right[**r as usize].is_none()) {
            matching.of_left[left] = Some(*free);
            matching.of_right[*free as usize] = Some(left as u32);
        }
    }
    let mut seen = vec![u32::MAX; right];
    for left in 0..edges.len() as u32 {
        if matching.of_left[left as usize].is_none() {
            matching.augment(left, left, &mut seen);
        }
    }
    matching.cover()
}

struct Matching<'a> {
    edges: &'a [Vec<u32>],
    of_left: Vec<Option<u32>>,
    of_right: Vec<Option<u32>>,
}

impl Matching<'_> {
    /// Finds a path from an unmatched left node to an unmatched right one and swaps the edges along it.
    /// Right nodes seen in this round are marked with its number.
    fn augment(&mut self, start: u32, round: u32, seen: &mut [u32]) {
        // Left nodes on the way, each with how many of its edges were tried; without recursion, as paths may be long.
        let mut path = vec![(start, 0)];
        while let Some((left, tried)) = path.last_mut() {
            let Some(right) = self.edges[*left as usize].get(*tried).copied() else {
                path.pop();
                continue;
            };
            *tried += 1;
            if seen[right as usize] == round {
                continue;
            }
            seen[right as usize] = round;
            match self.of_right[right as usize] {
                Some(next) => path.push((next, 0)),
                None => return self.swap(&path),
            }
        }
    }

    fn swap(&mut self, path: &[(u32, usize)]) {
        for (left, tried) in path {
            let right = self.edges[*left as usize][tried - 1];
            self.of_left[*left as usize] = Some(right);
            self.of_right[right as usize] = Some(*left);
        }
    }

    fn cover(&self) -> (Vec<bool>, Vec<bool>) {
        let mut left = vec![true; self.of_left.len()];
        let mut right = vec![false; self.of_right.len()];
        let mut open: Vec<u32> =
            (0..left.len() as u32).filter(|l| self.of_left[*l as usize].is_none()).collect();
        open.iter().for_each(|l| left[*l as usize] = false);
        while let Some(from) = open.pop() {
            for to in &self.edges[from as usize] {
                if !std::mem::replace(&mut right[*to as usize], true)
                    && let Some(next) = self.of_right[*to as usize]
                    && std::mem::replace(&mut left[next as usize], false)
                {
                    open.push(next);
                }
            }
        }
        (left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of the smallest cover, by trying all.
    fn exhaustive(edges: &[Vec<u32>], right: usize) -> u32 {
        let covers = |set: u32| {
            edges.iter().enumerate().all(|(l, others)| {
                others.iter().all(|r| set >> l & 1 == 1 || set >> (edges.len() as u32 + r) & 1 == 1)
            })
        };
        (0..1u32 << (edges.len() + right)).filter(|set| covers(*set)).map(u32::count_ones).min().unwrap()
    }

    #[test]
    fn covers_are_whole_and_the_smallest() {
        let mut state = 9u64;
        for round in 0..300 {
            let (l, r) = (1 + round % 6, 1 + round / 6 % 6);
            let mut edges = vec![Vec::new(); l];
            for k in 0..l * r {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if state >> 62 == 0 {
                    edges[k % l].push((k / l) as u32);
                }
            }
            let (left, right) = smallest_cover(&edges, r);
            let whole = |l: usize| edges[l].iter().all(|r| left[l] || right[*r as usize]);
            assert!((0..l).all(whole), "{edges:?}");
            let size = left.iter().chain(&right).filter(|inside| **inside).count();
            assert_eq!(size as u32, exhaustive(&edges, r), "{edges:?}");
        }
    }
}
