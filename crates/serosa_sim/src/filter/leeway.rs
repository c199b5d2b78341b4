//! How far pairs may be parted.
//!
//! A pair is parted along the direction in which it was nearest at the start. Where corners go far past one another that sends
//! both farther than the one wanted to go, and the next pair that has to be parted from them farther again: in a few rounds
//! ways of 10 mm became 80 mm, through everything there. What has nowhere to be parted to is stopped by a plane.

use super::certify::{Scene, each_node};
use super::shorten::Turn;
use crate::model::PrimKind;
use crate::{Real, Vec3};

/// How far each vertex and frame may be parted from where it was to go.
#[derive(Clone, Debug, Default)]
pub(super) struct Leeway {
    /// Steps as they were asked for, one per vertex \[m\].
    steps: Vec<Vec3>,
    /// The same for rigid frames.
    turns: Vec<Turn>,
    /// How far each vertex, and behind them each frame, may be parted from there \[m\]; none before it is asked.
    most: Vec<Real>,
}

impl Leeway {
    /// Forgets it.
    pub(super) fn clear(&mut self) {
        self.most.clear();
    }

    /// Gives each, unless that is done, as far as it was to go itself, and anything near it: it can be stopped, and pushed along.
    /// O(near pairs)
    pub(super) fn give(&mut self, scene: &Scene, steps: &[Vec3], turns: &[Turn]) {
        if !self.most.is_empty() {
            return;
        }
        self.steps.clear();
        self.steps.extend_from_slice(steps);
        self.turns.clear();
        self.turns.extend_from_slice(turns);
        self.most.resize(steps.len() + turns.len(), 0.0);
        let place = |node: usize| match node.checked_sub(steps.len()) {
            None => scene.state.pos[node],
            Some(r) => scene.state.pose[r].pos,
        };
        for pair in scene.pairs {
            for [prim, other] in [pair.prims, [pair.prims[1], pair.prims[0]]] {
                let other = &scene.model.prims[other.at()].kind;
                let soft = other.vertices().iter().map(|v| steps[v.at()].length()).fold(0.0, Real::max);
                each_node(scene.model, steps.len(), [prim], |node| {
                    let far = match other {
                        PrimKind::Shape(r) => turns[r.at()].takes(place(node) - scene.state.pose[r.at()].pos),
                        _ => soft,
                    };
                    self.most[node] = self.most[node].max(far);
                });
            }
        }
        let own = steps.iter().map(|step| step.length()).chain(turns.iter().map(|turn| turn.shift.length()));
        self.most.iter_mut().zip(own).for_each(|(most, own)| *most += own);
    }

    /// Whether a vertex, or a frame numbered behind all vertices, may step so far.
    #[inline(always)]
    pub(super) fn lets(&self, node: usize, step: Vec3) -> bool {
        let asked = match node.checked_sub(self.steps.len()) {
            None => self.steps[node],
            Some(r) => self.turns[r].shift,
        };
        (step - asked).length_squared() <= self.most[node] * self.most[node]
    }
}
