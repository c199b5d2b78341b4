//! The sparse Cholesky factor of a matrix over the vertices of a mesh.
//!
//! Vertices are ordered by nested dissection ([`dissect`]), then so that every subtree of the elimination tree is
//! contiguous ([`post_order`]); the numeric work is done by `faer`, on one thread always, and its panels are laid out anew
//! for solves in a fixed order of operations ([`Factor`]).

mod cover;
pub mod dissect;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::elimination::post_order;
use serosa_sim::algebra::sparse::{Precision, RawPanel};
use serosa_sim::algebra::{BlockMatrix, Elimination, Factor};

/// Why a matrix has no factor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// Some motion costs no energy, or gains some.
    #[error(
        "the matrix is not positive definite at vertex {vertex}: something there moves without resistance"
    )]
    NotPositive {
        /// Where elimination stopped: one of the vertices of that motion.
        vertex: u32,
    },
    /// Memory or indices do not suffice.
    #[error("the factor of {unknowns} unknowns does not fit in memory")]
    TooLarge {
        /// Numbers to solve for.
        unknowns: usize,
    },
}

/// Factors a matrix over vertices at `points`, in the order of nested dissection.
///
/// Cost for a solid of n vertices: about n² operations, n^(4/3) entries.
pub fn factor<const W: usize>(
    matrix: &BlockMatrix<W>,
    points: &[Vec3],
    precision: Precision,
) -> Result<Factor, FactorError> {
    let graph = dissect::Graph::of(matrix);
    let places: Vec<Vec3> = matrix.free().iter().map(|v| points[*v as usize]).collect();
    factor_in_order(matrix, dissect::order(&graph, &places), precision)
}

/// Factors a matrix, nodes eliminated in a given order; those of one subtree are brought together, which changes no entry.
pub fn factor_in_order<const W: usize>(
    matrix: &BlockMatrix<W>,
    order: Vec<u32>,
    precision: Precision,
) -> Result<Factor, FactorError> {
    let graph = dissect::Graph::of(matrix);
    let order = post_order(|node| graph.neighbours(node as usize), &order);
    let vertices: Vec<u32> = order.iter().map(|n| matrix.free()[*n as usize]).collect();
    if vertices.is_empty() {
        let none = core::iter::empty();
        return Factor::new(W, matrix.vertices(), vertices, none, precision)
            .map_err(|_| FactorError::TooLarge { unknowns: 0 });
    }
    let columns = Columns::of(matrix, &order);
    let too_large = || FactorError::TooLarge { unknowns: columns.starts.len() - 1 };
    let symbolic = columns.analyse().ok_or_else(too_large)?;
    let SymbolicCholeskyRaw::Supernodal(panels) = symbolic.raw() else { return Err(too_large()) };
    let mut values = Vec::new();
    values.try_reserve_exact(panels.len_val()).map_err(|_| too_large())?;
    values.resize(panels.len_val(), 0.0);
    columns.eliminate(&symbolic, &mut values).map_err(|failed| match failed {
        Some(unknown) => FactorError::NotPositive { vertex: vertices[unknown / W] },
        None => too_large(),
    })?;
    let mut tails = Vec::new();
    let mut ends = vec![0];
    for s in 0..panels.n_supernodes() {
        tails.extend(panels.supernode(s).pattern().iter().step_by(W).map(|row| (row / W) as u32));
        ends.push(tails.len());
    }
    let panel = |s: usize| RawPanel {
        columns: (panels.supernode_end()[s] - panels.supernode_begin()[s]) / W,
        tail: &tails[ends[s]..ends[s + 1]],
        values: &values[panels.col_ptr_for_val()[s]..panels.col_ptr_for_val()[s + 1]],
    };
    let all = (0..panels.n_supernodes()).map(panel);
    // A pivot that is no number: the matrix held one.
    let vertex = vertices.first().copied().unwrap_or(0);
    Factor::new(W, matrix.vertices(), vertices, all, precision)
        .map_err(|_| FactorError::NotPositive { vertex })
}

/// The lower half of a matrix by scalar columns, in the order of elimination.
struct Columns {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<Real>,
}

impl Columns {
    fn of<const W: usize>(matrix: &BlockMatrix<W>, order: &[u32]) -> Self {
        let mut place = vec![0u32; order.len()];
        order.iter().zip(0..).for_each(|(node, k)| place[*node as usize] = k);
        let mut entries: Vec<(u32, u32, bool, &[[Real; W]; W])> = Vec::new();
        for node in 0..order.len() {
            for (row, block) in matrix.column(node) {
                let (i, j) = (place[row as usize], place[node]);
                entries.push((i.min(j), i.max(j), i < j, block));
            }
        }
        entries.sort_unstable_by_key(|(column, row, ..)| (*column, *row));
        let count = W * W * entries.len();
        let (mut starts, mut rows, mut values) =
            (vec![0], Vec::with_capacity(count), Vec::with_capacity(count));
        for column in entries.chunk_by(|a, b| a.0 == b.0) {
            for q in 0..W {
                for (j, i, turned, block) in column {
                    // Of the diagonal block the lower half alone.
                    let from = if i == j { q } else { 0 };
                    for p in from..W {
                        rows.push(W * *i as usize + p);
                        values.push(if *turned { block[q][p] } else { block[p][q] });
                    }
                }
                starts.push(rows.len());
            }
        }
        Self { starts, rows, values }
    }

    fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// The pattern of the factor, in panels.
    fn analyse(&self) -> Option<SymbolicCholesky<usize>> {
        let (starts, rows) = self.transposed();
        let upper = SymbolicSparseColMatRef::new_checked(self.n(), self.n(), &starts, None, &rows);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..CholeskySymbolicParams::default()
        };
        factorize_symbolic_cholesky(upper, Side::Upper, SymmetricOrdering::Identity, params).ok()
    }

    /// The pattern of the upper half by columns, rows ascending.
    fn transposed(&self) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0; self.n() + 1];
        self.rows.iter().for_each(|row| starts[row + 1] += 1);
        (0..self.n()).for_each(|i| starts[i + 1] += starts[i]);
        let (mut next, mut rows) = (starts.clone(), vec![0; self.rows.len()]);
        for column in 0..self.n() {
            for row in &self.rows[self.starts[column]..self.starts[column + 1]] {
                rows[next[*row]] = column;
                next[*row] += 1;
            }
        }
        (starts, rows)
    }

    /// The entries of the factor; otherwise the unknown whose pivot was not positive, or nothing where memory ran out.
    fn eliminate(
        &self,
        symbolic: &SymbolicCholesky<usize>,
        values: &mut [Real],
    ) -> Result<(), Option<usize>> {
        let pattern =
            SymbolicSparseColMatRef::new_checked(self.n(), self.n(), &self.starts, None, &self.rows);
        let lower = SparseColMatRef::new(pattern, &self.values[..]);
        let request = symbolic.factorize_numeric_llt_scratch::<Real>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(request).map_err(|_| None)?;
        let stack = MemStack::new(&mut memory);
        let done = symbolic.factorize_numeric_llt(
            values,
            lower,
            Side::Lower,
            Default::default(),
            Par::Seq,
            stack,
            Default::default(),
        );
        use faer::linalg::cholesky::llt::factor::LltError;
        done.map(|_| ()).map_err(|LltError::NonPositivePivot { index }| Some(index))
    }
}

/// The pattern of a factor whose numbers change in the step, in the order of nested dissection of vertices at `points`.
///
/// Cost: that of the order, see [`dissect::order`], and the blocks of the factor.
pub fn elimination(matrix: &BlockMatrix<3>, points: &[Vec3]) -> Option<Elimination> {
    let places: Vec<Vec3> = matrix.free().iter().map(|v| points[*v as usize]).collect();
    Elimination::of(matrix, &dissect::order(&dissect::Graph::of(matrix), &places))
}
