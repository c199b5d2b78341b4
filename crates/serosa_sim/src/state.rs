//! `State`: what is saved. With `Model`, `Params` and the inputs to come it is enough to resume a run.

use crate::body::flexible::elements;
use crate::guard::Hold;
use crate::input::Control;
use crate::model::{Model, Pose, PrimKind};
use crate::row::RowKey;
use crate::tools::GRIPS_MAX;
use crate::{PrimId, Quat, Real, ToolId, Vec3, VertexId};
use serde::{Deserialize, Serialize};

/// Velocities of a rigid frame, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the centre of mass \[m/s\].
    pub vel: Vec3,
    /// Angular velocity \[rad/s\].
    pub omega: Vec3,
}

/// Where a tool is being led.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// Pose of the tip that the coupling pulls towards: the hand, followed at a bounded speed.
    pub target: Pose,
    /// How the target moves during this tick.
    pub twist: Twist,
}

/// How a control element moves its nodes: x ↦ pos + rot · scale · (x − origin).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// Where its origin is, and how it is turned.
    pub pose: Pose,
    /// How many times as long it is along each axis, before it is turned.
    pub scale: Vec3,
}

/// Where a control element of a flexible body is led.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Controlled {
    /// What was last asked for.
    pub goal: Control,
    /// Where it is: it follows at a bounded speed, as far as its body stays within its limits.
    pub at: Affine,
}

/// A vertex held in the jaws of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grip {
    /// The tool.
    pub tool: ToolId,
    /// The vertex.
    pub vertex: VertexId,
    /// Where it is held, in the frame of the tool \[m\].
    pub at: Vec3,
    /// How far it has slipped since it was grasped \[m\].
    pub slipped: Real,
    /// Force on the vertex at the end of the last step, where the response keeps it \[N\].
    pub pull: Vec3,
}

/// What a row hands to the next step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Which row.
    pub key: RowKey,
    /// Push along the normal \[N\].
    pub lambda: Real,
    /// How far side A is from its anchor, as seen from side B \[m\].
    pub stick: Vec3,
    /// Push across the normal on side A \[N\].
    pub drag: Vec3,
    /// The gap that it keeps \[m\]: that at rest, or a smaller one that is still opening.
    pub goal: Real,
    /// Where side B was touched \[m\].
    pub at: Vec3,
    /// From B to A.
    pub normal: Vec3,
}

/// An active pair: two segments that the tracker follows; `a` < `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tracked {
    /// The segment of the smaller number.
    pub a: PrimId,
    /// The other.
    pub b: PrimId,
}

/// The saved state of a world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps taken.
    pub tick: u64,
    /// Positions \[m\], one per vertex. Written by Finish and Guard.
    pub pos: Vec<Vec3>,
    /// Velocities \[m/s\], one per vertex. Written by Finish and Guard.
    pub vel: Vec<Vec3>,
    /// One per rigid frame. Written by Finish and Guard.
    pub pose: Vec<Pose>,
    /// One per rigid frame. Written by Finish and Guard.
    pub twist: Vec<Twist>,
    /// Radii \[m\], one per primitive; 0 for boxes and planes. Written by Finish.
    pub radius: Vec<Real>,
    /// One per tool. Written by Tools and Predict.
    pub leads: Vec<Lead>,
    /// One per tool: whether its jaws were closed in the last step. Written by Tools.
    pub closed: Vec<bool>,
    /// One per control element of all flexible bodies. Written by Tools and Predict.
    pub controls: Vec<Controlled>,
    /// Vertices held by jaws, sorted by tool. Written by Tools and Finish.
    pub grips: Vec<Grip>,
    /// Rows that pushed in the last substep, sorted by key. Written by Respond.
    pub kept: Vec<Kept>,
    /// One per vertex, then per rigid frame, then per body as a whole: how far it may stray in the next substep for what it did in those before
    /// \[m\]; 0 where its free motion says enough. Written by Finish.
    pub ahead: Vec<Real>,
    /// One per body: stands fixed. Written by Guard; what is set from outside stays until it is taken back there.
    pub frozen: Vec<bool>,
    /// One per body: for how long the guard holds it, and how often it had to. Written by Guard.
    pub holds: Vec<Hold>,
    /// Active pairs of the tracker, sorted, each once; empty with other detectors. Written by Detect.
    pub tracked: Vec<Tracked>,
}

impl State {
    /// The state in which a model starts.
    pub fn start(model: &Model) -> Self {
        let pose: Vec<Pose> = model.rigids.iter().map(|r| r.rest).collect();
        let lead = |t: &crate::model::Tool| {
            let rest = model.rigids[t.rigid.at()].rest;
            Lead { target: Pose { pos: rest.point(t.tip), rot: rest.rot }, twist: Twist::default() }
        };
        Self {
            tick: 0,
            pos: model.rest.clone(),
            vel: vec![Vec3::ZERO; model.rest.len()],
            twist: vec![Twist::default(); pose.len()],
            pose,
            radius: model.prims.iter().map(|p| p.radius).collect(),
            leads: model.tools.iter().map(lead).collect(),
            closed: vec![false; model.tools.len()],
            controls: elements(model).map(|(_, e)| at_rest(e.origin)).collect(),
            grips: Vec::with_capacity(model.tools.len() * GRIPS_MAX),
            kept: Vec::new(),
            ahead: vec![0.0; model.rest.len() + model.rigids.len() + model.bodies.len()],
            frozen: vec![false; model.bodies.len()],
            holds: vec![Hold::default(); model.bodies.len()],
            tracked: Vec::new(),
        }
    }

    /// Whether this state has the shape that `model` needs. A state read from a file is asked first.
    pub fn fits(&self, model: &Model) -> bool {
        let (n, r) = (model.rest.len(), model.rigids.len());
        let is_segment =
            |p: PrimId| model.prims.get(p.at()).is_some_and(|p| matches!(p.kind, PrimKind::Segment(_)));
        self.pos.len() == n
            && self.vel.len() == n
            && self.ahead.len() == n + r + model.bodies.len()
            && self.pose.len() == r
            && self.twist.len() == r
            && self.radius.len() == model.prims.len()
            && self.leads.len() == model.tools.len()
            && self.closed.len() == model.tools.len()
            && self.controls.len() == elements(model).count()
            && self.grips.iter().all(|g| g.tool.at() < model.tools.len() && g.vertex.at() < n)
            && self.frozen.len() == model.bodies.len()
            && self.holds.len() == model.bodies.len()
            && self.tracked.windows(2).all(|w| w[0] < w[1])
            && self.tracked.iter().all(|t| t.a < t.b && is_segment(t.a) && is_segment(t.b))
    }

    /// Takes over another state of the same shape without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.tick = other.tick;
        self.pos.clone_from(&other.pos);
        self.vel.clone_from(&other.vel);
        self.pose.clone_from(&other.pose);
        self.twist.clone_from(&other.twist);
        self.radius.clone_from(&other.radius);
        self.leads.clone_from(&other.leads);
        self.closed.clone_from(&other.closed);
        self.controls.clone_from(&other.controls);
        self.grips.clone_from(&other.grips);
        self.kept.clone_from(&other.kept);
        self.ahead.clone_from(&other.ahead);
        self.frozen.clone_from(&other.frozen);
        self.holds.clone_from(&other.holds);
        // With its room, since the tracker makes room ahead.
        self.tracked.clear();
        self.tracked.reserve(other.tracked.capacity());
        self.tracked.extend_from_slice(&other.tracked);
    }

    /// 64 bits that change when any bit of the state changes. Equal runs have equal hashes on every tick.
    pub fn hash(&self) -> u64 {
        let mut h = StateHash::default();
        h.word(self.tick);
        self.pos.iter().for_each(|p| h.vec(*p));
        self.vel.iter().for_each(|v| h.vec(*v));
        self.pose.iter().for_each(|p| h.pose(p));
        self.twist.iter().for_each(|t| h.twist(t));
        self.radius.iter().for_each(|r| h.word(r.to_bits()));
        for lead in &self.leads {
            h.pose(&lead.target);
            h.twist(&lead.twist);
        }
        self.closed.iter().for_each(|c| h.word(u64::from(*c)));
        for control in &self.controls {
            let Control { pos_64, rot_q22, scale_q16, force_un, torque_unm } = control.goal;
            let all = [&pos_64[..], &rot_q22, &scale_q16, &force_un, &torque_unm];
            all.into_iter().flatten().for_each(|n| h.word(u64::from(*n as u32)));
            h.pose(&control.at.pose);
            h.vec(control.at.scale);
        }
        for grip in &self.grips {
            h.word(u64::from(grip.tool.0) << 32 | u64::from(grip.vertex.0));
            h.vec(grip.at);
            h.word(grip.slipped.to_bits());
            h.vec(grip.pull);
        }
        for kept in &self.kept {
            h.word(u64::from(kept.key.a.0) << 32 | u64::from(kept.key.b.0));
            h.word(u64::from(kept.key.feature));
            h.word(kept.lambda.to_bits());
            h.vec(kept.stick);
            h.vec(kept.drag);
            h.word(kept.goal.to_bits());
        }
        self.ahead.iter().for_each(|a| h.word(a.to_bits()));
        self.frozen.iter().for_each(|f| h.word(u64::from(*f)));
        for hold in &self.holds {
            h.word(u64::from(hold.left) << 32 | u64::from(hold.times));
            let why = hold.why.map_or(0, |why| why as u64 + 1);
            h.word(u64::from(hold.calm) << 32 | why << 1 | u64::from(hold.stuck));
        }
        self.tracked.iter().for_each(|t| h.word(u64::from(t.a.0) << 32 | u64::from(t.b.0)));
        h.finish()
    }
}

/// A control element that nobody has moved.
fn at_rest(origin: Vec3) -> Controlled {
    let pose = Pose { pos: origin, rot: Quat::IDENTITY };
    let still = Control {
        pos_64: [0; 3],
        rot_q22: [0, 0, 0, 1 << 22],
        scale_q16: [65536; 3],
        force_un: [0; 3],
        torque_unm: [0; 3],
    };
    let goal = Control::new(origin, Quat::IDENTITY, Vec3::ONE).unwrap_or(still);
    Controlled { goal, at: Affine { pose, scale: Vec3::ONE } }
}

/// Two multiply–xor lanes, filled in turn: enough to tell states apart, and a few cycles a word.
/// Not for secrets. Each step of a lane is a bijection of it, so a change in one word always shows in it.
struct StateHash {
    lanes: [u64; 2],
    next: usize,
}

impl Default for StateHash {
    fn default() -> Self {
        Self { lanes: [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F], next: 0 }
    }
}

impl StateHash {
    #[inline]
    fn word(&mut self, w: u64) {
        let lane = &mut self.lanes[self.next];
        *lane = (*lane ^ w).wrapping_mul(0x9FB2_1C65_1E98_DF25);
        *lane ^= *lane >> 29;
        self.next ^= 1;
    }

    fn vec(&mut self, v: Vec3) {
        v.to_array().iter().for_each(|c| self.word(c.to_bits()));
    }

    fn quat(&mut self, q: Quat) {
        q.to_array().iter().for_each(|c| self.word(c.to_bits()));
    }

    fn pose(&mut self, p: &Pose) {
        self.vec(p.pos);
        self.quat(p.rot);
    }

    fn twist(&mut self, t: &Twist) {
        self.vec(t.vel);
        self.vec(t.omega);
    }

    fn finish(&self) -> u64 {
        let mut h = self.lanes[0] ^ self.lanes[1].rotate_left(32);
        h = (h ^ (h >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        h ^ (h >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_counts() {
        let state = State {
            pos: vec![Vec3::ONE; 3],
            vel: vec![Vec3::ZERO; 3],
            frozen: vec![false],
            holds: vec![Hold::default()],
            ..State::default()
        };
        let mut seen = vec![state.hash()];
        for i in 0..3 {
            for k in 0..3 {
                for bit in 0..64 {
                    let mut s = state.clone();
                    s.pos[i][k] = f64::from_bits(s.pos[i][k].to_bits() ^ (1 << bit));
                    seen.push(s.hash());
                }
            }
        }
        seen.push(State { frozen: vec![true], ..state.clone() }.hash());
        let (clean, why) = (Hold::default(), Some(crate::guard::Fault::NotFinite));
        for hold in [
            Hold { left: 1, ..clean },
            Hold { times: 1, ..clean },
            Hold { calm: 1, ..clean },
            Hold { why, ..clean },
            Hold { stuck: true, ..clean },
        ] {
            seen.push(State { holds: vec![hold], ..state.clone() }.hash());
        }
        seen.push(State { tracked: vec![Tracked { a: PrimId(0), b: PrimId(2) }], ..state.clone() }.hash());
        seen.push(State { tick: 1, ..state }.hash());
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
        let mut low: Vec<u32> = seen.iter().map(|h| *h as u32).collect();
        low.sort_unstable();
        low.dedup();
        assert_eq!(low.len(), all, "the low half tells them apart too");
    }
}
