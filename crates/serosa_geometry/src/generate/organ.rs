//! Organs as recipes of blended shapes, in the sizes of adult anatomy (Gray, *Anatomy of the Human Body*, 1918, unless
//! said otherwise).
//!
//! Each lies about its own origin as it does in a patient who stands: x to the patient's left, y to the back, z up.

use super::Impossible;
use crate::implicit::{Bend, Bumps, Part, Shape, Tube};
use crate::isosurface::{Field, Fineness, isosurface};
use crate::rotation::{any_perpendicular, from_rotation_vector, unit_or};
use crate::{Implicit, Mesh, Quat, Real, Vec3};

/// The organs there are recipes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Organ {
    /// A right kidney.
    Kidney,
    /// A liver with its two lobes.
    Liver,
    /// A gallbladder with its neck and the first of the cystic duct.
    Gallbladder,
    /// A stomach, from the last of the gullet to the first of the duodenum.
    Stomach,
    /// A spleen.
    Spleen,
    /// A colon, from the caecum to the last of its descending part.
    Colon,
}

impl Organ {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Kidney, Self::Liver, Self::Gallbladder, Self::Stomach, Self::Spleen, Self::Colon];

    /// What it is made of.
    pub fn recipe(self) -> Implicit {
        match self {
            Self::Kidney => kidney(),
            Self::Liver => liver(),
            Self::Gallbladder => gallbladder(),
            Self::Stomach => stomach(),
            Self::Spleen => spleen(),
            Self::Colon => colon(),
        }
    }

    /// Where a surgeon would hold it: names of sets of vertices, each those within a distance \[m\] of a point.
    fn holds(self) -> &'static [(&'static str, [Real; 3], Real)] {
        match self {
            Self::Kidney => &[("hilum", [0.02, 0.0, 0.0], 0.02)],
            Self::Liver => &[("back", [-0.03, 0.051, 0.01], 0.042)],
            Self::Gallbladder => {
                &[("neck", [0.0135, 0.008, 0.042], 0.008), ("fundus", [0.0, 0.0, -0.0435], 0.012)]
            }
            Self::Stomach => {
                &[("inlet", [-0.01, 0.012, 0.122], 0.02), ("outlet", [-0.108, 0.016, -0.016], 0.02)]
            }
            Self::Spleen => &[("hilum", [0.02, 0.0, -0.003], 0.02)],
            Self::Colon => &[("first", [-0.12, 0.0, -0.155], 0.035), ("last", [0.13, 0.015, -0.155], 0.035)],
        }
    }
}

/// An organ about its own origin. Sets: of the kidney and the spleen `hilum`, of the liver `back`, of the gallbladder
/// `neck` and `fundus`, of the stomach `inlet` and `outlet`, of the colon `first` and `last`.
///
/// # Errors
/// As [`isosurface()`].
pub fn organ(organ: Organ, fineness: Fineness) -> Result<Mesh, Impossible> {
    let mut mesh = surface_of(&organ.recipe(), fineness)?;
    let near = |(name, at, reach): &(&'static str, [Real; 3], Real)| {
        let inside = |p: &Vec3| (*p - Vec3::from_array(*at)).length() < *reach;
        let set = mesh.points.iter().zip(0..).filter(|(p, _)| inside(p)).map(|(_, i)| i).collect();
        (*name, set)
    };
    mesh.sets = organ.holds().iter().map(near).map(|(name, set)| (name.to_owned(), set)).collect();
    Ok(mesh)
}

/// The surface of a recipe.
///
/// # Errors
/// As [`Implicit::check`] and [`isosurface()`].
pub fn surface_of(recipe: &Implicit, fineness: Fineness) -> Result<Mesh, Impossible> {
    let bounds = recipe.bounds()?;
    isosurface(&Field { value: &|p| recipe.value(p), bounds }, fineness)
}

/// From (x, y, z, radius) of each station.
fn tube(stations: &[[Real; 4]]) -> Shape {
    let points: Vec<Vec3> = stations.iter().map(|[x, y, z, _]| Vec3::new(*x, *y, *z)).collect();
    let radii: Vec<Real> = stations.iter().map(|s| s[3]).collect();
    Shape::tube(&points, &radii)
}

fn ellipsoid(center: [Real; 3], semi: [Real; 3], turn: [Real; 3]) -> Shape {
    let turn = if turn == [0.0; 3] { Quat::IDENTITY } else { from_rotation_vector(Vec3::from_array(turn)) };
    Shape::Ellipsoid { center: Vec3::from_array(center), semi: Vec3::from_array(semi), turn }
}

/// 11 cm long, 5 to 7.5 cm wide, about 3 cm thick: two poles, bent to a bean, with a fissure where the vessels enter.
fn kidney() -> Implicit {
    Implicit {
        parts: vec![
            Part::join(ellipsoid([0.0, 0.0, 0.019], [0.028, 0.0165, 0.037], [0.0; 3]), 0.0),
            Part::join(ellipsoid([0.001, 0.0, -0.021], [0.026, 0.016, 0.035], [0.0; 3]), 0.025),
            Part::cut(ellipsoid([0.029, 0.0, 0.0], [0.017, 0.0055, 0.021], [0.0; 3]), 0.018),
        ],
        bend: Some(Bend { at: Vec3::ZERO, along: Vec3::Z, towards: Vec3::X, radius: 0.07 }),
        bumps: Some(Bumps { height: 0.001, size: 0.018, seed: 3 }),
        ..Implicit::default()
    }
}

/// 21 to 22.5 cm wide, 15 to 17.5 cm high at the right, 10 to 12.5 cm deep: two lobes under the dome of the diaphragm, cut
/// from below by the hollow that lies on the other organs, so that a sharp margin runs from the lower right up to the left.
fn liver() -> Implicit {
    // Down, to the left and to the back: where the hollow faces. A large ball makes it.
    let (rim, down, hollow) = (Vec3::new(-0.019, -0.0285, -0.0435), Vec3::new(0.436, 0.403, -0.805), 0.23);
    Implicit {
        parts: vec![
            Part::join(ellipsoid([-0.04, 0.003, -0.0115], [0.0685, 0.061, 0.0855], [0.0; 3]), 0.0),
            Part::join(ellipsoid([0.034, -0.0085, 0.017], [0.08, 0.0435, 0.0515], [0.0, 0.12, 0.0]), 0.038),
            Part::cut(Shape::Ball { center: rim + down * hollow, radius: hollow }, 0.0125),
            // Where the round ligament enters, between the lobes.
            Part::cut(
                ellipsoid([0.021, -0.0435, -0.0305], [0.0045, 0.0305, 0.021], [0.35, 0.0, 0.0]),
                0.0105,
            ),
            // The bed of the gallbladder.
            Part::cut(ellipsoid([-0.021, -0.0435, -0.061], [0.016, 0.0325, 0.016], [0.45, 0.0, 0.1]), 0.0115),
            // The bare area, which grows to the diaphragm.
            Part::cut(Shape::HalfSpace { point: Vec3::Y * 0.051, normal: Vec3::NEG_Y }, 0.015),
        ],
        bumps: Some(Bumps { height: 0.0012, size: 0.04, seed: 5 }),
        ..Implicit::default()
    }
}

/// 7 to 10 cm long, 3 to 4 cm wide: a pear whose neck turns into the cystic duct.
fn gallbladder() -> Implicit {
    let stations = [
        [0.0, 0.0, -0.026, 0.0175],
        [0.0, 0.0, -0.012, 0.0185],
        [0.0, 0.0, 0.005, 0.014],
        [0.001, 0.0005, 0.018, 0.009],
        [0.0035, 0.001, 0.027, 0.0072],
        [0.0085, 0.0025, 0.032, 0.0045],
        [0.0125, 0.0045, 0.033, 0.0032],
        [0.015, 0.0065, 0.038, 0.003],
        [0.0135, 0.009, 0.044, 0.003],
    ];
    Implicit {
        parts: vec![Part::join(tube(&stations), 0.0)],
        bumps: Some(Bumps { height: 0.0005, size: 0.013, seed: 2 }),
        ..Implicit::default()
    }
}

/// About 25 cm from the dome to the lowest bend and 10 cm across where it is filled: a bag in the shape of a J.
fn stomach() -> Implicit {
    let stations = [
        [0.034, 0.006, 0.07, 0.039],
        [0.04, 0.002, 0.038, 0.045],
        [0.036, -0.004, -0.004, 0.044],
        [0.018, -0.009, -0.04, 0.039],
        [-0.022, -0.01, -0.06, 0.03],
        [-0.056, -0.004, -0.054, 0.022],
        [-0.077, 0.003, -0.041, 0.014],
        [-0.089, 0.008, -0.031, 0.0145],
        [-0.098, 0.012, -0.024, 0.014],
    ];
    let gullet = [Vec3::new(0.014, 0.008, 0.056), Vec3::new(-0.006, 0.012, 0.112)];
    Implicit {
        parts: vec![
            Part::join(tube(&stations), 0.0),
            Part::join(Shape::Capsule { ends: gullet, radii: [0.013, 0.01] }, 0.018),
        ],
        bumps: Some(Bumps { height: 0.0015, size: 0.03, seed: 4 }),
        ..Implicit::default()
    }
}

/// About 12 cm long, 7 cm broad and 3 to 4 cm thick: hollowed by the stomach and the kidney with the hilum on the ridge
/// between them, and notched in front.
fn spleen() -> Implicit {
    let notch =
        |a: [Real; 3], b: [Real; 3], radii| Shape::Capsule { ends: [a, b].map(Vec3::from_array), radii };
    Implicit {
        parts: vec![
            Part::join(ellipsoid([0.0; 3], [0.021, 0.037, 0.064], [0.0; 3]), 0.0),
            Part::cut(Shape::Ball { center: Vec3::new(0.056, -0.034, 0.01), radius: 0.049 }, 0.01),
            Part::cut(Shape::Ball { center: Vec3::new(0.052, 0.038, -0.016), radius: 0.043 }, 0.01),
            Part::cut(notch([0.004, -0.046, 0.016], [0.0, -0.033, 0.014], [0.0025, 0.0015]), 0.006),
            Part::cut(notch([0.004, -0.044, -0.012], [0.0, -0.034, -0.01], [0.002, 0.0012]), 0.005),
        ],
        bend: Some(Bend { at: Vec3::ZERO, along: Vec3::Z, towards: Vec3::X, radius: 0.12 }),
        bumps: Some(Bumps { height: 0.001, size: 0.02, seed: 9 }),
        ..Implicit::default()
    }
}

/// About 80 cm from the caecum to the end of the descending part, 4 to 6 cm wide: up on the right, across under liver and
/// stomach with a slack in its middle, down on the left. It bulges in pouches between folds, the haustra, and three bands
/// of muscle run along it, the taeniae, which bridge the folds.
fn colon() -> Implicit {
    // Its middle line, and how wide it is there: it narrows from beginning to end.
    let line = [
        [-0.12, 0.0, -0.13, 0.030],
        [-0.125, 0.004, -0.065, 0.028],
        [-0.127, 0.008, 0.0, 0.027],
        [-0.117, 0.003, 0.05, 0.026],
        [-0.075, -0.014, 0.062, 0.025],
        [-0.03, -0.022, 0.045, 0.024],
        [0.02, -0.024, 0.04, 0.024],
        [0.065, -0.018, 0.058, 0.023],
        [0.108, -0.002, 0.09, 0.023],
        [0.133, 0.012, 0.068, 0.022],
        [0.135, 0.017, 0.0, 0.022],
        [0.132, 0.017, -0.07, 0.021],
        [0.13, 0.015, -0.13, 0.021],
    ];
    let Shape::Tube(middle) = tube(&line) else { return Implicit::default() };
    let stations = middle.stations();
    let frames = frames(&stations.iter().map(|s| s.0).collect::<Vec<_>>());
    let (mut at, mut wall) = (0.0, Vec::new());
    let mut bands = vec![Vec::new(); 3];
    for (k, (center, radius)) in stations.iter().enumerate() {
        at += if k > 0 { (*center - stations[k - 1].0).length() } else { 0.0 };
        // Pouches of 34 mm, and folds a quarter deeper than the rest: rounded above, narrow below.
        let fold = libm::fabs(libm::cos(core::f64::consts::PI * at / 0.034));
        wall.push((*center, radius * (1.0 - 0.22 * fold * fold * fold)));
        for (band, angle) in bands.iter_mut().zip([0.5, 2.6, 4.7]) {
            let (side, up) = frames[k];
            let away = side * libm::cos(angle) + up * libm::sin(angle);
            band.push((*center + away * (radius * 0.83), 0.0036));
        }
    }
    let bands = bands.into_iter().map(|stations| Part::join(Shape::Tube(Tube::through(stations)), 0.005));
    Implicit {
        parts: [Part::join(Shape::Tube(Tube::through(wall)), 0.0)].into_iter().chain(bands).collect(),
        bumps: Some(Bumps { height: 0.0006, size: 0.015, seed: 8 }),
        ..Implicit::default()
    }
}

/// Two directions across a curve at each of its points, which turn about it as little as they can.
fn frames(points: &[Vec3]) -> Vec<(Vec3, Vec3)> {
    let along = |k: usize| {
        let (a, b) = (points[k.saturating_sub(1)], points[(k + 1).min(points.len() - 1)]);
        unit_or(b - a, Vec3::Z)
    };
    let mut side = any_perpendicular(along(0));
    (0..points.len())
        .map(|k| {
            let tangent = along(k);
            side = unit_or(side - tangent * side.dot(tangent), side);
            (side, tangent.cross(side))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;

    #[test]
    fn organs_have_the_sizes_of_anatomy() {
        // Least and greatest extent along each axis [cm], and volume [ml]: an organ weighs about a gram a millilitre.
        // Kidney 120 to 170 g; liver 1.4 to 1.6 kg; gallbladder 30 to 50 ml (up to 70 filled); stomach from 0.5 l up to 1.5
        // l filled; spleen about 100 to 250 g; colon without its sigmoid 80 to 110 cm, 0.5 to 1.5 l filled.
        let known: [(Organ, [[Real; 2]; 3], [Real; 2]); 6] = [
            (Organ::Kidney, [[5.0, 7.5], [2.5, 4.0], [10.0, 12.0]], [90.0, 170.0]),
            (Organ::Liver, [[20.0, 24.0], [10.0, 13.0], [14.0, 18.0]], [1100.0, 1700.0]),
            (Organ::Gallbladder, [[3.0, 4.5], [3.0, 4.5], [7.0, 10.0]], [30.0, 70.0]),
            (Organ::Stomach, [[15.0, 22.0], [8.0, 11.0], [20.0, 27.0]], [500.0, 1500.0]),
            (Organ::Spleen, [[3.0, 6.0], [6.0, 8.0], [11.0, 13.5]], [100.0, 250.0]),
            (Organ::Colon, [[28.0, 34.0], [6.0, 12.0], [24.0, 32.0]], [700.0, 1500.0]),
        ];
        for (which, extents, volumes) in known {
            let mesh = organ(which, Fineness::Vertices(1500)).unwrap();
            let size = mesh.bounds().size() * 100.0;
            let volume = Surface::of(&mesh.points, &mesh.triangles).volume.unwrap() * 1e6;
            println!("{which:?}: {:.1} × {:.1} × {:.1} cm, {volume:.0} ml", size.x, size.y, size.z);
            for (axis, [least, most]) in extents.into_iter().enumerate() {
                assert!((least..=most).contains(&size[axis]), "{which:?} {size}");
            }
            assert!((volumes[0]..=volumes[1]).contains(&volume), "{which:?} {volume} ml");
        }
    }
}
