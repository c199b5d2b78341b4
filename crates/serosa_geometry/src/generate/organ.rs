//! Organs as recipes of blended shapes, in the sizes of adult anatomy (Gray, *Anatomy of the Human Body*, 1918, unless
//! said otherwise).
//!
//! Each lies about its own origin as it does in a patient who stands: x to the patient's left, y to the back, z up.

use super::Impossible;
use crate::implicit::{Bend, Bumps, Part, Shape};
use crate::isosurface::{Field, Fineness, isosurface};
use crate::rotation::from_rotation_vector;
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
}

impl Organ {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Kidney, Self::Liver, Self::Gallbladder, Self::Stomach, Self::Spleen];

    /// What it is made of.
    pub fn recipe(self) -> Implicit {
        match self {
            Self::Kidney => kidney(),
            Self::Liver => liver(),
            Self::Gallbladder => gallbladder(),
            Self::Stomach => stomach(),
            Self::Spleen => spleen(),
        }
    }

    /// Where a surgeon would hold it: names of sets of vertices, each those within a distance \[m\] of a point.
    fn holds(self) -> &'static [(&'static str, [Real; 3], Real)] {
        match self {
            Self::Kidney => &[("hilum", [0.016, 0.0, 0.0], 0.016)],
            Self::Liver => &[("back", [-0.03, 0.075, 0.03], 0.05)],
            Self::Gallbladder => {
                &[("neck", [0.012, 0.006, 0.043], 0.012), ("fundus", [0.0, 0.0, -0.047], 0.012)]
            }
            Self::Stomach => {
                &[("inlet", [-0.006, 0.008, 0.12], 0.02), ("outlet", [-0.092, 0.01, -0.02], 0.02)]
            }
            Self::Spleen => &[("hilum", [0.036, 0.0, 0.0], 0.02)],
        }
    }
}

/// An organ about its own origin. Sets: of the kidney and the spleen `hilum`, of the liver `back`, of the gallbladder
/// `neck` and `fundus`, of the stomach `inlet` and `outlet`.
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

fn ellipsoid(center: [Real; 3], semi: [Real; 3], turn: [Real; 3]) -> Shape {
    let turn = if turn == [0.0; 3] { Quat::IDENTITY } else { from_rotation_vector(Vec3::from_array(turn)) };
    Shape::Ellipsoid { center: Vec3::from_array(center), semi: Vec3::from_array(semi), turn }
}

/// 11 cm long, 6 cm wide, 3 cm thick.
fn kidney() -> Implicit {
    Implicit {
        parts: vec![
            Part::join(ellipsoid([0.0; 3], [0.028, 0.0155, 0.056], [0.0; 3]), 0.0),
            Part::cut(ellipsoid([0.031, 0.0, 0.0], [0.012, 0.007, 0.016], [0.0; 3]), 0.012),
        ],
        bend: Some(Bend { at: Vec3::ZERO, along: Vec3::Z, towards: Vec3::X, radius: 0.075 }),
        bumps: Some(Bumps { height: 0.0006, size: 0.02, seed: 3 }),
        ..Implicit::default()
    }
}

/// 21 to 22.5 cm wide, 15 to 17.5 cm high on the right, 10 to 12.5 cm deep.
fn liver() -> Implicit {
    Implicit {
        parts: vec![
            Part::join(ellipsoid([-0.042, 0.0, 0.0], [0.068, 0.056, 0.078], [0.0; 3]), 0.0),
            Part::join(ellipsoid([0.045, -0.008, 0.024], [0.072, 0.034, 0.042], [0.0, 0.15, 0.0]), 0.03),
            Part::cut(Shape::Ball { center: Vec3::new(0.03, 0.06, -0.125), radius: 0.12 }, 0.02),
        ],
        bumps: Some(Bumps { height: 0.001, size: 0.04, seed: 5 }),
        ..Implicit::default()
    }
}

/// 7 to 10 cm long, 3 to 4 cm wide.
fn gallbladder() -> Implicit {
    let at = |x, y, z| Vec3::new(x, y, z);
    let points = [
        at(0.0, 0.0, -0.032),
        at(0.0, 0.0, -0.01),
        at(0.001, 0.0, 0.014),
        at(0.004, 0.001, 0.029),
        at(0.01, 0.003, 0.036),
        at(0.011, 0.006, 0.043),
    ];
    let radii = [0.0155, 0.016, 0.0105, 0.0055, 0.0034, 0.0028];
    Implicit { parts: vec![Part::join(Shape::tube(&points, &radii), 0.0)], ..Implicit::default() }
}

/// 25 cm.
fn stomach() -> Implicit {
    let at = |x, y, z| Vec3::new(x, y, z);
    let points = [
        at(0.035, 0.0, 0.075),
        at(0.038, 0.0, 0.03),
        at(0.03, -0.002, -0.02),
        at(0.005, -0.006, -0.06),
        at(-0.04, -0.005, -0.063),
        at(-0.07, 0.003, -0.042),
        at(-0.083, 0.008, -0.03),
    ];
    let radii = [0.039, 0.042, 0.037, 0.031, 0.024, 0.015, 0.016];
    let gullet =
        Shape::Capsule { ends: [at(0.008, 0.003, 0.07), at(-0.006, 0.008, 0.11)], radii: [0.011, 0.01] };
    Implicit {
        parts: vec![Part::join(Shape::tube(&points, &radii), 0.0), Part::join(gullet, 0.015)],
        ..Implicit::default()
    }
}

/// 12 cm.
fn spleen() -> Implicit {
    Implicit {
        parts: vec![Part::join(ellipsoid([0.0; 3], [0.036, 0.02, 0.062], [0.0; 3]), 0.0)],
        bend: Some(Bend { at: Vec3::ZERO, along: Vec3::Z, towards: Vec3::X, radius: 0.11 }),
        ..Implicit::default()
    }
}
