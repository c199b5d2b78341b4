//! The coarse correction: what sweeps are slow at, in a few unknowns.
//!
//! A sweep takes strain out of a body over one edge at a time; what spans it from end to end takes as many sweeps as there are
//! edges, squared. So after every other sweep the body takes a step in its coarse space ([`Coarse`]): handles that shift and strain
//! what is around them, each turned as the body is there where the substep begins. The matrix is that of the body at rest
//! in this space (Galerkin), with the rows that push or pull now. The step goes as far as Φ sinks along it, which is known
//! exactly: with rotations as they are, Φ of the body is a polynomial along a line.

use super::lanes::Spot;
use super::loads::Load;
use super::prepare::{Solid, spot, vec};
use super::strain::tets;
use super::{Among, SolidWork, touched};
use crate::algebra::{Dense, best_rotation, widest};
use crate::model::{Coarse, HANDLE_MODES as MODES, Layout, SolidBody};
use crate::respond::augmented_lagrangian::{Contacts, Touching, each_vertex};
use crate::{Mat3, Real, Vec3};
use std::ops::Range;

/// Rounds of Newton's method for the length of a step, and the longest, of that which the matrix asks for.
const ROUNDS: usize = 5;
const LONGEST: Real = 4.0;
/// Added to the diagonal, of its largest entry: functions that do nothing, or what others do, change nothing.
const LEAST: Real = 1e-9;

/// What each function of a handle gets, or does, along x, y and z.
type Load3 = [[Real; MODES]; 3];

/// Working arrays of the coarse correction of a solid.
#[derive(Clone, Debug, Default)]
pub(super) struct CoarseWork {
    /// Of the substep, with inertia, damping and walls \[N/m\], and its factor; none where it has none.
    matrix: Vec<Real>,
    bare: Dense,
    sound: bool,
    /// The same with rows.
    pushed: Vec<Real>,
    held: Dense,
    /// For which rows `held` was made in this substep: which, whether they push, and whether they slide.
    made_for: Vec<(u32, bool, bool)>,
    now: Vec<(u32, bool, bool)>,
    /// From rest, one for each handle.
    turns: Vec<Mat3>,
    sums: Vec<Sum>,
    /// Forces and the step, by places.
    slopes: Vec<Spot>,
    step: Vec<Spot>,
    /// By handles: coordinates of what each of its functions gets.
    load: Vec<Load3>,
    flat: Vec<Real>,
    /// Of a row: how functions move its points apart, and which handles do.
    weights: Vec<[Real; MODES]>,
    touched: Vec<u32>,
    /// Rows along the step: which, from B's point to A's, and how that changes \[m\].
    lines: Vec<(u32, Vec3, Vec3)>,
}

/// What is around a handle: Σ w, Σ w X, Σ w x, Σ w x Xᵀ.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(Real, Vec3, Vec3, Mat3);

impl CoarseWork {
    /// The matrix of a substep: inertia by 1/h², and the elastic part by so much. O(functions³).
    pub fn weigh(&mut self, coarse: &Coarse, per_h2: Real, stiffer: Real) {
        let n = coarse.functions();
        self.matrix.clear();
        self.matrix.extend(coarse.elastic.iter().map(|k| k * stiffer));
        for s in 0..n {
            for t in 0..n {
                let even = coarse.mass[s * n + t] * per_h2 + coarse.walls[s * n + t];
                (0..3).for_each(|i| self.matrix[(3 * s + i) * 3 * n + 3 * t + i] += even);
            }
        }
        let most = (0..3 * n).map(|i| self.matrix[i * 3 * n + i]).fold(0.0, Real::max);
        (0..3 * n).for_each(|i| self.matrix[i * 3 * n + i] += LEAST * most);
        let m = &self.matrix;
        self.sound = n > 0 && self.bare.factor(3 * n, |i, j| m[i * 3 * n + j]).is_ok();
    }

    /// The rotation of each handle, next to what is around it did. O(vertices).
    pub fn turn(&mut self, coarse: &Coarse, rest: &[Vec3], pos: &[Vec3]) {
        self.made_for.clear();
        self.sums.clear();
        self.sums.resize(coarse.handles.len(), Sum::default());
        for (v, (rest, pos)) in rest.iter().zip(pos).enumerate() {
            for share in coarse.of(v) {
                let (w, sum) = (share.modes[0], &mut self.sums[share.handle as usize]);
                let x = (*rest - coarse.handles[share.handle as usize]) * w;
                sum.0 += w;
                sum.1 += x;
                sum.2 += *pos * w;
                sum.3 += Mat3::from_cols(*pos * x.x, *pos * x.y, *pos * x.z);
            }
        }
        self.turns.clear();
        self.turns.extend(self.sums.iter().map(|Sum(w, x, p, spread)| {
            let mean = *p / *w;
            let spread = *spread - Mat3::from_cols(mean * x.x, mean * x.y, mean * x.z);
            Mat3::from_quat(best_rotation(spread))
        }));
    }

    /// The step, by places, and what Φ promises to sink by, to first order \[J\].
    fn aim(&mut self, body: &SolidBody, vertices: &Range<usize>, rows: Option<(usize, &Contacts)>) -> Real {
        let coarse = &*body.coarse;
        self.load.clear();
        self.load.resize(coarse.handles.len(), Default::default());
        let places = &body.layout.places;
        draw(coarse, places, &self.slopes, &mut self.load);
        self.flat.clear();
        for ([x, y, z], turn) in self.load.iter().zip(&self.turns) {
            let back = turn.transpose();
            let functions = (0..MODES).flat_map(|i| (back * Vec3::new(x[i], y[i], z[i])).to_array());
            self.flat.extend(functions);
        }
        match rows {
            Some((b, contacts)) if self.hold(coarse, b, vertices, contacts) => {
                self.held.solve(&mut self.flat)
            }
            _ => self.bare.solve(&mut self.flat),
        }
        for ((load, turn), flat) in
            self.load.iter_mut().zip(&self.turns).zip(self.flat.chunks_exact(3 * MODES))
        {
            for (i, x) in flat.chunks_exact(3).enumerate() {
                let x = *turn * Vec3::new(x[0], x[1], x[2]);
                (0..3).for_each(|c| load[c][i] = x[c]);
            }
        }
        self.step.clear();
        self.step.resize(self.slopes.len(), Spot::default());
        blend(coarse, places, &self.load, &mut self.step);
        let along = |place: &u32| vec(self.step[*place as usize]).dot(vec(self.slopes[*place as usize]));
        places.iter().map(along).sum()
    }

    /// Factors the matrix with the rows of the body; false where none pushes or pulls. O(rows · shares² + functions³).
    fn hold(&mut self, coarse: &Coarse, b: usize, vertices: &Range<usize>, contacts: &Contacts) -> bool {
        self.now.clear();
        for r in contacts.links.rows_of(b) {
            let row = &contacts.touching[*r as usize];
            let (pushes, slides) = row.how(row.between(contacts.pos, contacts.pose));
            if pushes || row.is_felt() {
                self.now.push((*r, pushes, slides));
            }
        }
        if self.now.is_empty() || self.now == self.made_for {
            return !self.now.is_empty();
        }
        std::mem::swap(&mut self.now, &mut self.made_for);
        let n = 3 * coarse.functions();
        self.pushed.clone_from(&self.matrix);
        for i in 0..self.made_for.len() {
            let row = &contacts.touching[self.made_for[i].0 as usize];
            let matrix = row.answer(row.between(contacts.pos, contacts.pose)).matrix;
            self.gather(coarse, row, vertices);
            for a in &self.touched {
                for c in self.touched.iter().filter(|c| *c <= a) {
                    let (a, c) = (*a as usize, *c as usize);
                    let block = self.turns[a].transpose() * matrix * self.turns[c];
                    for (i, x) in self.weights[a].iter().enumerate() {
                        for (j, y) in self.weights[c].iter().enumerate() {
                            let at = (3 * (MODES * a + i)) * n + 3 * (MODES * c + j);
                            for k in 0..3 {
                                let row = block.row(k) * (x * y);
                                self.pushed[at + k * n..][..3]
                                    .iter_mut()
                                    .zip(row.to_array())
                                    .for_each(|(e, r)| *e += r);
                            }
                        }
                    }
                }
            }
        }
        // The lower half is enough.
        let m = &self.pushed;
        let sound = self.held.factor(n, |i, j| m[i * n + j]).is_ok();
        if !sound {
            self.made_for.clear();
        }
        sound
    }

    /// How functions move the points of a row apart.
    fn gather(&mut self, coarse: &Coarse, row: &Touching, vertices: &Range<usize>) {
        self.weights.resize(coarse.handles.len(), [0.0; MODES]);
        for handle in self.touched.drain(..) {
            self.weights[handle as usize] = [0.0; MODES];
        }
        let (touched, weights) = (&mut self.touched, &mut self.weights);
        own_vertices(row, vertices, |v, weight| {
            for share in coarse.of(v) {
                if !touched.contains(&share.handle) {
                    touched.push(share.handle);
                }
                let own = &mut weights[share.handle as usize];
                own.iter_mut().zip(share.modes).for_each(|(own, s)| *own += weight * s);
            }
        });
    }

    /// How rows change along the step.
    fn follow(&mut self, layout: &Layout, b: usize, vertices: &Range<usize>, contacts: &Contacts) {
        self.lines.clear();
        for r in contacts.links.rows_of(b) {
            let row = &contacts.touching[*r as usize];
            let mut moves = Vec3::ZERO;
            own_vertices(row, vertices, |v, weight| {
                moves += vec(self.step[layout.places[v] as usize]) * weight
            });
            if moves != Vec3::ZERO {
                self.lines.push((*r, row.between(contacts.pos, contacts.pose), moves));
            }
        }
    }

    /// The share of the step at which Φ is least, as far as it was looked for; nothing where it does not sink.
    fn length(&self, line: &Line, touching: &[Touching]) -> Option<Real> {
        let at = |t: Real| {
            self.lines.iter().fold(line.at(t), |[phi, slope, bend], (r, between, moves)| {
                let (row, to) = (&touching[*r as usize], *between + *moves * t);
                let answer = row.answer(to);
                let start = row.potential(*between);
                [
                    phi + (answer.potential - start),
                    slope - answer.force.dot(*moves),
                    bend + moves.dot(answer.matrix * *moves),
                ]
            })
        };
        let (mut t, mut best) = (1.0, (0.0, 0.0));
        for _ in 0..ROUNDS {
            let [phi, slope, bend] = at(t);
            if phi < best.0 {
                best = (phi, t);
            }
            let next = t - slope / bend;
            let next = if next.is_finite() && bend > 0.0 { next.clamp(0.1 * t, LONGEST) } else { 0.5 * t };
            if (next - t).abs() < 0.05 * t {
                break;
            }
            t = next;
        }
        (best.1 > 0.0).then_some(best.1)
    }
}

/// What forces on vertices do to the functions of handles.
fn draw(coarse: &Coarse, places: &[u32], forces: &[Spot], load: &mut [Load3]) {
    widest!(draw_here(coarse, places, forces, load))
}

#[inline(always)]
fn draw_here(coarse: &Coarse, places: &[u32], forces: &[Spot], load: &mut [Load3]) {
    for (v, place) in places.iter().enumerate() {
        let force = forces[*place as usize].0;
        for share in coarse.of(v) {
            let load = &mut load[share.handle as usize];
            for (load, f) in load.iter_mut().zip(force) {
                *load = core::array::from_fn(|k| load[k] + f * share.modes[k]);
            }
        }
    }
}

/// What the functions of handles do to vertices.
fn blend(coarse: &Coarse, places: &[u32], load: &[Load3], step: &mut [Spot]) {
    widest!(blend_here(coarse, places, load, step))
}

#[inline(always)]
fn blend_here(coarse: &Coarse, places: &[u32], load: &[Load3], step: &mut [Spot]) {
    for (v, place) in places.iter().enumerate() {
        let mut d = [[0.0; MODES]; 3];
        for share in coarse.of(v) {
            for (d, load) in d.iter_mut().zip(&load[share.handle as usize]) {
                *d = core::array::from_fn(|k| d[k] + load[k] * share.modes[k]);
            }
        }
        step[*place as usize] = spot(Vec3::from_array(d.map(|d| (d[0] + d[1]) + (d[2] + d[3]))));
    }
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Coarse, Load3, Spot};

    #[target_feature(enable = "avx2")]
    pub(super) fn draw_here(coarse: &Coarse, places: &[u32], forces: &[Spot], load: &mut [Load3]) {
        super::draw_here(coarse, places, forces, load);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn blend_here(coarse: &Coarse, places: &[u32], load: &[Load3], step: &mut [Spot]) {
        super::blend_here(coarse, places, load, step);
    }
}

/// Φ of a body along a line, less that where it begins: −slope t + Σ powers t² … t⁶ \[J\].
struct Line {
    slope: Real,
    powers: [Real; 5],
}

impl Line {
    /// Φ, how it changes, and how that does.
    fn at(&self, t: Real) -> [Real; 3] {
        let (mut phi, mut first, mut second) = (0.0, 0.0, 0.0);
        for (power, k) in self.powers.iter().zip(2..7).rev() {
            let k = Real::from(k);
            phi = phi * t + power;
            first = first * t + k * power;
            second = second * t + k * (k - 1.0) * power;
        }
        [(phi * t - self.slope) * t, first * t - self.slope, second]
    }
}

/// The vertices of a body that a row holds, counted from its first, each with its weight, positive on side A.
fn own_vertices(row: &Touching, vertices: &Range<usize>, mut emit: impl FnMut(usize, Real)) {
    each_vertex(row, &mut |v, weight| {
        if vertices.contains(&v) {
            emit(v - vertices.start, weight);
        }
    });
}

/// One step of a body in its coarse space. O(tetrahedra + rows · shares² + functions³).
pub(super) fn correct(among: &mut Among, (b, body): (usize, &SolidBody), works: &mut [SolidWork]) {
    if !works[b].coarse.sound {
        return;
    }
    let (model, vertices) = (among.sub.model, among.sub.model.bodies[b].vertex_range());
    let SolidWork { made_for, inertia, weights, turning, flow, loads, coarse, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
    coarse.slopes.resize(flow.len(), Spot::default());
    solid.slopes(turning, weights, flow, &mut coarse.slopes);
    touched::push(model, (b, body), &among.contacts, &mut coarse.slopes);
    let slope = coarse.aim(body, &vertices, among.contacts.any(b).then_some((b, &among.contacts)));
    coarse.follow(&body.layout, b, &vertices, &among.contacts);
    let touching = among.contacts.touching;
    let rows: Real =
        coarse.lines.iter().map(|(r, x, d)| touching[*r as usize].answer(*x).force.dot(*d)).sum();
    let mut line = Line { slope: slope - rows, powers: solid.along(turning, flow, &coarse.step) };
    line.powers[0] += resisted(&body.layout, inertia, loads, &coarse.step);
    let Some(share) = coarse.length(&line, touching) else { return };
    for (x, place) in among.contacts.pos[vertices].iter_mut().zip(&body.layout.places) {
        let at = *place as usize;
        *x = vec(flow[at]) + vec(coarse.step[at]) * share;
        flow[at] = spot(*x);
    }
}

/// Half of what inertia and loads resist a step with \[J\].
fn resisted(layout: &Layout, inertia: &[Real], loads: &[Load], step: &[Spot]) -> Real {
    let square = |v: usize| vec(step[layout.places[v] as usize]).length_squared();
    let inertial = inertia.iter().enumerate().map(|(v, m)| m * square(v)).sum::<Real>();
    0.5 * loads.iter().map(|load| load.stiffness * square(load.vertex as usize)).sum::<Real>()
        + 0.5 * inertial
}
