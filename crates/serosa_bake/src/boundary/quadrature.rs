//! Integrals of the kernels over a flat face, times the share that each corner has in a point of it.

use super::kernel::Kelvin;
use serosa_geometry::{Mat3, Real, Vec3};

/// Points of the rule in one angle at a corner: exact to ten digits where no angle of the face is below 20°.
const ANGLES: usize = 16;
/// Halvings of a face before a point is taken to be as near as it needs to be: 2¹⁶ times nearer than its size.
const DEEPEST: u32 = 16;
/// The distance, in circumscribed sizes of a face, from which each rule has an error of some 1e-5 of the integral: a
/// rule of degree q errs by (size / distance)^(q + 1).
const FAR: Real = 30.0;
const MIDDLE: Real = 7.0;
const NEAR: Real = 3.5;

/// A face as it is integrated over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub corners: [Vec3; 3],
    /// Unit, outwards.
    pub normal: Vec3,
    pub area: Real,
}

impl Face {
    pub fn of(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let twice = (b - a).cross(c - a);
        let length = twice.length();
        Self { corners, normal: twice / length, area: 0.5 * length }
    }
}

/// What a face does to a point: one block for each corner. `traction` is that of p*, `displacement` that of u*.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub displacement: [Mat3; 3],
    pub traction: [Mat3; 3],
}

/// The rules, made once.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Shares of the corners and weights that sum to 1; of degrees 2, 5 and 8.
    flat: [Vec<(Vec3, Real)>; 3],
    /// Places and weights in \[0, 1\].
    angles: [(Real, Real); ANGLES],
}

impl Rules {
    pub fn new() -> Self {
        Self { flat: [degree_2(), degree_5(), degree_8()], angles: gauss() }
    }

    /// From a point that is not on the face. Where it is near, the face is halved both ways until no part is large beside
    /// its distance: O(log(size / distance)) evaluations.
    pub fn apart(&self, kelvin: &Kelvin, face: &Face, from: Vec3) -> Pair {
        let mut pair = Pair::NOTHING;
        self.part(kelvin, face, from, [Vec3::X, Vec3::Y, Vec3::Z], DEEPEST, &mut pair);
        pair
    }

    /// One part of a face, given by the shares of its corners.
    fn part(&self, kelvin: &Kelvin, face: &Face, from: Vec3, part: [Vec3; 3], deeper: u32, pair: &mut Pair) {
        let [a, b, c] = part.map(|share| face.at(share) - from);
        let middle = (a + b + c) / 3.0;
        let size_sq = (a - middle).length_squared().max((b - middle).length_squared());
        let size_sq = size_sq.max((c - middle).length_squared());
        let far_sq = middle.length_squared();
        let rule = match far_sq / size_sq {
            q if q > FAR * FAR => &self.flat[0],
            q if q > MIDDLE * MIDDLE => &self.flat[1],
            q if q > NEAR * NEAR || deeper == 0 => &self.flat[2],
            _ => {
                let [p, q, r] = part;
                let [pq, qr, rp] = [(p + q) * 0.5, (q + r) * 0.5, (r + p) * 0.5];
                for part in [[p, pq, rp], [pq, q, qr], [rp, qr, r], [qr, rp, pq]] {
                    self.part(kelvin, face, from, part, deeper - 1, pair);
                }
                return;
            }
        };
        let area = 0.5 * (b - a).cross(c - a).length();
        let shares = Mat3::from_cols_array_2d(&part.map(|share| share.to_array()));
        for (within, weight) in rule {
            let r = Mat3::from_cols(a, b, c) * *within;
            pair.add(kelvin, r, face.normal, shares * *within * (weight * area));
        }
    }

    /// From one of its own corners. In polar coordinates about it the 1/r of u* is gone; p* has 1/r² and is left at the
    /// corner's own share, where it has no integral by itself: the identity of rigid motion supplies that.
    pub fn at_corner(&self, kelvin: &Kelvin, face: &Face, corner: usize) -> Pair {
        let [at, next, last] = [0, 1, 2].map(|k| (corner + k) % 3);
        let first = face.corners[next] - face.corners[at];
        let second = face.corners[last] - face.corners[at];
        let along = first.normalize();
        let across = face.normal.cross(along);
        let whole = libm::atan2(second.dot(across), second.dot(along));
        let edge = second - first;
        let mut pair = Pair::NOTHING;
        for (place, weight) in self.angles {
            let angle = whole * place;
            let way = along * libm::cos(angle) + across * libm::sin(angle);
            let length = 2.0 * face.area / way.cross(edge).length();
            let share = (way * length - first).dot(edge) / edge.length_squared();
            let (give, pull) = (kelvin.displacement(way), kelvin.traction(way, face.normal));
            let weight = weight * whole;
            for (k, share) in [(at, 1.0), (next, 1.0 - share), (last, share)] {
                pair.displacement[k] += give * (0.5 * length * share * weight);
                if k != at {
                    pair.traction[k] += pull * (share * weight);
                }
            }
        }
        pair
    }
}

impl Face {
    #[inline]
    fn at(&self, share: Vec3) -> Vec3 {
        self.corners[0] * share.x + self.corners[1] * share.y + self.corners[2] * share.z
    }
}

impl Pair {
    const NOTHING: Self = Self { displacement: [Mat3::ZERO; 3], traction: [Mat3::ZERO; 3] };

    #[inline]
    fn add(&mut self, kelvin: &Kelvin, r: Vec3, normal: Vec3, shares: Vec3) {
        let (give, pull) = (kelvin.displacement(r), kelvin.traction(r, normal));
        for k in 0..3 {
            self.displacement[k] += give * shares[k];
            self.traction[k] += pull * shares[k];
        }
    }
}

/// All turns of one point.
fn turns(a: Real, b: Real, weight: Real) -> [(Vec3, Real); 3] {
    let c = 1.0 - a - b;
    [(Vec3::new(a, b, c), weight), (Vec3::new(b, c, a), weight), (Vec3::new(c, a, b), weight)]
}

fn degree_2() -> Vec<(Vec3, Real)> {
    turns(1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0).to_vec()
}

/// Radon's seven points.
fn degree_5() -> Vec<(Vec3, Real)> {
    let root = libm::sqrt(15.0);
    let mut rule = vec![(Vec3::splat(1.0 / 3.0), 0.225)];
    for sign in [-1.0, 1.0] {
        let a = (6.0 + sign * root) / 21.0;
        rule.extend(turns(a, a, (155.0 + sign * root) / 1200.0));
    }
    rule
}

/// Dunavant's sixteen points.
fn degree_8() -> Vec<(Vec3, Real)> {
    let mut rule = vec![(Vec3::splat(1.0 / 3.0), 0.144_315_607_677_787)];
    let even = [
        (0.459_292_588_292_723, 0.095_091_634_267_285),
        (0.170_569_307_751_760, 0.103_217_370_534_718),
        (0.050_547_228_317_031, 0.032_458_497_623_198),
    ];
    even.iter().for_each(|(a, weight)| rule.extend(turns(*a, *a, *weight)));
    let (a, b, weight) = (0.008_394_777_409_958, 0.263_112_829_634_638, 0.027_230_314_174_435);
    rule.extend(turns(a, b, weight));
    rule.extend(turns(b, a, weight));
    rule
}

/// Gauss's points in \[0, 1\]: the roots of Legendre's polynomial by Newton's method.
fn gauss() -> [(Real, Real); ANGLES] {
    let n = ANGLES as Real;
    std::array::from_fn(|i| {
        let mut x = libm::cos(core::f64::consts::PI * (i as Real + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut last, mut here) = (1.0, x);
            for k in 2..=ANGLES {
                let k = k as Real;
                (last, here) = (here, ((2.0 * k - 1.0) * x * here - (k - 1.0) * last) / k);
            }
            slope = n * (x * here - last) / (x * x - 1.0);
            x -= here / slope;
        }
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Material;
    use super::*;

    const STUFF: Material = Material { young: 3.0, poisson: 0.3 };

    fn factorial(n: u32) -> Real {
        (1..=n).map(Real::from).product()
    }

    #[test]
    fn rules_are_exact_to_their_degrees() {
        let rules = Rules::new();
        for (rule, degree) in rules.flat.iter().zip([2, 5, 8]) {
            for a in 0..=degree {
                for b in 0..=degree - a {
                    let power = |x: Real, n: u32| (0..n).map(|_| x).product::<Real>();
                    let got: Real = rule.iter().map(|(p, w)| w * power(p.x, a) * power(p.y, b)).sum();
                    let want = 2.0 * factorial(a) * factorial(b) / factorial(a + b + 2);
                    assert!((got - want).abs() < 1e-14, "degree {degree}: x^{a} y^{b} {got} {want}");
                }
            }
        }
        let moment = |n: i32| rules.angles.iter().map(|(x, w)| w * x.powi(n)).sum::<Real>();
        (0..32).for_each(|n| assert!((moment(n) - 1.0 / Real::from(n + 1)).abs() < 1e-14, "x^{n}"));
    }

    /// Both, by parts so small that any rule will do.
    fn fine(kelvin: &Kelvin, face: &Face, from: Vec3, depth: u32) -> Pair {
        let rules = Rules::new();
        let n = 1 << depth;
        let mut pair = Pair::NOTHING;
        let share = |i: usize, j: usize| {
            let (x, y) = (i as Real / n as Real, j as Real / n as Real);
            Vec3::new(1.0 - x - y, x, y)
        };
        for i in 0..n {
            for j in 0..n - i {
                rules.part(kelvin, face, from, [share(i, j), share(i + 1, j), share(i, j + 1)], 0, &mut pair);
                if i + j + 1 < n {
                    let other = [share(i + 1, j + 1), share(i, j + 1), share(i + 1, j)];
                    rules.part(kelvin, face, from, other, 0, &mut pair);
                }
            }
        }
        pair
    }

    fn differ(a: &Mat3, b: &Mat3) -> Real {
        (*a - *b).to_cols_array().iter().fold(0.0, |most: Real, x| most.max(x.abs()))
    }

    #[test]
    fn near_and_far_integrals_are_those_of_a_fine_subdivision() {
        let kelvin = Kelvin::of(&STUFF);
        let face = Face::of([Vec3::new(0.1, 0.0, 0.2), Vec3::new(1.2, 0.1, 0.0), Vec3::new(0.4, 0.9, 0.3)]);
        let middle = (face.corners[0] + face.corners[1] + face.corners[2]) / 3.0;
        for height in [0.02, 0.1, 0.5, 1.0, 2.5, 6.0, 40.0] {
            for aside in [Vec3::ZERO, Vec3::new(0.7, 0.3, 0.0)] {
                let from = middle + face.normal * height + aside;
                let got = Rules::new().apart(&kelvin, &face, from);
                let want = fine(&kelvin, &face, from, 7);
                let size = |m: &[Mat3; 3]| m.iter().map(|m| differ(m, &Mat3::ZERO)).fold(0.0, Real::max);
                for k in 0..3 {
                    let error =
                        differ(&got.displacement[k], &want.displacement[k]) / size(&want.displacement);
                    assert!(error < 2e-5, "u* at {height}: {error:e}");
                    let error = differ(&got.traction[k], &want.traction[k]) / size(&want.traction);
                    assert!(error < 2e-5, "p* at {height}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn integrals_at_a_corner_are_those_of_ever_smaller_parts() {
        let kelvin = Kelvin::of(&STUFF);
        let face = Face::of([Vec3::new(0.1, 0.0, 0.2), Vec3::new(1.2, 0.1, 0.0), Vec3::new(0.4, 0.9, 0.3)]);
        for corner in 0..3 {
            let got = Rules::new().at_corner(&kelvin, &face, corner);
            // Halving towards the corner: what is left out shrinks by half each time, the rest is taken as it is.
            let from = face.corners[corner];
            let mut want = Pair::NOTHING;
            let unit = [Vec3::X, Vec3::Y, Vec3::Z];
            let (own, next, last) = (unit[corner], unit[(corner + 1) % 3], unit[(corner + 2) % 3]);
            let mut size = 1.0;
            for _ in 0..40 {
                let [far_a, far_b] = [next, last].map(|to| own + (to - own) * size);
                let [near_a, near_b] = [next, last].map(|to| own + (to - own) * (0.5 * size));
                for part in [[near_a, far_a, far_b], [near_a, far_b, near_b]] {
                    Rules::new().part(&kelvin, &face, from, part, DEEPEST, &mut want);
                }
                size *= 0.5;
            }
            for k in 0..3 {
                let error = differ(&got.displacement[k], &want.displacement[k]);
                assert!(error < 2e-6, "u* of {k} at {corner}: {error:e}");
                if k != corner {
                    let error = differ(&got.traction[k], &want.traction[k]);
                    assert!(error < 2e-5, "p* of {k} at {corner}: {error:e}");
                }
            }
        }
    }
}
