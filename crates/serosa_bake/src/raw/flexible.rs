//! Flexible bodies as written: materials, control elements and the way they are led.

use super::{Inside, Selector};
use serosa_geometry::{Real, Vec3};
use serosa_sim::model::{Limits, MeanRotation, Region};

/// The mechanics of a flexible body.
#[derive(Clone, Debug, PartialEq)]
pub struct RawFlexible {
    /// How it is solved.
    pub method: RawMethod,
    /// What it is made of.
    pub base: Region,
    /// What parts of it are made of instead; the last that holds a tetrahedron counts.
    pub regions: Vec<(Inside, Region)>,
    /// What moves it.
    pub controls: Vec<RawControl>,
    /// How its frame turns.
    pub rotation: MeanRotation,
    /// How far linear elasticity is trusted.
    pub limits: Limits,
    /// What is kept of how its surface yields.
    pub compliance: RawCompliance,
    /// Of its surface, as others touch it: half of it lies outside \[m\]. None chooses by the size of its triangles.
    pub thickness: Option<Real>,
}

/// How a flexible body is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawMethod {
    /// Finite elements: tetrahedra.
    #[default]
    Finite,
    /// Boundary elements: the triangles of a closed surface around one material.
    Boundary,
}

/// What is kept of how a surface yields to forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawCompliance {
    /// All of it where it is small, else what is asked for, where others can touch the body; else nothing.
    #[default]
    Auto,
    /// Nothing: others do not move it.
    None,
    /// All columns.
    All,
    /// Columns are solved for as they are needed.
    Demand,
}

/// A control element as written.
#[derive(Clone, Debug, PartialEq)]
pub struct RawControl {
    /// Unique in the body.
    pub name: String,
    /// Which nodes.
    pub which: Selector,
    /// Fastest that it follows \[m/s\].
    pub speed_max: Real,
    /// Whether forces lead it, not positions.
    pub by_force: bool,
    /// Where it goes when nobody leads it, in order of time.
    pub moves: Vec<ControlMove>,
}

/// A place of a control element at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlMove {
    /// From the start of the run \[s\].
    pub time_s: Real,
    /// From where it is at rest \[m\].
    pub shift: Vec3,
    /// Axis times angle \[rad\].
    pub turn: Vec3,
    /// How many times as long along each axis.
    pub scale: Vec3,
    /// Force on it \[N\], where forces lead it.
    pub force: Vec3,
    /// Torque on it \[N m\], where forces lead it.
    pub torque: Vec3,
}
