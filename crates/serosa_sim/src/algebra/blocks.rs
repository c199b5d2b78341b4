//! Sparse symmetric matrices of square blocks, one for each pair of vertices that share an element; and terms of one rank
//! on top of them, by which one quantity couples many vertices.

use crate::Real;

/// A symmetric matrix of W × W blocks over the free vertices of a mesh; the lower half is kept.
///
/// Vectors are those of all vertices, W numbers each. Rows and columns of vertices that are not free do not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix<const W: usize> {
    /// The vertex of each node, ascending.
    free: Vec<u32>,
    /// The node of each vertex.
    node_of: Vec<Option<u32>>,
    /// Where the column of each node begins, and one more.
    starts: Vec<usize>,
    /// Nodes of the rows of a column, ascending, the diagonal first.
    rows: Vec<u32>,
    /// By rows.
    blocks: Vec<[[Real; W]; W]>,
    ranks: Vec<Rank<W>>,
}

/// A term rate · g gᵀ over vertices that follow one another.
///
/// Written into blocks it would couple each of them with all others: a factor of that is dense.
#[derive(Clone, Debug, PartialEq)]
pub struct Rank<const W: usize> {
    /// The first of its vertices.
    first: u32,
    /// Never negative.
    rate: Real,
    /// g, one for each vertex; zero where one is not free.
    gradient: Vec<[Real; W]>,
}

impl<const W: usize> Rank<W> {
    /// The factor before g gᵀ.
    pub fn rate(&self) -> Real {
        self.rate
    }

    /// Adds g, as often as said, to a vector over all vertices.
    pub fn add_to(&self, share: Real, x: &mut [Real]) {
        let own = x[W * self.first as usize..].chunks_exact_mut(W);
        for (x, g) in own.zip(&self.gradient) {
            (0..W).for_each(|k| x[k] += share * g[k]);
        }
    }

    /// g · x of a vector over all vertices.
    pub fn along(&self, x: &[Real]) -> Real {
        let own = x[W * self.first as usize..].chunks_exact(W);
        own.zip(&self.gradient).map(|(x, g)| (0..W).map(|k| x[k] * g[k]).sum::<Real>()).sum()
    }
}

impl<const W: usize> BlockMatrix<W> {
    /// A zero matrix with room for what elements couple. `fixed` says which vertices are not free.
    ///
    /// Cost: the pairs of vertices in elements, sorted.
    pub fn of_elements<const N: usize>(elements: &[[u32; N]], fixed: &[bool]) -> Self {
        let mut free = Vec::new();
        let node = |(is_fixed, v): (&bool, u32)| {
            (!is_fixed).then(|| {
                free.push(v);
                free.len() as u32 - 1
            })
        };
        let node_of: Vec<Option<u32>> = fixed.iter().zip(0..).map(node).collect();
        let mut pairs: Vec<[u32; 2]> = (0..free.len() as u32).map(|n| [n, n]).collect();
        for element in elements {
            let nodes = element.map(|v| node_of[v as usize]);
            for (k, a) in nodes.iter().enumerate() {
                let others = nodes[..k].iter().flatten();
                pairs.extend(a.iter().flat_map(|a| others.clone().map(move |b| [*a.min(b), *a.max(b)])));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; free.len() + 1];
        pairs.iter().for_each(|[column, _]| starts[*column as usize + 1] += 1);
        (0..free.len()).for_each(|n| starts[n + 1] += starts[n]);
        let rows: Vec<u32> = pairs.into_iter().map(|[_, row]| row).collect();
        let blocks = vec![[[0.0; W]; W]; rows.len()];
        Self { free, node_of, starts, rows, blocks, ranks: Vec::new() }
    }

    /// Makes room for a term of one rank over so many vertices from the first; all of it is zero.
    pub fn add_rank(&mut self, first: u32, count: usize) {
        self.ranks.push(Rank { first, rate: 0.0, gradient: vec![[0.0; W]; count] });
    }

    /// Gives a term of one rank its numbers; `rate` is not negative.
    pub fn set_rank(&mut self, k: usize, rate: Real, gradient: impl Iterator<Item = [Real; W]>) {
        let rank = &mut self.ranks[k];
        rank.rate = rate;
        for ((own, g), v) in rank.gradient.iter_mut().zip(gradient).zip(rank.first..) {
            *own = if self.node_of[v as usize].is_some() { g } else { [0.0; W] };
        }
    }

    /// Its terms of one rank.
    pub fn ranks(&self) -> &[Rank<W>] {
        &self.ranks
    }

    /// How many vertices there are, free or not.
    pub fn vertices(&self) -> usize {
        self.node_of.len()
    }

    /// The vertex of each node, ascending.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// Rows of a column of nodes, the diagonal first, with their blocks.
    pub fn column(&self, node: usize) -> impl Iterator<Item = (u32, &[[Real; W]; W])> {
        let range = self.starts[node]..self.starts[node + 1];
        self.rows[range.clone()].iter().copied().zip(&self.blocks[range])
    }

    /// Rows of a column below its diagonal, and their blocks.
    #[inline(always)]
    pub fn below(&self, node: usize) -> (&[u32], &[[[Real; W]; W]]) {
        let range = self.starts[node] + 1..self.starts[node + 1];
        (&self.rows[range.clone()], &self.blocks[range])
    }

    /// The blocks of the lower half, column after column, each column as [`Self::column`] has it.
    pub fn blocks(&self) -> &[[[Real; W]; W]] {
        &self.blocks
    }

    /// The nodes (row, column) of each of [`Self::blocks`].
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let columns = self.starts.windows(2).zip(0u32..);
        let column_of = columns.flat_map(|(range, c)| core::iter::repeat_n(c, range[1] - range[0]));
        self.rows.iter().zip(column_of).map(|(row, column)| [*row, column])
    }

    /// The node of a vertex, none where it is not free.
    pub fn node_of(&self, vertex: u32) -> Option<u32> {
        self.node_of.get(vertex as usize).copied().flatten()
    }

    /// Forgets all values and keeps the pattern.
    pub fn clear(&mut self) {
        self.blocks.fill([[0.0; W]; W]);
        self.ranks.iter_mut().for_each(|rank| rank.rate = 0.0);
    }

    /// Adds a block at the vertices (i, j) and, for i ≠ j, its transpose at (j, i). Nothing where one is not free;
    /// vertices that share no element have no block, and nothing is added either.
    pub fn add(&mut self, i: u32, j: u32, block: [[Real; W]; W]) {
        let (Some(a), Some(b)) = (self.node_of[i as usize], self.node_of[j as usize]) else { return };
        let (row, column) = (a.max(b), a.min(b) as usize);
        let range = self.starts[column]..self.starts[column + 1];
        let Ok(k) = self.rows[range.clone()].binary_search(&row) else { return };
        let own = &mut self.blocks[range.start + k];
        for p in 0..W {
            for q in 0..W {
                own[p][q] += if a >= b { block[p][q] } else { block[q][p] };
            }
        }
    }

    /// Adds to each block of a vertex's column what `block` has for the vertex of its row.
    pub fn add_column(&mut self, vertex: u32, block: impl Fn(u32) -> [[Real; W]; W]) {
        let Some(node) = self.node_of(vertex) else { return };
        let range = self.starts[node as usize]..self.starts[node as usize + 1];
        for (row, own) in self.rows[range.clone()].iter().zip(&mut self.blocks[range]) {
            let more = block(self.free[*row as usize]);
            for p in 0..W {
                (0..W).for_each(|q| own[p][q] += more[p][q]);
            }
        }
    }

    /// Makes the diagonal of a vertex larger by a share of itself.
    pub fn strengthen(&mut self, vertex: u32, share: Real) {
        let Some(node) = self.node_of(vertex) else { return };
        let own = &mut self.blocks[self.starts[node as usize]];
        (0..W).for_each(|p| own[p][p] *= 1.0 + share);
    }

    /// Adds a number to the diagonal of a vertex.
    pub fn add_diagonal(&mut self, vertex: u32, value: Real) {
        let block = core::array::from_fn(|p| core::array::from_fn(|q| if p == q { value } else { 0.0 }));
        self.add(vertex, vertex, block);
    }

    /// y = A x, zero where vertices are not free.
    pub fn multiply(&self, x: &[Real], y: &mut [Real]) {
        y.fill(0.0);
        for (column, j) in self.free.iter().enumerate() {
            let j = W * *j as usize;
            for (row, block) in self.column(column) {
                let i = W * self.free[row as usize] as usize;
                for p in 0..W {
                    for q in 0..W {
                        y[i + p] += block[p][q] * x[j + q];
                        if i != j {
                            y[j + q] += block[p][q] * x[i + p];
                        }
                    }
                }
            }
        }
        for rank in self.ranks.iter().filter(|rank| rank.rate > 0.0) {
            rank.add_to(rank.rate * rank.along(x), y);
        }
    }
}
