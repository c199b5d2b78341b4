//! Tubes and strips solved as one band.

use super::Substep;
use crate::Scratch;
use crate::model::BandBody;
use crate::state::State;

/// The inertial target.
pub(super) fn predict(_sub: &Substep, _b: usize, _body: &BandBody, _state: &State, _scratch: &mut Scratch) {}
