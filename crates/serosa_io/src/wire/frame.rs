//! Frames: what changed since the last one that a page got, in few bytes.

use super::Quantity;
use serosa_sim::Vec3;
use serosa_sim::model::Pose;

/// Stages of the step whose times a frame carries.
pub const STAGES: usize = 7;

/// A contact worth showing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where \[m\].
    pub at: Vec3,
    /// Unit, from the second body to the first.
    pub normal: Vec3,
    /// Size of the force \[N\].
    pub force: f64,
}

/// The pairs that the detector follows, as far as they are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// The closest points of the two \[m\].
    pub shown: Vec<[Vec3; 2]>,
    /// How many there are.
    pub all: u32,
}

/// A number for each vertex of flexible bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// What they are.
    pub of: Quantity,
    /// How many bodies there are.
    bodies: u32,
    bytes: Vec<u8>,
}

impl Values {
    /// Of bodies (number, one value for each vertex). They become 16-bit steps from the least to the largest of a body.
    pub fn of<'a>(of: Quantity, bodies: impl Iterator<Item = (usize, &'a [f64])>) -> Self {
        let mut all = Self { of, bodies: 0, bytes: Vec::new() };
        for (body, values) in bodies {
            all.bodies += 1;
            let sound = values.iter().copied().filter(|v| v.is_finite());
            let (lo, hi) =
                sound.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
            let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 0.0) };
            let unit = ((hi - lo) / 65_535.0).max(1e-30);
            put_u32(&mut all.bytes, body as u32);
            put_u32(&mut all.bytes, values.len() as u32);
            put_f32s(&mut all.bytes, [lo as f32, unit as f32]);
            // What is not finite becomes the least: the cast saturates, and NaN gives 0.
            values.iter().for_each(|v| all.bytes.extend((((v - lo) / unit).round() as u16).to_le_bytes()));
            if values.len() % 2 == 1 {
                all.bytes.extend([0, 0]);
            }
        }
        all
    }
}

/// What a page asked for beyond what every page gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// The pairs that the detector follows.
    pub pairs: bool,
    /// A number for each vertex of flexible bodies.
    pub values: Option<Quantity>,
}

/// A tool as it is led.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Led {
    /// Pose to which the coupling pulls the tip: the hand, followed at a bounded speed.
    pub target: Pose,
    /// Force of the hand \[N\].
    pub force: f64,
    /// Whether the jaws hold something.
    pub holds: bool,
    /// Whether the jaws are to be closed, as whoever leads the tool said last.
    pub closed: bool,
}

/// A control element of a flexible body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Where its origin is, and how it is turned.
    pub pose: Pose,
    /// How many times as long it is along each axis, before it is turned.
    pub scale: Vec3,
    /// Size of the force that it puts on its body \[N\].
    pub force: f64,
    /// Why it was stopped in the last step: 0 where it was not, 1 for the strain of its body, 2 for its own stretch, 3 for
    /// its own angle.
    pub stopped: u8,
}

/// How well a step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Passes made.
    pub sweeps: u32,
    /// How far more of them would move something, as far as one can tell \[mm\].
    pub error_mm: Option<f32>,
    /// How much they would change the force on a hand \[N\].
    pub error_n: Option<f32>,
    /// Vertices whose step the filter shortened.
    pub truncated: u32,
    /// Attachments that held such a vertex.
    pub violated: u32,
}

/// A moment of the simulation, shared by all pages; each page is sent what changed since its last one.
///
/// Layout on the wire, little-endian:
///
/// | bytes | what |
/// |---|---|
/// | 4 | `SRF7` |
/// | u32 | number of the frame, ever growing |
/// | f64 | simulated time \[s\] |
/// | u32 | tick, low half |
/// | u32 | generation of the scene that it is of |
/// | f32 | simulated seconds for each second, measured |
/// | f32 | mean CPU time of a step \[ms\] |
/// | 7 × f32 | mean time of each stage \[ms\]: tools, predict, detect, respond, filter, finish, guard |
/// | u32 | contacts in the last step |
/// | f32 | deepest overlap left \[mm\] |
/// | u32 | sections: bodies that changed |
/// | u32 | rigid frames |
/// | u32 | tools |
/// | u32 | contacts shown |
/// | u32 | numbers of probes |
/// | u32 | tubes: bodies drawn as strips |
/// | u32 | pairs shown; 0 for a page that did not ask for them |
/// | u32 | pairs that the detector follows; 0 likewise |
/// | u32 | passes of the last step |
/// | f32 | how far more of them would move something, as far as one can tell \[mm\]; NaN where nobody can |
/// | u32 | vertices whose step the filter shortened in the last step |
/// | u32 | attachments that held such a vertex |
/// | u32 | control elements of flexible bodies |
/// | u32 | what values there are, counted from 1 in [`Quantity::ALL`]; 0 for a page that did not ask for any |
/// | u32 | flexible bodies with values; 0 likewise |
/// | f32 | how much more passes would change the force on a hand, as far as one can tell \[N\]; NaN where nobody can |
/// | each section | u32 body, u32 vertices, 3 × f32 lowest corner \[m\], 3 × f32 size of a unit \[m\], 3 × u16 for each vertex, two bytes of padding where their number is odd |
/// | each tube | f32 radius now \[m\], in the order of the bodies |
/// | each rigid frame | 3 × f32 position \[m\], 4 × f32 quaternion x, y, z, w |
/// | each tool | 3 × f32 where the hand leads the tip \[m\], 4 × f32 how it turns it (quaternion), f32 force of the hand \[N\], f32 1 where the jaws hold something, f32 1 where they are to be closed |
/// | each control element | 3 × f32 where its origin is \[m\], 4 × f32 how it is turned (quaternion), 3 × f32 scale along each axis before it is turned, f32 size of the force on its body \[N\], f32 why it was stopped: 0 not at all, 1 strain of its body, 2 its stretch, 3 its angle |
/// | each contact | 3 × f32 place, 3 × f32 normal, f32 force \[N\] |
/// | each pair | 3 × f32 and 3 × f32: the closest points of the two \[m\] |
/// | values of each body | u32 body, u32 vertices, f32 least value, f32 size of a unit, u16 for each vertex, two bytes of padding where their number is odd |
/// | probes | f32 each, in the order of the scene |
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Of the scene that it is of.
    pub generation: u32,
    /// Ever growing.
    pub number: u32,
    /// Simulated time \[s\].
    pub time_s: f64,
    /// Steps taken.
    pub tick: u64,
    /// Simulated seconds for each second.
    pub real_time: f32,
    /// Mean CPU time of a step \[ms\].
    pub step_ms: f32,
    /// Mean time of each stage \[ms\].
    pub stage_ms: [f32; STAGES],
    /// Contacts in the last step.
    pub contacts: u32,
    /// Deepest overlap left \[mm\].
    pub deepest_mm: f32,
    /// How well the last step was solved.
    pub quality: Quality,
    /// Sections of the soft bodies, each with the number of the frame in which it last changed.
    pub sections: Vec<(u32, Vec<u8>)>,
    /// Radii of the tubes of all strips \[m\].
    pub tubes: Vec<f64>,
    /// Poses of all rigid frames.
    pub poses: Vec<Pose>,
    /// All tools.
    pub tools: Vec<Led>,
    /// Control elements of all flexible bodies.
    pub elements: Vec<Element>,
    /// Contacts worth showing.
    pub shown: Vec<Contact>,
    /// The pairs that the detector follows; None where no page asked for them.
    pub pairs: Option<Pairs>,
    /// Numbers for the vertices of flexible bodies, as far as pages asked for them.
    pub values: Vec<Values>,
    /// Numbers of all probes.
    pub probes: Vec<f64>,
}

impl Frame {
    /// The bytes for a page that has seen frame `seen` of this scene (0 for none), with what else it wants as far as it is
    /// there.
    pub fn bytes_since(&self, seen: u32, wants: Wants) -> Vec<u8> {
        let changed: Vec<&(u32, Vec<u8>)> = self.sections.iter().filter(|s| s.0 > seen).collect();
        let pairs = self.pairs.as_ref().filter(|_| wants.pairs);
        let values = self.values.iter().find(|v| wants.values == Some(v.of));
        let (lines, followed) = pairs.map_or((&[][..], 0), |p| (&p.shown[..], p.all));
        let size: usize = changed.iter().map(|s| s.1.len()).sum::<usize>() + 24 * lines.len();
        let mut out = Vec::with_capacity(
            132 + values.map_or(0, |v| v.bytes.len()) + size + 28 * (self.poses.len() + self.shown.len()),
        );
        out.extend(b"SRF7");
        put_u32(&mut out, self.number);
        out.extend(self.time_s.to_le_bytes());
        put_u32(&mut out, self.tick as u32);
        put_u32(&mut out, self.generation);
        put_f32s(&mut out, [self.real_time, self.step_ms]);
        put_f32s(&mut out, self.stage_ms);
        put_u32(&mut out, self.contacts);
        put_f32s(&mut out, [self.deepest_mm]);
        let (tools, shown, probes) = (self.tools.len(), self.shown.len(), self.probes.len());
        let counts = [changed.len(), self.poses.len(), tools, shown, probes, self.tubes.len()];
        counts.iter().for_each(|n| put_u32(&mut out, *n as u32));
        [lines.len() as u32, followed].iter().for_each(|n| put_u32(&mut out, *n));
        put_quality(&mut out, &self.quality);
        let of = values.and_then(|v| Quantity::ALL.iter().position(|q| *q == v.of)).map_or(0, |at| at + 1);
        let counts = [self.elements.len() as u32, of as u32, values.map_or(0, |v| v.bodies)];
        counts.iter().for_each(|n| put_u32(&mut out, *n));
        put_f32s(&mut out, [self.quality.error_n.unwrap_or(f32::NAN)]);
        changed.iter().for_each(|s| out.extend(&s.1));
        self.tubes.iter().for_each(|r| put_f32s(&mut out, [*r as f32]));
        self.poses.iter().for_each(|pose| put_pose(&mut out, pose));
        for led in &self.tools {
            put_pose(&mut out, &led.target);
            put_f32s(&mut out, [led.force as f32, f32::from(led.holds as u8), f32::from(led.closed as u8)]);
        }
        for element in &self.elements {
            put_pose(&mut out, &element.pose);
            put_f32s(&mut out, element.scale.to_array().map(|v| v as f32));
            put_f32s(&mut out, [element.force as f32, f32::from(element.stopped)]);
        }
        for contact in &self.shown {
            put_f32s(&mut out, contact.at.to_array().map(|v| v as f32));
            put_f32s(&mut out, contact.normal.to_array().map(|v| v as f32));
            put_f32s(&mut out, [contact.force as f32]);
        }
        lines.iter().flatten().for_each(|end| put_f32s(&mut out, end.to_array().map(|v| v as f32)));
        values.iter().for_each(|v| out.extend(&v.bytes));
        self.probes.iter().for_each(|p| put_f32s(&mut out, [*p as f32]));
        out
    }
}

fn put_u32(out: &mut Vec<u8>, v: u32) {
    out.extend(v.to_le_bytes());
}

fn put_quality(out: &mut Vec<u8>, quality: &Quality) {
    put_u32(out, quality.sweeps);
    put_f32s(out, [quality.error_mm.unwrap_or(f32::NAN)]);
    put_u32(out, quality.truncated);
    put_u32(out, quality.violated);
}

fn put_f32s<const N: usize>(out: &mut Vec<u8>, values: [f32; N]) {
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
}

fn put_pose(out: &mut Vec<u8>, pose: &Pose) {
    put_f32s(out, pose.pos.to_array().map(|v| v as f32));
    put_f32s(out, pose.rot.to_array().map(|v| v as f32));
}

/// Makes the sections of frames, and remembers what has changed.
#[derive(Clone, Debug, Default)]
pub struct FrameEncoder {
    /// The last section of each soft body.
    last: Vec<(u32, Vec<u8>)>,
}

impl FrameEncoder {
    /// The sections of bodies (number, positions) for frame `number`. A section whose bytes are the same as
    /// before keeps the number of the frame in which it last changed.
    pub fn sections<'a>(
        &mut self,
        number: u32,
        bodies: impl Iterator<Item = (usize, &'a [Vec3])>,
    ) -> Vec<(u32, Vec<u8>)> {
        let mut sections = Vec::new();
        for (i, (body, positions)) in bodies.enumerate() {
            let bytes = section(body, positions);
            let changed = match self.last.get(i) {
                Some((since, last)) if *last == bytes => *since,
                _ => number,
            };
            sections.push((changed, bytes));
        }
        self.last.clone_from(&sections);
        sections
    }
}

/// Positions as 16-bit steps through their own box: 15 µm for a body of a metre. The corner is rounded to a
/// lattice, so that a body at rest gives the same bytes again.
fn section(body: usize, positions: &[Vec3]) -> Vec<u8> {
    let finite = positions.iter().copied().filter(|p| p.is_finite());
    let (lo, hi) = finite.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)));
    let (lo, hi) = if lo.is_finite() { (lo, hi) } else { (Vec3::ZERO, Vec3::ZERO) };
    let unit = ((hi - lo) / 65_535.0).max(Vec3::splat(1e-9));
    let mut out = Vec::with_capacity(32 + 6 * positions.len());
    put_u32(&mut out, body as u32);
    put_u32(&mut out, positions.len() as u32);
    put_f32s(&mut out, lo.to_array().map(|v| v as f32));
    put_f32s(&mut out, unit.to_array().map(|v| v as f32));
    for p in positions {
        // A position that is not finite becomes the corner: the cast saturates, and NaN gives 0.
        let steps = ((*p - lo) / unit).to_array().map(|v| v.round() as u16);
        steps.iter().for_each(|s| out.extend(s.to_le_bytes()));
    }
    if positions.len() % 2 == 1 {
        out.extend([0, 0]);
    }
    out
}
