//! What a quadratic programme needs of the bake: the order in which its unknowns are eliminated.

use crate::cholesky::dissect;
use crate::scene::Oven;
use serosa_geometry::Vec3;
use serosa_sim::body::system;
use serosa_sim::params::Response;

impl Oven<'_> {
    /// Nested dissection of all unknowns, those of rigid frames included. About n log n for n of them.
    pub(crate) fn order_unknowns(&mut self) {
        if self.raw.world.response != Response::Qp {
            return;
        }
        let matrix = system::pattern(&self.model);
        let vertices = self.model.rest.len();
        let place = |v: &u32| match (*v as usize).checked_sub(vertices) {
            Some(frame) => self.model.rigids[frame / 2].rest.pos,
            None => self.model.rest[*v as usize],
        };
        let places: Vec<Vec3> = matrix.free().iter().map(place).collect();
        self.model.order = dissect::order(&dissect::Graph::of(&matrix), &places);
    }
}
