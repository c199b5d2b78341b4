//! The scenes of this benchmark, as text: a few things out of which each case is put together.

use std::fmt::Write as _;

/// A place or a way \[m\].
pub(super) type Place = [f64; 3];

/// A scene to be written.
#[derive(Clone)]
pub(super) struct Scene {
    /// \[s\]
    pub step_s: f64,
    pub substeps: u32,
    pub sweeps: u32,
    /// \[m/s²\]
    pub gravity: Place,
    pub filter: bool,
    /// What overlaps is parted before the start.
    pub part: bool,
    /// Bodies and tools, as text.
    pub things: String,
}

impl Scene {
    /// Nothing yet, on earth.
    pub fn new(step_s: f64) -> Self {
        let gravity = [0.0, 0.0, -GRAVITY];
        Self { step_s, substeps: 1, sweeps: 10, gravity, filter: true, part: false, things: String::new() }
    }

    /// The same with no weight.
    pub fn weightless(step_s: f64) -> Self {
        Self { gravity: [0.0; 3], ..Self::new(step_s) }
    }

    /// The same with other passes.
    pub fn sweeps(self, sweeps: u32) -> Self {
        Self { sweeps, ..self }
    }

    /// The same with one thing more.
    pub fn with(mut self, thing: impl AsRef<str>) -> Self {
        self.things += thing.as_ref();
        self
    }

    /// As a scene file.
    pub fn text(&self) -> String {
        let word = |on, yes, no| if on { yes } else { no };
        format!(
            "serosa = 1\ntitle = \"truth\"\n[world]\nstep = {:?}\nsubsteps = {}\nsweeps = {}\ngravity = {:?}\nfilter = \"{}\"\n\
             overlaps = \"{}\"\n{}",
            self.step_s,
            self.substeps,
            self.sweeps,
            self.gravity,
            word(self.filter, "on", "off"),
            word(self.part, "part", "refuse"),
            self.things
        )
    }
}

/// Of falling things \[m/s²\].
pub(super) const GRAVITY: f64 = 9.81;

/// A soft cube of 2 cm: 8 g, Poisson's ratio 0.45.
pub(super) struct Cube {
    pub center: Place,
    pub cell: f64,
    /// \[Pa\]
    pub young: f64,
    /// \[kg/m³\]
    pub density: f64,
    pub friction: f64,
    /// More keys of the model, each after a comma.
    pub more: &'static str,
}

impl Default for Cube {
    fn default() -> Self {
        Self { center: [0.0; 3], cell: 5e-3, young: 1e4, density: 1e3, friction: 0.3, more: "" }
    }
}

/// Half an edge of a cube \[m\].
pub(super) const HALF: f64 = 0.01;

impl Cube {
    /// As a body.
    pub fn body(&self, name: &str) -> String {
        let corner = self.center.map(|x| x - HALF);
        block(name, corner, [2.0 * HALF; 3], self)
    }
}

/// A block of the material of a cube.
pub(super) fn block(name: &str, corner: Place, size: Place, like: &Cube) -> String {
    let Cube { cell, young, density, friction, more, .. } = like;
    format!(
        "[[body]]\nname = \"{name}\"\nfriction = {friction:?}\n\
         shape.block = {{ corner = {corner:?}, size = {size:?}, cell = {cell:?} }}\n\
         model.solid = {{ young = {young:?}, poisson = 0.45, density = {density:?}{more} }}\n"
    )
}

/// What lies below a plane through the origin, fixed.
pub(super) fn floor(normal: Place, friction: f64) -> String {
    format!(
        "[[body]]\nname = \"floor\"\nfriction = {friction:?}\nshape.plane = {{ normal = {normal:?} }}\nmodel.fixed = {{}}\n"
    )
}

/// A rigid ball of 1 cm and 10 g.
pub(super) fn ball(center: Place) -> String {
    format!(
        "[[body]]\nname = \"ball\"\nfriction = 0\nshape.sphere = {{ center = {center:?}, radius = 0.01 }}\n\
         model.rigid = {{ mass = 0.01 }}\n"
    )
}

/// A soft ball of 8 cm on a frictionless way.
pub(super) fn soft_ball(center: Place, tets: u32) -> String {
    format!(
        "[[body]]\nname = \"ball\"\nfriction = 0\nshape.ball = {{ center = {center:?}, size = 0.08 }}\n\
         model.solid = {{ young = 20000.0, fill = {{ tets = {tets} }} }}\n"
    )
}

/// Fixed balls in rows, five metres aside.
pub(super) fn far_balls(count: u32) -> String {
    let mut text = String::new();
    for k in 0..count {
        let center = [0.05 * f64::from(k % 40), -5.0, 0.05 * f64::from(k / 40)];
        let _ = write!(
            text,
            "[[body]]\nname = \"far{k}\"\nshape.sphere = {{ center = {center:?}, radius = 0.01 }}\nmodel.fixed = {{}}\n"
        );
    }
    text
}

/// A fixed rod of 6 mm.
pub(super) fn rod(from: Place, to: Place) -> String {
    format!(
        "[[body]]\nname = \"rod\"\nshape.capsule = {{ from = {from:?}, to = {to:?}, radius = 0.003 }}\nmodel.fixed = {{}}\n"
    )
}

/// A sheet of threads, held at its border or not at all.
pub(super) fn net(
    corner: Place,
    along: Place,
    across: Place,
    (columns, rows): (u32, u32),
    held: bool,
) -> String {
    let attach = if held { "attach = [{ name = \"border\" }]\n" } else { "" };
    format!(
        "[[body]]\nname = \"net\"\nshape.membrane = {{ corner = {corner:?}, along = {along:?}, across = {across:?}, \
         columns = {columns}, rows = {rows}, radius = 0.001 }}\nmodel.springs = {{ mass = 0.02, stiffness = 300.0 }}\n{attach}"
    )
}

/// A rope of 20 cm along x.
pub(super) fn rope(from: Place) -> String {
    let to = [from[0] + 0.2, from[1], from[2]];
    format!(
        "[[body]]\nname = \"rope\"\nshape.chain = {{ from = {from:?}, to = {to:?}, nodes = 21, radius = 0.002 }}\n\
         model.band = {{ mass = 0.02, tube_stretch = 300.0, tube_bending = 1e-4 }}\n"
    )
}

/// A tool, its shape as text, and where its hand goes: time, place, and whether the jaws are closed from there on.
pub(super) struct Tool<'a> {
    pub shape: &'a str,
    /// \[N/m\]
    pub stiffness: f64,
    pub friction: f64,
    /// More keys, each on a line of its own.
    pub more: &'a str,
    pub tip: Place,
    pub moves: &'a [(f64, Place, bool)],
}

impl Tool<'_> {
    /// As text; the fastest that a tool can be led.
    pub fn text(&self, name: &str) -> String {
        let Tool { shape, stiffness, friction, more, tip, moves } = self;
        let mut text = format!(
            "[[tool]]\nname = \"{name}\"\nfriction = {friction:?}\nshape.{shape}\ntip = {tip:?}\n\
             coupling = {{ stiffness = {stiffness:?}, speed = 100.0 }}\n{more}"
        );
        for (time, tip, grip) in *moves {
            let _ = write!(text, "[[tool.move]]\ntime = {time:?}\ntip = {tip:?}\ngrip = {grip}\n");
        }
        text
    }
}
