//! What a factor will hold, before any number is known: the tree of elimination and its panels.

use super::NONE;

/// Panels of at most so many nodes may hold more zeros than larger ones.
const SMALL: usize = 16;
/// The most zeros among the entries of a panel made of two.
const ZEROS: f64 = 0.12;
const ZEROS_SMALL: f64 = 0.35;

/// A panel: nodes eliminated one after the other, and the later ones that they touch.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub start: usize,
    pub columns: usize,
    /// Places, ascending.
    pub tail: Vec<u32>,
    /// Entries that are zero, in blocks.
    zeros: usize,
}

/// An order of the same fill in which every subtree is contiguous, children before parents, with its panels.
///
/// `neighbours` are those of each node. Cost: the blocks of the factor.
pub(super) fn analyse(neighbours: &[Vec<u32>], order: &[u32]) -> (Vec<u32>, Vec<Shape>) {
    let order = post_order(|node| &neighbours[node as usize], order);
    let mut place = vec![NONE; neighbours.len()];
    order.iter().zip(0..).for_each(|(node, k)| place[*node as usize] = k);
    let mut tails: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
    let mut shapes: Vec<Shape> = Vec::new();
    for j in 0..order.len() {
        let own = neighbours[order[j] as usize].iter().map(|n| place[*n as usize]);
        let mut tail: Vec<u32> = own.filter(|p| *p != NONE && *p as usize > j).collect();
        for child in core::mem::take(&mut children[j]) {
            tail.extend(tails[child as usize].iter().filter(|p| **p as usize > j));
            // Columns that are no last one of a panel are not asked for again.
            tails[child as usize] = Vec::new();
        }
        tail.sort_unstable();
        tail.dedup();
        if let Some(parent) = tail.first() {
            children[*parent as usize].push(j as u32);
        }
        tails[j].clone_from(&tail);
        append(&mut shapes, Shape { start: j, columns: 1, tail, zeros: 0 });
    }
    (order, shapes)
}

/// Puts a column behind the panels, joined to those before it as long as that costs little.
fn append(shapes: &mut Vec<Shape>, mut next: Shape) {
    while let Some(last) = shapes.last() {
        let height = next.columns + next.tail.len();
        let adjoins = last.tail.first().is_some_and(|p| *p as usize == next.start);
        // Every column of the one before gets the whole height of the next.
        let zeros = last.zeros + next.zeros + last.columns * (height - last.tail.len().min(height));
        let columns = last.columns + next.columns;
        let entries = columns * (columns + 1) / 2 + columns * next.tail.len();
        let most = if columns <= SMALL { ZEROS_SMALL } else { ZEROS };
        if !adjoins || zeros as f64 > most * entries as f64 {
            break;
        }
        next = Shape { start: last.start, columns, tail: next.tail, zeros };
        shapes.pop();
    }
    shapes.push(next);
}

/// The parent of each place of the order, `NONE` for roots.
fn parents<'a>(neighbours: impl Fn(u32) -> &'a [u32], order: &[u32]) -> Vec<u32> {
    let mut place = vec![NONE; order.len()];
    order.iter().zip(0..).for_each(|(node, k)| place[*node as usize] = k);
    let (mut parents, mut ancestors) = (vec![NONE; order.len()], vec![NONE; order.len()]);
    for (node, k) in order.iter().zip(0u32..) {
        for other in neighbours(*node) {
            let mut at = place[*other as usize];
            while at < k {
                let next = core::mem::replace(&mut ancestors[at as usize], k);
                if next == NONE {
                    parents[at as usize] = k;
                    break;
                }
                at = next;
            }
        }
    }
    parents
}

/// An order of the same fill in which every subtree of the tree of elimination is contiguous, children before parents.
/// `order` names each node once.
///
/// Cost: nearly linear in the edges (Liu 1990, by ancestors with path compression).
pub fn post_order<'a>(neighbours: impl Fn(u32) -> &'a [u32], order: &[u32]) -> Vec<u32> {
    let (parents, root) = (parents(neighbours, order), order.len());
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); root + 1];
    for (k, parent) in parents.iter().enumerate() {
        children[if *parent == NONE { root } else { *parent as usize }].push(k as u32);
    }
    let mut result = Vec::with_capacity(root);
    // Depth first without recursion: a place comes out after its last child.
    let mut path = vec![(root, 0)];
    while let Some((node, seen)) = path.last_mut() {
        if let Some(child) = children[*node].get(*seen) {
            *seen += 1;
            path.push((*child as usize, 0));
        } else {
            if *node < root {
                result.push(order[*node]);
            }
            path.pop();
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_chains_that_join() {
        // 0–1–4 and 2–3–4, eliminated alternately.
        let neighbours: [&[u32]; 5] = [&[1], &[0, 4], &[3], &[2, 4], &[1, 3]];
        let of = |node: u32| neighbours[node as usize];
        assert_eq!(parents(of, &[0, 2, 1, 3, 4]), [2, 3, 4, 4, NONE]);
        assert_eq!(post_order(of, &[0, 2, 1, 3, 4]), [0, 1, 2, 3, 4]);
    }
}
