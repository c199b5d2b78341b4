//! What a quadratic programme needs of the bake: the order in which its unknowns are eliminated.

use crate::cholesky::dissect;
use crate::scene::Oven;
use serosa_geometry::Vec3;
use serosa_sim::body::system;
use serosa_sim::params::Response;

impl Oven<'_> {
    /// Nested dissection of all unknowns, those of rigid frames included. What is no place, the rest shape of tissue that goes
    /// along with it, is coupled with its whole body and eliminated last. About n log n for n of them.
    pub(crate) fn order_unknowns(&mut self) {
        if self.raw.world.response != Response::Qp {
            return;
        }
        let matrix = system::pattern(&self.model);
        let vertices = self.model.rest.len();
        let placed = (vertices + 2 * self.model.rigids.len()) as u32;
        let place = |v: &u32| match (*v as usize).checked_sub(vertices) {
            Some(frame) => self.model.rigids[frame / 2].rest.pos,
            None => self.model.rest[*v as usize],
        };
        let all = matrix.free();
        let places: Vec<Vec3> = all.iter().filter(|v| **v < placed).map(place).collect();
        let count = places.len() as u32;
        let edges: Vec<[u32; 2]> = matrix.pairs().filter(|[a, b]| a != b && a.max(b) < &count).collect();
        let mut order = dissect::order(&dissect::Graph::of_edges(places.len(), &edges), &places);
        order.extend(count..all.len() as u32);
        self.model.order = order;
    }
}
