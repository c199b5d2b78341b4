//! `World`: the four kinds of data together.

use crate::{Model, Params, Scratch, State, StepReport};
use std::sync::Arc;

/// A scene that can be stepped.
#[derive(Clone, Debug)]
pub struct World {
    /// Fixed.
    pub model: Arc<Model>,
    /// Chosen.
    pub params: Params,
    /// Saved.
    pub state: State,
    /// Derived.
    pub scratch: Scratch,
    /// What the last step saw and did.
    pub report: StepReport,
}

impl World {
    /// A world at its start.
    pub fn new(model: Arc<Model>, params: Params) -> Self {
        Self {
            state: State::start(&model),
            scratch: Scratch::for_model(&model),
            report: StepReport::with_room(model.bodies.len()),
            model,
            params,
        }
    }
}
