//! Dense matrices in tiles: eight rows side by side, column after column.
//!
//! Entry (i, j) of a matrix of n columns stands at `(i / 8 · n + j) · 8 + i % 8`. A tile of rows is thus a run of memory, and one
//! kernel, the product of two such runs, is the inner loop of dense factors, of fronts, of sparse right-hand sides and
//! of Schur complements.

use crate::Real;

/// Rows of a tile.
pub const TILE: usize = 8;
/// A column of a tile.
pub type Column = [Real; TILE];

/// What a pivot must keep of its diagonal entry: less is what rounding leaves where nothing should be left.
const PIVOT_LEAST: Real = 1e-13;

/// Where the entry (i, j) of a matrix of `columns` columns stands, as (column of a tile, row in it).
#[inline(always)]
pub const fn at(columns: usize, i: usize, j: usize) -> (usize, usize) {
    (i / TILE * columns + j, i % TILE)
}

/// Σₖ a\[k\]\[r\] · b\[k\]\[c\] as `[c][r]`, k ascending.
#[inline(always)]
pub(crate) fn product(a: &[Column], b: &[Column]) -> [Column; TILE] {
    let mut sums = [[0.0; TILE]; TILE];
    for half in 0..2 {
        // Half of the columns at a time: eight vectors of four numbers, which stay in registers.
        let mut sum = [[0.0; TILE]; TILE / 2];
        for (a, b) in a.iter().zip(b) {
            for c in 0..TILE / 2 {
                let b = b[half * TILE / 2 + c];
                sum[c] = core::array::from_fn(|r| sum[c][r] + a[r] * b);
            }
        }
        sums[half * TILE / 2..(half + 1) * TILE / 2].copy_from_slice(&sum);
    }
    sums
}

/// Takes a product from a tile: its columns are `tile`.
#[inline(always)]
pub(crate) fn take(tile: &mut [Column], product: &[Column; TILE]) {
    for (to, from) in tile.iter_mut().zip(product) {
        *to = core::array::from_fn(|r| to[r] - from[r]);
    }
}

/// Factors the first `columns` columns of a panel, all rows of it; both are multiples of eight. `diagonal` is what pivots are
/// measured by, 1 where it ends early. Returns the first column whose pivot is not positive; what stands there then means nothing.
///
/// The columns of the factor replace those of the matrix, with 1/l in place of each l on the diagonal. Above the diagonal
/// nothing is read. Cost: columns² · rows operations, half of that where the panel is square.
#[inline(always)]
pub(crate) fn factor_panel(panel: &mut [Column], columns: usize, diagonal: &[Real]) -> Result<(), usize> {
    let tiles = panel.len() / columns.max(1);
    for j in 0..columns / TILE {
        let from = j * TILE;
        for i in j..tiles {
            let (before, behind) = panel.split_at_mut(i * columns);
            let (own, rest) = behind.split_at_mut(from);
            let across = if i == j { &*own } else { &before[j * columns..j * columns + from] };
            let sums = product(own, across);
            take(&mut rest[..TILE], &sums);
        }
        factor_tile(&mut panel[j * columns + from..][..TILE], diagonal.get(from..).unwrap_or(&[]))
            .map_err(|k| from + k)?;
        let mut triangle = [[0.0; TILE]; TILE];
        triangle.copy_from_slice(&panel[j * columns + from..][..TILE]);
        for i in j + 1..tiles {
            solve_rows(&triangle, &mut panel[i * columns + from..][..TILE]);
        }
    }
    Ok(())
}

/// The factor of a tile on the diagonal, 1/l in place of l there.
#[inline(always)]
fn factor_tile(tile: &mut [Column], diagonal: &[Real]) -> Result<(), usize> {
    for k in 0..TILE {
        let pivot = tile[k][k];
        if !(pivot > PIVOT_LEAST * diagonal.get(k).unwrap_or(&1.0) && pivot.is_finite()) {
            return Err(k);
        }
        let inverse = 1.0 / pivot.sqrt();
        tile[k][k] = inverse;
        (k + 1..TILE).for_each(|r| tile[k][r] *= inverse);
        let column = tile[k];
        for c in k + 1..TILE {
            (c..TILE).for_each(|r| tile[c][r] -= column[r] * column[c]);
        }
    }
    Ok(())
}

/// Rows below a tile of the diagonal: solved with its transpose.
#[inline(always)]
fn solve_rows(triangle: &[Column; TILE], rows: &mut [Column]) {
    for k in 0..TILE {
        rows[k] = core::array::from_fn(|r| rows[k][r] * triangle[k][k]);
        let column = rows[k];
        for c in k + 1..TILE {
            rows[c] = core::array::from_fn(|r| rows[c][r] - column[r] * triangle[k][c]);
        }
    }
}

/// Solves with a tile of the diagonal for eight sides: row k of them is `x[k]`.
#[inline(always)]
pub(crate) fn solve_sides(triangle: &[Column], x: &mut [Column; TILE]) {
    for k in 0..TILE {
        x[k] = core::array::from_fn(|s| x[k][s] * triangle[k][k]);
        for r in k + 1..TILE {
            x[r] = core::array::from_fn(|s| x[r][s] - triangle[k][r] * x[k][s]);
        }
    }
}
