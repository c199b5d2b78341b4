//! Where primitives of a body go beside the turn of it all, and how much nearer two of them may come.

use super::{spin, worse};
use crate::detect::{Places, Search};
use crate::model::Model;
use crate::row::REST_GAP;
use crate::{PrimId, Real, Vec3, VertexId};

/// A primitive on its way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Going {
    /// The mean of its corners, and how far they are from there \[m\].
    pub middle: Vec3,
    size: Real,
    /// The mean of their ways, and how far any of its points may be from that \[m\].
    pub way: Vec3,
    pub spread: Real,
    /// How its patch turns \[rad\], and how far any of its points may be from its way and that turn about its middle \[m\].
    spin: Vec3,
    off: Real,
}

impl Going {
    /// How much nearer to one another two may come at most \[m\].
    ///
    /// Proof: that is no more than how far apart their ways are and both spreads. Or else let all ways be counted from a
    /// turn ω that is the mean of those of both: two points that are x apart go ω × x apart, and e beside that. Their
    /// middles go as far apart as their ways are beside ω × the way between them, points about these as far as either turn
    /// differs from ω, and `off` is what is left: e is no more than that together. At each share t of the substep the points
    /// are |x + t ω × x + t e| apart, which is no less than |x| − t |e|, since ω × x is square to x. ∎
    #[inline]
    pub fn margin(&self, other: &Self) -> Real {
        let plain = (self.way - other.way).length() + self.spread + other.spread;
        let (turn, differ) = ((self.spin + other.spin) * 0.5, 0.5 * (self.spin - other.spin).length());
        let between = (self.way - other.way - turn.cross(self.middle - other.middle)).length();
        let turned = between + differ * (self.size + other.size) + self.off + other.off;
        // Not a number stays none.
        if turned < plain { turned } else { plain }
    }
}

/// A patch as a whole, on its way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    /// The mean of its ways \[m\], and of the middles of its primitives.
    pub way: Vec3,
    middle: Vec3,
    /// How far any of it may be from that way \[m\].
    pub spread: Real,
    /// How it turns on the way \[rad\], and how far any of it may be from way and turn together \[m\].
    spin: Vec3,
    off: Real,
    /// How far any of its points is from the mean of its middles \[m\].
    radius: Real,
}

impl Course {
    /// No pair of the two patches comes nearer by more [`Going::margin`] than that \[m\]: each term of that is no more
    /// than the same of the patches, since ways of primitives are those of patches but for what `spread` and `off` hold.
    pub fn margin(&self, other: &Self) -> Real {
        let plain = (self.way - other.way).length() + self.spread + other.spread;
        let (turn, differ) = ((self.spin + other.spin) * 0.5, 0.5 * (self.spin - other.spin).length());
        let between = (self.way - other.way - turn.cross(self.middle - other.middle)).length();
        let turned = between + differ * (self.radius + other.radius) + self.off + other.off;
        if turned < plain { turned } else { plain }
    }
}

/// What a search asks of the ways of vertices: where each goes beside the turn of the body \[m\].
fn way(v: VertexId, (at, search): (Places, Search)) -> Vec3 {
    match search {
        Search::Near(reach) => reach.beside(v),
        Search::Overlap => Vec3::ZERO,
        Search::Between(end) => end.pos[v.at()] - at.pos[v.at()],
    }
}

/// And how far any point of a primitive may be from there, with half of what it keeps from others \[m\].
fn stray(prim: PrimId, (at, search): (Places, Search)) -> Real {
    match search {
        Search::Near(reach) => reach.stray(prim),
        Search::Overlap => 0.0,
        Search::Between(end) => (end.radius[prim.at()] - at.radius[prim.at()]).max(0.0) + REST_GAP,
    }
}

/// Where a primitive goes, but for the turn of its patch.
pub(super) fn go(model: &Model, prim: PrimId, of: (Places, Search)) -> Going {
    let corners = model.prims[prim.at()].kind.vertices();
    let mean = |sum: Vec3| sum / corners.len().max(1) as Real;
    let middle = mean(corners.iter().map(|v| of.0.pos[v.at()]).sum());
    let on = mean(corners.iter().map(|v| way(*v, of)).sum());
    let (mut size, mut spread) = (0.0, 0.0);
    for v in corners {
        size = worse(size, (of.0.pos[v.at()] - middle).length_squared());
        spread = worse(spread, (way(*v, of) - on).length_squared());
    }
    let spread = spread.sqrt() + stray(prim, of);
    Going { middle, size: size.sqrt(), way: on, spread, spin: Vec3::ZERO, off: spread }
}

/// Where a patch and its primitives go, which are counted from the first one of their body.
pub(super) fn turn(
    model: &Model,
    (first, prims): (u32, &[u32]),
    of: (Places, Search),
    goes: &mut [Going],
) -> Course {
    for p in prims {
        goes[*p as usize] = go(model, PrimId(first + p), of);
    }
    let count = prims.len() as Real;
    let all = || prims.iter().map(|p| &goes[*p as usize]);
    let way_of_all = all().map(|g| g.way).sum::<Vec3>() / count;
    let middle = all().map(|g| g.middle).sum::<Vec3>() / count;
    let spin = spin(all().map(|g| (g.middle - middle, g.way - way_of_all)));
    let mut course = Course { way: way_of_all, middle, spread: 0.0, spin, off: 0.0, radius: 0.0 };
    for p in prims {
        let (prim, going) = (PrimId(first + p), &mut goes[*p as usize]);
        let mut off = 0.0;
        for v in model.prims[prim.at()].kind.vertices() {
            let turned = spin.cross(of.0.pos[v.at()] - going.middle);
            off = worse(off, (way(*v, of) - going.way - turned).length_squared());
        }
        (going.spin, going.off) = (spin, off.sqrt() + stray(prim, of));
        let (at, on) = (going.middle - middle, going.way - way_of_all);
        course.spread = worse(course.spread, on.length() + going.spread);
        course.off = worse(course.off, (on - spin.cross(at)).length() + going.off);
        course.radius = worse(course.radius, at.length() + going.size);
    }
    course
}

#[cfg(test)]
mod tests {
    use super::super::noise3;
    use super::*;
    use crate::BodyId;
    use crate::detect::Reach;
    use crate::model::{Body, BodyKind, Prim, PrimKind, SpringBody};

    /// So many edges, each by itself, about either of two places.
    fn two_patches(edges: u32, seed: &mut u64) -> Model {
        let prims = (0..2 * edges).map(|k| Prim {
            body: BodyId(0),
            kind: PrimKind::Segment([VertexId(2 * k), VertexId(2 * k + 1)]),
            radius: 1e-3,
            membrane: false,
        });
        let body = Body {
            name: "edges".to_owned(),
            kind: BodyKind::Springs(SpringBody { blocks: Vec::new(), between: 0..0 }),
            vertices: 0..4 * edges,
            prims: 0..2 * edges,
            self_contact: true,
            membrane_contact: false,
        };
        let place = |v: u32| Vec3::X * if v < 2 * edges { 0.0 } else { 1.5 } + noise3(seed) * 0.5;
        let rest = (0..4 * edges).map(place).collect();
        Model { rest, bodies: vec![body], prims: prims.collect(), ..Model::default() }
    }

    /// Where primitives go, patch by patch.
    fn goes(model: &Model, reach: &Reach, half: u32) -> (Vec<Going>, [Course; 2]) {
        let radius = vec![1e-3; model.prims.len()];
        let at = Places { pos: &model.rest, pose: &[], radius: &radius };
        let of = (at, Search::Near(reach));
        let mut all = vec![Going::default(); model.prims.len()];
        let numbers: Vec<u32> = (0..2 * half).collect();
        let (one, two) = numbers.split_at(half as usize);
        let courses = [one, two].map(|prims| turn(model, (0, prims), of, &mut all));
        (all, courses)
    }

    /// The slow twin: many points of both at many instants.
    #[test]
    fn two_come_no_nearer_than_their_margin() {
        let (mut seed, mut tight) = (1, 0);
        for round in 0..60 {
            let model = two_patches(4, &mut seed);
            let mut reach = Reach::around(&model, vec![0.0; 8]);
            let turns = [0; 2].map(|_| noise3(&mut seed) * 0.3);
            let noise = [0.0, 0.02, 0.2][round % 3];
            reach.ways = (0..16_usize)
                .map(|v| turns[v / 8 * (round % 2)].cross(model.rest[v]) + noise3(&mut seed) * noise)
                .collect();
            reach.bound(&model);
            let (goes, [p, q]) = goes(&model, &reach, 4);
            for (a, b) in (0..4).flat_map(|a| (4..8).map(move |b| (a, b))) {
                let margin = goes[a].margin(&goes[b]) - REST_GAP;
                assert!(margin + REST_GAP <= p.margin(&q) * (1.0 + 1e-12));
                let at = |prim: usize, s: Real, t: Real| {
                    let end = |k: usize| model.rest[2 * prim + k] + reach.ways[2 * prim + k] * t;
                    end(0).lerp(end(1), s)
                };
                let mut nearer: Real = 0.0;
                for k in 0..200 {
                    let [s, u, t] = (noise3(&mut seed) * 0.5 + Vec3::splat(0.5)).to_array();
                    let t = if k % 2 == 0 { 1.0 } else { t };
                    nearer =
                        nearer.max(at(a, s, 0.0).distance(at(b, u, 0.0)) - at(a, s, t).distance(at(b, u, t)));
                }
                assert!(nearer <= margin + 1e-12, "{nearer} {margin}");
                // What turns as one comes no nearer.
                assert!(round % 6 > 0 || margin < 1e-12, "{margin}");
                tight += usize::from(margin < 3.0 * nearer);
            }
        }
        assert!(tight > 50, "{tight}");
    }

    #[test]
    fn what_is_not_a_number_stays_none() {
        let mut seed = 2;
        let model = two_patches(2, &mut seed);
        let mut reach = Reach::around(&model, vec![0.0; 4]);
        reach.ways[1] = Vec3::NAN;
        reach.bound(&model);
        let (goes, [p, q]) = goes(&model, &reach, 2);
        assert!(goes[0].margin(&goes[2]).is_nan() && p.margin(&q).is_nan());
    }
}
