//! Tetrahedra of four nodes turn four at a time.
//!
//! Rotations are found as in [`nearer`](super::material::nearer), its scalar twin, and all operations are made in the same
//! order, so both have the same bits.

use super::lanes::{Lane, Spot, Wide, apart, dot, in_lanes, minor};
use super::prepare::Stuff;
use crate::model::{LANES, Law, Tet};
use crate::{Mat3, Quat, Real, Vec3};

/// Columns of four matrices.
type Mats<V> = [[V; 3]; 3];

/// Four tetrahedra as they are at rest. Lanes without one have no stiffness and no inverse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four {
    inverse: Mats<Lane>,
    /// τ/h.
    damping: Lane,
    /// 1 for those of the corotated law.
    corotated: Lane,
    /// Twice the shear modulus times the volume \[J\].
    force: Lane,
    /// Half of it times |F|² is what is quadratic in F, with damping \[J\].
    stretch: Lane,
    aims: Aims,
    /// Their corners, as places.
    corners: [[u32; 4]; LANES],
}

/// What a J draws volumes to, as [`Stuff::aim`] says.
#[derive(Clone, Copy, Debug)]
struct Aims {
    /// Of the law \[Pa\].
    rest: Lane,
    /// Of damping \[Pa\].
    old: Lane,
    /// Of both \[Pa\]; never 0.
    whole: Lane,
    /// Six times the volume \[m³\]; 0 where nothing resists.
    volume: Lane,
}

/// Four tetrahedra in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    /// Deformation at the start of the substep.
    old: Mats<Lane>,
    /// From there to here: x, y, z, w.
    viscous: [Lane; 4],
    /// From rest to here.
    elastic: [Lane; 4],
}

impl Default for Turned {
    fn default() -> Self {
        let [zero, one] = [0.0, 1.0].map(|x| Lane([x; LANES]));
        let turn = [zero, zero, zero, one];
        Self { old: [[one, zero, zero], [zero, one, zero], [zero, zero, one]], viscous: turn, elastic: turn }
    }
}

/// Pulls on the corners of a tetrahedron \[N\].
pub(super) type Pulls = [Spot; 4];

impl Four {
    /// Four tetrahedra, or fewer at the end, with their corners.
    pub fn of(tets: &[Tet], corners: &[[u32; 4]], stuff: &[Stuff]) -> Self {
        let lane =
            |number: &dyn Fn(&Tet) -> Real| Lane(std::array::from_fn(|k| tets.get(k).map_or(0.0, number)));
        let of = |t: &Tet| &stuff[t.region as usize];
        let first = corners.first().copied().unwrap_or_default();
        Self {
            inverse: [0, 1, 2].map(|c| [0, 1, 2].map(|r| lane(&|t| t.inverse.col(c)[r]))),
            damping: lane(&|t| of(t).damping),
            corotated: lane(&|t| if of(t).moduli.law == Law::Corotated { 1.0 } else { 0.0 }),
            force: lane(&|t| 2.0 * of(t).moduli.shear * t.volume),
            stretch: lane(&|t| of(t).stretch() * t.volume),
            aims: Aims::of(lane, &|t| of(t)),
            corners: std::array::from_fn(|k| corners.get(k).copied().unwrap_or(first)),
        }
    }
}

impl Aims {
    fn of<'a>(lane: impl Fn(&dyn Fn(&Tet) -> Real) -> Lane, of: &dyn Fn(&Tet) -> &'a Stuff) -> Self {
        let whole = lane(&|t| of(t).bulk());
        let resists = |t: &Tet| of(t).bulk() > 0.0;
        Self {
            rest: lane(&|t| of(t).moduli.bulk * of(t).moduli.aim),
            old: lane(&|t| of(t).moduli.lame * of(t).damping),
            whole: Lane(whole.0.map(|w| if w > 0.0 { w } else { 1.0 })),
            volume: lane(&|t| if resists(t) { 6.0 * t.volume } else { 0.0 }),
        }
    }
}

impl Turned {
    /// The deformation at the start of one of the four.
    pub fn old(&self, k: usize) -> Mat3 {
        Mat3::from_cols_array_2d(&self.old.map(|col| col.map(|x| x.0[k])))
    }

    /// Both rotations of one of the four.
    pub fn turns(&self, k: usize) -> [Quat; 2] {
        [self.viscous, self.elastic].map(|turn| Quat::from_array(turn.map(|x| x.0[k])))
    }

    /// Sets them.
    pub fn set_turns(&mut self, k: usize, turns: [Quat; 2]) {
        for (lanes, turn) in [&mut self.viscous, &mut self.elastic].into_iter().zip(turns) {
            lanes.iter_mut().zip(turn.to_array()).for_each(|(lane, x)| lane.0[k] = x);
        }
    }
}

/// The pulls on the corners of a tetrahedron that is drawn by a stress times its volume.
pub(super) fn pulls(tet: &Tet, drawn: Mat3) -> Pulls {
    tet.gradients().map(|g| {
        let Vec3 { x, y, z } = drawn * g;
        Spot([x, y, z, 0.0])
    })
}

/// Deformations where the vertices are, and no rotation from there; six times the volumes to which they are drawn \[m³\].
pub(super) fn remember(fours: &[Four], flow: &[Spot], out: &mut [Turned], aims: &mut [Lane]) {
    in_lanes!(remember_here, remember_512, remember_256, (fours, flow, out, aims))
}

/// Turns tetrahedra nearer to where they are; `corotated` where rotations from rest matter. `pulls` are those of each.
pub(super) fn turn(
    fours: &[Four],
    flow: &[Spot],
    corotated: bool,
    turned: &mut [Turned],
    pulls: &mut [[Pulls; LANES]],
) {
    in_lanes!(turn_here, turn_512, turn_256, (fours, flow, corotated, turned, pulls))
}

/// How the elastic energy of tetrahedra, and that of their damping, goes along a line, rotations as they are: the
/// coefficients of t² to t⁶ \[J\]. That of t is their slope. `volumes` is six times those to which they are drawn.
pub(super) fn along(fours: &[Four], volumes: &[Lane], flow: &[Spot], step: &[Spot]) -> Powers {
    in_lanes!(along_here, along_512, along_256, (fours, volumes, flow, step))
}

/// Coefficients of t² to t⁶ \[J\].
pub(super) type Powers = [Real; 5];

/// The kernels for wider units. Those of AVX-512 are not used as such, but twice as many registers are.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Four, LANES, Lane, Powers, Pulls, Spot, Turned, along_here, remember_here, turn_here};
    use core::arch::x86_64::__m256d;

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn remember_512(fours: &[Four], flow: &[Spot], out: &mut [Turned], aims: &mut [Lane]) {
        remember_here::<__m256d>(fours, flow, out, aims);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn remember_256(fours: &[Four], flow: &[Spot], out: &mut [Turned], aims: &mut [Lane]) {
        remember_here::<__m256d>(fours, flow, out, aims);
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn along_512(fours: &[Four], volumes: &[Lane], flow: &[Spot], step: &[Spot]) -> Powers {
        along_here::<__m256d>(fours, volumes, flow, step)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn along_256(fours: &[Four], volumes: &[Lane], flow: &[Spot], step: &[Spot]) -> Powers {
        along_here::<__m256d>(fours, volumes, flow, step)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn turn_512(f: &[Four], flow: &[Spot], c: bool, t: &mut [Turned], p: &mut [[Pulls; LANES]]) {
        turn_here::<__m256d>(f, flow, c, t, p);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn turn_256(f: &[Four], flow: &[Spot], c: bool, t: &mut [Turned], p: &mut [[Pulls; LANES]]) {
        turn_here::<__m256d>(f, flow, c, t, p);
    }
}

#[inline(always)]
fn remember_here<V: Wide>(fours: &[Four], flow: &[Spot], out: &mut [Turned], aims: &mut [Lane]) {
    for ((four, out), aim) in fours.iter().zip(out).zip(aims) {
        let [x, y, z] = gradient::<V>(four, flow);
        let Aims { rest, old, whole, volume } = &four.aims;
        let drawn = V::of(rest).plus(V::of(old).times(dot(x, cross(y, z)))).over(V::of(whole));
        *aim = V::of(volume).times(drawn).lane();
        *out = Turned { old: [lanes(x), lanes(y), lanes(z)], ..Turned::default() };
    }
}

#[inline(always)]
fn turn_here<V: Wide>(
    fours: &[Four],
    flow: &[Spot],
    corotated: bool,
    turned: &mut [Turned],
    pulls: &mut [[Pulls; LANES]],
) {
    for ((four, turned), pulls) in fours.iter().zip(turned).zip(pulls) {
        let (f, old) = (gradient::<V>(four, flow), mats::<V>(&turned.old));
        let viscous = nearer::<V>(&mut turned.viscous, product(f, transpose(old)));
        let [x, y, z] = product(viscous, old);
        let by = V::of(&four.damping);
        let mut drawn = [scaled(x, by), scaled(y, by), scaled(z, by)];
        if corotated {
            let ([x, y, z], by) = (nearer::<V>(&mut turned.elastic, f), V::of(&four.corotated));
            drawn =
                [sum(drawn[0], scaled(x, by)), sum(drawn[1], scaled(y, by)), sum(drawn[2], scaled(z, by))];
        }
        let by = V::of(&four.force);
        let drawn = [scaled(drawn[0], by), scaled(drawn[1], by), scaled(drawn[2], by)];
        spread(drawn, mats::<V>(&four.inverse), pulls);
    }
}

#[inline(always)]
fn along_here<V: Wide>(fours: &[Four], volumes: &[Lane], flow: &[Spot], step: &[Spot]) -> Powers {
    let mut sums = [V::all(0.0); 5];
    let half = V::all(0.5);
    for (four, volume) in fours.iter().zip(volumes) {
        let (f, d) = (gradient::<V>(four, flow), gradient::<V>(four, step));
        let over = V::of(&four.aims.volume);
        // κ V of ½ κ V (J − aim)², from six times the volume; nothing of lanes without one.
        let firm = V::of(&four.aims.whole).times(over).times(V::all(1.0 / 6.0));
        let stretch = V::of(&four.stretch);
        // J − aim = gap + a t + b t² + c t³.
        let bulge = [cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1])];
        let curl = [cross(d[1], d[2]), cross(d[2], d[0]), cross(d[0], d[1])];
        let none = V::all(1e-300);
        let gap = dot(f[0], bulge[0]).minus(V::of(volume).over(over.plus(none)));
        let (a, b, c) = (inner(bulge, d), inner(curl, f), dot(d[0], curl[0]));
        let powers = [
            half.times(a.times(a)).plus(gap.times(b)),
            a.times(b).plus(gap.times(c)),
            half.times(b.times(b)).plus(a.times(c)),
            b.times(c),
            half.times(c.times(c)),
        ];
        for (sum, power) in sums.iter_mut().zip(powers) {
            *sum = sum.plus(firm.times(power));
        }
        sums[0] = sums[0].plus(half.times(stretch.times(inner(d, d))));
    }
    sums.map(|sum| sum.lane().0.iter().sum())
}

/// What a stress does to the four corners.
#[inline(always)]
fn spread<V: Wide>(drawn: Mats<V>, inverse: Mats<V>, pulls: &mut [Pulls; LANES]) {
    let [a, b, c] = transpose(inverse);
    let first = scaled(sum(sum(a, b), c), V::all(-1.0));
    let spots = [
        V::spots(apply(drawn, first)),
        V::spots(apply(drawn, a)),
        V::spots(apply(drawn, b)),
        V::spots(apply(drawn, c)),
    ];
    for (k, pulls) in pulls.iter_mut().enumerate() {
        *pulls = [spots[0][k], spots[1][k], spots[2][k], spots[3][k]];
    }
}

/// Turns rotations nearer to G, where they can be; their matrices.
#[inline(always)]
fn nearer<V: Wide>(turn: &mut [Lane; 4], g: Mats<V>) -> Mats<V> {
    let from = [V::of(&turn[0]), V::of(&turn[1]), V::of(&turn[2]), V::of(&turn[3])];
    let r = matrix(from);
    let now = inner(r, g);
    let axis = sum(sum(cross(r[0], g[0]), cross(r[1], g[1])), cross(r[2], g[2]));
    let size = inner(g, g).times(V::all(1.0 / 3.0)).root();
    let by = V::all(1.0).over(now.plus(size).size().plus(V::all(1e-9)));
    let [x, y, z, w] = follow(scaled(axis, by), from);
    let square = x.times(x).plus(y.times(y)).plus(z.times(z)).plus(w.times(w));
    let per = V::all(1.0).over(square.root());
    let next = [x.times(per), y.times(per), z.times(per), w.times(per)];
    let then = inner(matrix(next), g);
    let to = [
        then.choose_above(now, next[0], from[0]),
        then.choose_above(now, next[1], from[1]),
        then.choose_above(now, next[2], from[2]),
        then.choose_above(now, next[3], from[3]),
    ];
    *turn = [to[0].lane(), to[1].lane(), to[2].lane(), to[3].lane()];
    matrix(to)
}

/// The quaternion (half, 1) after another.
#[inline(always)]
fn follow<V: Wide>([x0, y0, z0]: [V; 3], [x1, y1, z1, w1]: [V; 4]) -> [V; 4] {
    [
        x1.plus(x0.times(w1)).plus(y0.times(z1)).minus(z0.times(y1)),
        y1.minus(x0.times(z1)).plus(y0.times(w1)).plus(z0.times(x1)),
        z1.plus(x0.times(y1)).minus(y0.times(x1)).plus(z0.times(w1)),
        w1.minus(x0.times(x1)).minus(y0.times(y1)).minus(z0.times(z1)),
    ]
}

/// The matrix of a unit quaternion.
#[inline(always)]
fn matrix<V: Wide>([x, y, z, w]: [V; 4]) -> Mats<V> {
    let (x2, y2, z2, one) = (x.plus(x), y.plus(y), z.plus(z), V::all(1.0));
    let (xx, xy, xz) = (x.times(x2), x.times(y2), x.times(z2));
    let (yy, yz, zz) = (y.times(y2), y.times(z2), z.times(z2));
    let (wx, wy, wz) = (w.times(x2), w.times(y2), w.times(z2));
    [
        [one.minus(yy.plus(zz)), xy.plus(wz), xz.minus(wy)],
        [xy.minus(wz), one.minus(xx.plus(zz)), yz.plus(wx)],
        [xz.plus(wy), yz.minus(wx), one.minus(xx.plus(yy))],
    ]
}

/// Deformation gradients.
#[inline(always)]
fn gradient<V: Wide>(four: &Four, flow: &[Spot]) -> Mats<V> {
    let [p, q, r, s] = &four.corners;
    let at = |place: u32| &flow[place as usize];
    let corner = |i: usize| [at(p[i]), at(q[i]), at(r[i]), at(s[i])];
    let a = V::across(corner(0));
    let edges =
        [apart(V::across(corner(1)), a), apart(V::across(corner(2)), a), apart(V::across(corner(3)), a)];
    product(edges, mats(&four.inverse))
}

#[inline(always)]
fn mats<V: Wide>([x, y, z]: &Mats<Lane>) -> Mats<V> {
    [
        [V::of(&x[0]), V::of(&x[1]), V::of(&x[2])],
        [V::of(&y[0]), V::of(&y[1]), V::of(&y[2])],
        [V::of(&z[0]), V::of(&z[1]), V::of(&z[2])],
    ]
}

#[inline(always)]
fn lanes<V: Wide>([x, y, z]: [V; 3]) -> [Lane; 3] {
    [x.lane(), y.lane(), z.lane()]
}

#[inline(always)]
fn transpose<V: Wide>([x, y, z]: Mats<V>) -> Mats<V> {
    [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
}

#[inline(always)]
fn apply<V: Wide>(m: Mats<V>, v: [V; 3]) -> [V; 3] {
    sum(sum(scaled(m[0], v[0]), scaled(m[1], v[1])), scaled(m[2], v[2]))
}

#[inline(always)]
fn product<V: Wide>(a: Mats<V>, [x, y, z]: Mats<V>) -> Mats<V> {
    [apply(a, x), apply(a, y), apply(a, z)]
}

#[inline(always)]
fn scaled<V: Wide>([x, y, z]: [V; 3], by: V) -> [V; 3] {
    [x.times(by), y.times(by), z.times(by)]
}

#[inline(always)]
fn sum<V: Wide>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0].plus(b[0]), a[1].plus(b[1]), a[2].plus(b[2])]
}

#[inline(always)]
fn cross<V: Wide>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [minor(a[1], b[2], b[1], a[2]), minor(a[2], b[0], b[2], a[0]), minor(a[0], b[1], b[0], a[1])]
}

/// The sum of the products of entries.
#[inline(always)]
fn inner<V: Wide>(a: Mats<V>, b: Mats<V>) -> V {
    dot(a[0], b[0]).plus(dot(a[1], b[1])).plus(dot(a[2], b[2]))
}

#[cfg(test)]
mod tests {
    use super::super::material::{self, Moduli, polar};
    use super::super::prepare::{Nearness, vec};
    use super::*;
    use crate::model::Region;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    /// Five tetrahedra of three materials, one of them without damping, in a space of twelve places.
    fn some_tets(seed: &mut u64) -> (Vec<Stuff>, Vec<Tet>, Vec<[u32; 4]>) {
        let stuff =
            [(Law::NeoHookean, 1.3), (Law::Corotated, 0.7), (Law::Corotated, 0.0)].map(|(law, damping)| {
                let region = Region { name: String::new(), law, young: 3.0, poisson: 0.4, density: 1.0 };
                Stuff { moduli: Moduli::of(&region, 1.0), damping }
            });
        let mut tets = Vec::new();
        for region in [0, 1, 2, 1, 0] {
            let inverse = Mat3::from_cols_array(&std::array::from_fn(|_| some(seed))) + Mat3::IDENTITY;
            tets.push(Tet { nodes: Default::default(), inverse, volume: 1.0 + some(seed).abs(), region });
        }
        let place = |seed: &mut u64| ((some(seed) + 1.0) * 6.0) as u32 % 12;
        let corners = (0..5).map(|_| std::array::from_fn(|_| place(seed))).collect();
        (stuff.to_vec(), tets, corners)
    }

    fn some_flow(seed: &mut u64) -> Vec<Spot> {
        (0..12).map(|_| Spot([some(seed), some(seed), some(seed), 0.0])).collect()
    }

    fn bits(x: Vec3) -> [u64; 3] {
        x.to_array().map(|x| (x + 0.0).to_bits())
    }

    /// Deformations, aims, rotations and pulls are those of the scalar twin to the bit, inverted or not, with vectors of
    /// this machine and with plain arrays.
    #[test]
    fn four_at_a_time_have_the_bits_of_one_by_one() {
        let mut seed = 4;
        for _ in 0..200 {
            let (stuff, tets, corners) = some_tets(&mut seed);
            let (start, flow) = (some_flow(&mut seed), some_flow(&mut seed));
            let fours: Vec<Four> = (tets.chunks(LANES).zip(corners.chunks(LANES)))
                .map(|(tets, corners)| Four::of(tets, corners, &stuff))
                .collect();
            let (mut wide, mut plain) = ([Turned::default(); 2], [Turned::default(); 2]);
            let (mut aims, mut plain_aims) = ([Lane::default(); 2], [Lane::default(); 2]);
            remember(&fours, &start, &mut wide, &mut aims);
            remember_here::<Lane>(&fours, &start, &mut plain, &mut plain_aims);
            let (mut drawn, mut plain_drawn) = <[[[Pulls; LANES]; 2]; 2]>::default().into();
            for _ in 0..3 {
                turn(&fours, &flow, true, &mut wide, &mut drawn);
                turn_here::<Lane>(&fours, &flow, true, &mut plain, &mut plain_drawn);
            }
            assert_eq!((drawn, aims), (plain_drawn, plain_aims));
            for (t, tet) in tets.iter().enumerate() {
                let (q, k, stuff) = (t / LANES, t % LANES, &stuff[tet.region as usize]);
                let at = |flow: &[Spot]| material::gradient(tet, corners[t].map(|p| vec(flow[p as usize])));
                let (old, f) = (at(&start), at(&flow));
                assert_eq!(wide[q].old(k), old);
                assert_eq!(
                    aims[q].0[k].to_bits(),
                    (6.0 * tet.volume * stuff.aim(old.determinant())).to_bits()
                );
                let (mut turns, mut slow) = ([Quat::IDENTITY; 2], Mat3::ZERO);
                for _ in 0..3 {
                    slow = stuff.turn(&mut turns, &f, &old, Nearness::Nearer);
                }
                let slow = pulls(tet, slow * (2.0 * stuff.moduli.shear * tet.volume));
                assert_eq!(drawn[q][k].map(|p| bits(vec(p))), slow.map(|p| bits(vec(p))));
                if stuff.damping > 0.0 {
                    assert_eq!(wide[q].turns(k)[0], turns[0]);
                }
            }
        }
    }

    /// Along a line the energy is the polynomial that it is said to be, inverted tetrahedra and missing lanes included.
    #[test]
    fn along_a_line_energy_is_the_polynomial() {
        let mut seed = 5;
        for _ in 0..100 {
            let (stuff, tets, corners) = some_tets(&mut seed);
            let (start, flow, step) = (some_flow(&mut seed), some_flow(&mut seed), some_flow(&mut seed));
            let fours: Vec<Four> = (tets.chunks(LANES).zip(corners.chunks(LANES)))
                .map(|(tets, corners)| Four::of(tets, corners, &stuff))
                .collect();
            let (mut turned, mut volumes) = ([Turned::default(); 2], [Lane::default(); 2]);
            remember(&fours, &start, &mut turned, &mut volumes);
            let powers = along(&fours, &volumes, &flow, &step);
            assert_eq!(powers, along_here::<Lane>(&fours, &volumes, &flow, &step));
            for t in [0.1, 1.0, -0.7, 3.0] {
                let (mut want, mut size) = (0.0, 0.0);
                for (i, tet) in tets.iter().enumerate() {
                    let stuff = &stuff[tet.region as usize];
                    let at =
                        |flow: &[Spot]| material::gradient(tet, corners[i].map(|p| vec(flow[p as usize])));
                    let (f, d) = (at(&flow), at(&step));
                    let aim = stuff.aim(at(&start).determinant());
                    let energy = |f: &Mat3| {
                        let more = f.determinant() - aim;
                        0.5 * tet.volume
                            * (stuff.stretch() * material::square(f) + stuff.bulk() * more * more)
                    };
                    let stress = f * stuff.stretch()
                        + material::cofactor(&f) * (stuff.bulk() * (f.determinant() - aim));
                    let (there, here) = (energy(&(f + d * t)), energy(&f));
                    want += there - here - t * tet.volume * material::inner(&stress, &d);
                    size += there + here;
                }
                let found = powers.iter().rev().fold(0.0, |sum, power| sum * t + power) * t * t;
                assert!((found - want).abs() < 1e-10 * size, "{found} {want}");
            }
        }
    }

    /// From no rotation at all, and strained by a third, a few rounds come to the polar rotation.
    #[test]
    fn rounds_of_four_come_to_the_polar_rotation() {
        let mut seed = 9;
        for _ in 0..50 {
            let (stuff, mut tets, corners) = some_tets(&mut seed);
            tets.iter_mut().for_each(|t| t.inverse = Mat3::IDENTITY);
            let turned = Mat3::from_quat(
                Quat::from_xyzw(some(&mut seed), some(&mut seed), some(&mut seed), 1.0).normalize(),
            );
            let strain = Mat3::from_diagonal(Vec3::new(1.3, 0.8, 1.0));
            let f = turned * strain;
            let flow: Vec<Spot> =
                [Vec3::ZERO, f.x_axis, f.y_axis, f.z_axis].map(|x| Spot([x.x, x.y, x.z, 0.0])).to_vec();
            let corners = vec![[0, 1, 2, 3]; corners.len()];
            let four = [Four::of(&tets[..4], &corners[..4], &stuff)];
            let (mut now, mut drawn) = ([Turned::default()], [Default::default()]);
            for _ in 0..40 {
                turn(&four, &flow, true, &mut now, &mut drawn);
            }
            let best = polar(&f);
            let found = now[0].turns(1)[1];
            assert!(found.dot(best).abs() > 1.0 - 1e-12, "{found} {best}");
        }
    }
}
