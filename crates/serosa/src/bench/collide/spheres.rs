//! Two spheres that lie in one another and move: the geometry on which other programs were measured, point for point.

use serosa_geometry::Vec3;
use serosa_geometry::collide::{Own, Shells};
use std::f64::consts::{PI, TAU};

/// Distance of the centres, in radii: three tenths of each sphere's area lie in the other.
const APART: f64 = 2.0 * (1.0 - 2.0 * 0.3);
/// Unit vector from the one to the other.
const AXIS: Vec3 = Vec3::new(0.36, 0.48, 0.8);
/// How far the waves carry a point, in radii, and how much their phase grows in a frame.
const AMPLITUDE: f64 = 0.02;
const PHASE: f64 = 0.37;
/// Frames of the motion, which then begins again.
pub const FRAMES: usize = 8;

/// Directions and phases of three waves, one for each coordinate: what the other programs' script draws with the seeds
/// 1 and 2.
type Waves = [([f64; 3], f64); 3];

const WAVES: [Waves; 2] = [
    [
        ([1.0367525761943581, 2.464854430503475, 0.9913112285501614], 0.17307123116646936),
        ([-3.9094716948130825, 2.716067600019353, 1.3391237170920338], 4.732062322477786),
        ([-1.6108597060808556, 1.7433543125890594, 1.093717188558227], 3.3795400070170674),
    ],
    [
        ([0.5671601453805992, -1.568245324442242, -1.2391906301756803], 4.128679333418722),
        ([-7.324402147919567, 5.399122148162706, 3.4324976161116862], 3.531028362261088),
        ([-0.9762685106034731, 2.3214197601829842, 0.8436320093929477], 0.9423910135575109),
    ],
];

/// The two spheres over one array of points, the first sphere's first.
pub struct Spheres {
    /// Triangles of one sphere; those of the other are the same, its points coming after.
    pub triangles: Vec<[u32; 3]>,
    /// Points of one.
    pub points: usize,
    /// Where all points are, frame by frame.
    pub frames: Vec<Vec<Vec3>>,
}

impl Spheres {
    /// With 2 k (k − 1) triangles each. `pace` is the part of the motion that is made in a frame.
    pub fn new(k: u32, pace: f64) -> Self {
        let (a, triangles) = sphere(k);
        let b: Vec<Vec3> = a.iter().map(|p| Vec3::new(p.y, p.z, p.x) + APART * AXIS).collect();
        let frame = |i: usize| {
            let phase = PHASE * pace * i as f64;
            let moved = |points: &[Vec3], waves: &Waves| -> Vec<Vec3> {
                points.iter().map(|p| *p + wave(*p, waves, phase)).collect()
            };
            [moved(&a, &WAVES[0]), moved(&b, &WAVES[1])].concat()
        };
        Self { points: a.len(), triangles, frames: (0..FRAMES).map(frame).collect() }
    }

    /// The same as bodies.
    pub fn shells(&self) -> Shells {
        let behind = |t: &[u32; 3]| t.map(|i| i + self.points as u32);
        let mut shells = Shells::default();
        shells.add(&self.triangles, Own::Ignored);
        shells.add(&self.triangles.iter().map(behind).collect::<Vec<_>>(), Own::Ignored);
        shells
    }
}

fn wave(p: Vec3, waves: &Waves, phase: f64) -> Vec3 {
    let one =
        |(direction, start): ([f64; 3], f64)| (Vec3::from_array(direction).dot(p) + start + phase).sin();
    AMPLITUDE * Vec3::from_array(waves.map(one))
}

/// A sphere of unit radius: poles and k − 1 rings of k points.
fn sphere(k: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut points = vec![Vec3::Z];
    for ring in 1..k {
        let (s, c) = (PI * f64::from(ring) / f64::from(k)).sin_cos();
        let turn = |j: u32| TAU * f64::from(j) / f64::from(k);
        points.extend((0..k).map(|j| Vec3::new(s * turn(j).cos(), s * turn(j).sin(), c)));
    }
    points.push(-Vec3::Z);
    let last = points.len() as u32 - 1;
    let next = |j: u32| (j + 1) % k;
    let mut triangles: Vec<[u32; 3]> = (0..k).map(|j| [0, 1 + j, 1 + next(j)]).collect();
    for ring in 0..k - 2 {
        let (a, b) = (1 + ring * k, 1 + (ring + 1) * k);
        triangles.extend((0..k).map(|j| [a + j, b + j, b + next(j)]));
        triangles.extend((0..k).map(|j| [a + j, b + next(j), a + next(j)]));
    }
    let a = 1 + (k - 2) * k;
    triangles.extend((0..k).map(|j| [a + j, last, a + next(j)]));
    (points, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::Surface;
    use serosa_geometry::collide::every_meeting;

    #[test]
    fn the_spheres_are_the_ones_that_others_were_measured_on() {
        let spheres = Spheres::new(16, 1.0);
        assert_eq!((spheres.triangles.len(), spheres.points), (480, 242));
        let first = &spheres.frames[0][..spheres.points];
        let facts = Surface::of(first, &spheres.triangles);
        assert!(facts.is_watertight() && facts.is_oriented() && facts.volume > Some(3.8));
        // As many as the other programs find with 480 triangles in the first frame.
        assert_eq!(every_meeting(&spheres.shells(), &spheres.frames[0]).len(), PAIRS_480);
    }

    const PAIRS_480: usize = 108;
}
