//! Audit: the last step checked against the exhaustive twin, and by geometry alone.

mod meetings;
mod nearest;

use crate::detect::{Finder, Places, Search, Shells};
use crate::params::{Detector, Params, Response};
use crate::row::{Held, Row};
use crate::{Real, VertexId, World};
use meetings::Meetings;

/// What an audit of one step found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// Contacts that the exhaustive search finds at the predicted positions and that no row stands for.
    pub missed: u32,
    /// Pairs that approach and end nearer than their thickness and the rest gap, and for which neither a row at the same
    /// closest points nor a plane of the filter stands: found by geometry alone. 0 of surfaces that press into one another.
    pub unanswered: u32,
    /// Deepest overlap at the end of the step \[m\], 0 if nothing overlaps.
    pub deepest_m: Real,
}

/// The exhaustive twin, with its own buffers.
#[derive(Clone, Debug, Default)]
pub struct Auditor {
    finder: Finder,
    rows: Vec<Row>,
    found: Vec<[Held; 2]>,
    shells: Shells,
    meetings: Meetings,
}

impl Auditor {
    /// Compares the rows of the last substep with every touch of all pairs at the same places, none merged:
    /// each must be answered by a row that holds the same vertices or primitives. Measures the deepest overlap
    /// left where the step ended, over all touches. Cost: O(n²), twice.
    pub fn check(&mut self, world: &World) -> Audit {
        if world.params.response.presses() {
            return self.check_shells(world);
        }
        let seen = &world.scratch;
        let places = Places { pos: &seen.found_pos, pose: &seen.found_pose, radius: &seen.found_radius };
        let search = if seen.found_near { Search::Near(&seen.reach) } else { Search::Overlap };
        self.exhaust(world, places, search);
        self.found.clear();
        self.found.extend(world.scratch.rows.iter().map(Row::held));
        self.found.sort_unstable();
        let known = |row: &&Row| self.found.binary_search(&row.held()).is_ok();
        let missed = self.rows.iter().filter(|row| !known(row)).count() as u32;
        let end = &world.state;
        self.exhaust(world, Places { pos: &end.pos, pose: &end.pose, radius: &end.radius }, Search::Overlap);
        let deepest_m = self.rows.iter().map(|row| -row.gap).fold(0.0, Real::max);
        let unanswered = self.meetings.unanswered(world);
        Audit { missed, unanswered, deepest_m }
    }

    /// The same for surfaces: every vertex of a soft one that lies inside another, asked by itself, must have a row. One
    /// that regions know and whose consistent depth is not positive has none, and is not missed. The depth is that of
    /// regions.
    fn check_shells(&mut self, world: &World) -> Audit {
        let seen = &world.scratch;
        let at = (&seen.found_pos[..], &seen.found_pose[..]);
        let mut inside = Vec::new();
        self.shells.inside_slowly(&world.model, at, |v| inside.push(v));
        let regions = Params { response: Response::Projection, ..world.params.clone() };
        self.shells.rows(&world.model, &world.params, at, &mut self.rows);
        let with_depth = vertices(&self.rows);
        self.shells.rows(&world.model, &regions, at, &mut self.rows);
        let (in_regions, known) = (vertices(&self.rows), vertices(&seen.rows));
        let has = |list: &[VertexId], v: &VertexId| list.binary_search(v).is_ok();
        let missed = |v: &&VertexId| !has(&known, v) && (has(&with_depth, v) || !has(&in_regions, v));
        let missed = inside.iter().filter(missed).count() as u32;
        let end = &world.state;
        self.shells.rows(&world.model, &regions, (&end.pos, &end.pose), &mut self.rows);
        let deepest_m = self.rows.iter().map(|row| -row.gap).fold(0.0, Real::max);
        Audit { missed, unanswered: 0, deepest_m }
    }

    fn exhaust(&mut self, world: &World, places: Places, search: Search) {
        self.finder.rows(&world.model, &world.params, Detector::AllPairs, (places, search), &mut self.rows);
        // Not asked for, and many in a violent moment: they are not kept.
        self.finder.near = Vec::new();
    }
}

/// The vertices that rows hold by themselves, sorted.
fn vertices(rows: &[Row]) -> Vec<VertexId> {
    let held =
        |row: &Row| row.held().into_iter().find_map(|h| if let Held::Vertex(v) = h { Some(v) } else { None });
    let mut all: Vec<_> = rows.iter().filter_map(held).collect();
    all.sort_unstable();
    all
}
