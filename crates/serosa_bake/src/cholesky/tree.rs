//! The elimination tree: which node's elimination first touches which.

use super::dissect::Graph;

/// An order of the same fill in which every subtree of the elimination tree is contiguous, children before parents.
///
/// Cost: nearly linear in the edges (Liu 1990, by ancestors with path compression).
pub fn post_order(graph: &Graph, order: &[u32]) -> Vec<u32> {
    let parents = parents(graph, order);
    let root = order.len();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); root + 1];
    for (k, parent) in parents.iter().enumerate() {
        children[parent.map_or(root, |p| p as usize)].push(k as u32);
    }
    let mut result = Vec::with_capacity(order.len());
    // Depth first without recursion: a node comes out after its last child.
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

/// The parent of each place of the order, none for roots.
fn parents(graph: &Graph, order: &[u32]) -> Vec<Option<u32>> {
    let mut place = vec![0u32; order.len()];
    order.iter().zip(0..).for_each(|(node, k)| place[*node as usize] = k);
    let mut parents: Vec<Option<u32>> = vec![None; order.len()];
    let mut ancestors: Vec<Option<u32>> = vec![None; order.len()];
    for (node, k) in order.iter().zip(0u32..) {
        for other in graph.neighbours(*node as usize) {
            let mut at = place[*other as usize];
            while at < k {
                match ancestors[at as usize].replace(k) {
                    None => {
                        parents[at as usize] = Some(k);
                        break;
                    }
                    Some(next) => at = next,
                }
            }
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_chains_that_join() {
        // 0–1–4 and 2–3–4, eliminated alternately.
        let graph = Graph::of_edges(5, &[[0, 1], [1, 4], [2, 3], [3, 4]]);
        assert_eq!(parents(&graph, &[0, 2, 1, 3, 4]), [Some(2), Some(3), Some(4), Some(4), None]);
        assert_eq!(post_order(&graph, &[0, 2, 1, 3, 4]), [0, 1, 2, 3, 4]);
    }
}
