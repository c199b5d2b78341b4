//! The dense work of a panel: groups of columns, each a small triangle and tiles of rows below it.
//!
//! The entries of a panel of n columns: for each group of up to [`GROUP`] columns first its triangle by columns, 1/l in
//! place of each l on the diagonal; then tiles of [`TILE`] rows, column after column in each. Rows that fill the last
//! tile are zero.

use crate::Real;

/// Columns worked on together: their numbers stay in registers while the tiles go by.
const GROUP: usize = 8;
/// Rows worked on together.
const TILE: usize = 4;

/// Numbers that a factor is kept in.
pub(super) trait Entry: Copy + Into<Real> + Sync {}
impl Entry for f32 {}
impl Entry for f64 {}

/// Room of a front of that height: the last tile may reach beyond it.
pub(super) const fn room(height: usize) -> usize {
    height + TILE - 1
}

/// How many entries a panel has.
pub(super) fn entries(columns: usize, height: usize) -> usize {
    groups(columns).map(|(at, w)| w * (w + 1) / 2 + w * (height - at - w).next_multiple_of(TILE)).sum()
}

/// First column and number of columns of each group.
fn groups(columns: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    (0..columns.div_ceil(GROUP)).map(move |g| (g * GROUP, GROUP.min(columns - g * GROUP)))
}

/// Lays the entries of a dense panel out, given by columns of `height`.
pub(super) fn pack(dense: &[Real], height: usize, mut push: impl FnMut(&[Real])) {
    for (at, w) in groups(dense.len() / height.max(1)) {
        let column = |k: usize| &dense[(at + k) * height..][..height];
        for k in 0..w {
            push(&[1.0 / column(k)[at + k]]);
            push(&column(k)[at + k + 1..at + w]);
        }
        for tile in (at + w..height).step_by(TILE) {
            for k in 0..w {
                match column(k)[tile..].first_chunk::<TILE>() {
                    Some(whole) => push(whole),
                    None => {
                        let mut rest = [0.0; TILE];
                        rest[..height - tile].copy_from_slice(&column(k)[tile..]);
                        push(&rest);
                    }
                }
            }
        }
    }
}

/// The entries on the diagonal of a panel, as stored.
pub(super) fn pivots<S: Entry>(values: &[S], columns: usize, height: usize) -> impl Iterator<Item = Real> {
    let mut from = 0;
    groups(columns).flat_map(move |(at, w)| {
        let start = from;
        from += w * (w + 1) / 2 + w * (height - at - w).next_multiple_of(TILE);
        (0..w).map(move |k| values[start + k * w - k * k.saturating_sub(1) / 2].into())
    })
}

/// Calls the kernel of that many columns.
macro_rules! of_width {
    ($w:expr, $kernel:ident($($arg:expr),*)) => {
        match $w {
            1 => $kernel::<S, 1>($($arg),*),
            2 => $kernel::<S, 2>($($arg),*),
            3 => $kernel::<S, 3>($($arg),*),
            4 => $kernel::<S, 4>($($arg),*),
            5 => $kernel::<S, 5>($($arg),*),
            6 => $kernel::<S, 6>($($arg),*),
            7 => $kernel::<S, 7>($($arg),*),
            _ => $kernel::<S, GROUP>($($arg),*),
        }
    };
}

/// Solves with the columns of a panel and takes what they contribute from the rest of the front.
/// `fronts` holds the front of each side, `room` apart.
#[inline(always)]
pub(super) fn forward<S: Entry>(
    values: &[S],
    columns: usize,
    fronts: &mut [Real],
    room: usize,
    height: usize,
) {
    let mut values = values;
    for (at, w) in groups(columns) {
        let tiles = (height - at - w).div_ceil(TILE);
        let (group, rest) = values.split_at(w * (w + 1) / 2 + w * tiles * TILE);
        for front in fronts.chunks_exact_mut(room) {
            of_width!(w, forward_group(group, &mut front[at..at + w + tiles * TILE]));
        }
        values = rest;
    }
}

/// Solves with the transpose of a panel, the rest of the front being known.
#[inline(always)]
pub(super) fn backward<S: Entry>(
    values: &[S],
    columns: usize,
    fronts: &mut [Real],
    room: usize,
    height: usize,
) {
    let mut values = values;
    for (at, w) in groups(columns).rev() {
        let tiles = (height - at - w).div_ceil(TILE);
        let (rest, group) = values.split_at(values.len() - w * (w + 1) / 2 - w * tiles * TILE);
        for front in fronts.chunks_exact_mut(room) {
            of_width!(w, backward_group(group, &mut front[at..at + w + tiles * TILE]));
        }
        values = rest;
    }
}

#[inline(always)]
fn forward_group<S: Entry, const W: usize>(values: &[S], front: &mut [Real]) {
    let (triangle, tiles) = values.split_at(W * (W + 1) / 2);
    let (own, below) = front.split_at_mut(W);
    let mut x: [Real; W] = core::array::from_fn(|k| own[k]);
    let mut at = 0;
    for k in 0..W {
        x[k] *= triangle[at].into();
        for i in k + 1..W {
            x[i] -= triangle[at + i - k].into() * x[k];
        }
        at += W - k;
    }
    own.copy_from_slice(&x);
    let (tiles, below) = (tiles.as_chunks::<TILE>().0.as_chunks::<W>().0, below.as_chunks_mut::<TILE>().0);
    for (tile, y) in tiles.iter().zip(below) {
        let mut sum = *y;
        for k in 0..W {
            sum = core::array::from_fn(|lane| sum[lane] - tile[k][lane].into() * x[k]);
        }
        *y = sum;
        keep_in_lanes();
    }
}

/// Ends the body of a loop over tiles. Without it the compiler turns the tiles about to work on four of them at a time,
/// which takes twice as long; an empty statement that it cannot look into keeps it from that.
#[inline(always)]
fn keep_in_lanes() {
    core::hint::black_box(());
}

#[inline(always)]
fn backward_group<S: Entry, const W: usize>(values: &[S], front: &mut [Real]) {
    let (triangle, tiles) = values.split_at(W * (W + 1) / 2);
    let (own, below) = front.split_at_mut(W);
    let mut sums = [[0.0; TILE]; W];
    let (tiles, below) = (tiles.as_chunks::<TILE>().0.as_chunks::<W>().0, below.as_chunks::<TILE>().0);
    // Backwards through memory, as the whole pass goes.
    for (tile, y) in tiles.iter().zip(below).rev() {
        for k in 0..W {
            sums[k] = core::array::from_fn(|lane| sums[k][lane] + tile[k][lane].into() * y[lane]);
        }
    }
    // What becomes of the sums is hidden: the compiler would turn the tiles about for it, at twice the time.
    let sums = core::hint::black_box(sums);
    let mut x: [Real; W] =
        core::array::from_fn(|k| own[k] - ((sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3])));
    let mut at = triangle.len();
    for k in (0..W).rev() {
        at -= W - k;
        for i in k + 1..W {
            x[k] -= triangle[at + i - k].into() * x[i];
        }
        x[k] *= triangle[at].into();
    }
    own.copy_from_slice(&x);
}
