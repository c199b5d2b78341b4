//! Ways to find the triangles that intersect, shown what the step saw.

use crate::session::clock::thread_cpu_ns;
use serosa_geometry::Vec3;
use serosa_geometry::collide::{Cascade, Collider, Meeting, Own, Shells, every_meeting};
use serosa_sim::World;
use std::time::Instant;

/// The search for intersecting triangles that we have, that of the thesis, and looking at all pairs.
pub const METHODS: [&str; 3] = ["collider", "cascade", "brute"];

/// What one method took in the frames that it was shown.
#[derive(Debug, Default)]
pub struct Seen {
    /// (step, time \[ms\], pairs found)
    pub frames: Vec<(usize, f64, usize)>,
}

impl Seen {
    /// Over the frames in which something intersects \[ms\].
    pub fn mean_ms(&self) -> f64 {
        self.mean(|f| f.1)
    }

    /// Over the same frames.
    pub fn mean_pairs(&self) -> f64 {
        self.mean(|f| f.2 as f64)
    }

    fn mean(&self, of: impl Fn(&(usize, f64, usize)) -> f64) -> f64 {
        let touching = || self.frames.iter().filter(|f| f.2 > 0);
        touching().map(of).sum::<f64>() / touching().count().max(1) as f64
    }
}

/// All methods over one world.
pub struct Watcher {
    shells: Shells,
    collider: Collider,
    cascade: Cascade,
    /// Where the vertices are, and behind them the points of rigid shells \[m\].
    points: Vec<Vec3>,
    /// One for each of [`METHODS`].
    pub seen: [Seen; 3],
    /// Frames in which they did not agree.
    pub differing: usize,
}

impl Watcher {
    /// Over the shells of a world.
    pub fn new(world: &World) -> Self {
        let (model, mut shells) = (&world.model, Shells::default());
        let mut behind = model.rest.len() as u32;
        for shell in &model.shells {
            let first = match &shell.frame {
                Some((_, points)) => {
                    behind += points.len() as u32;
                    behind - points.len() as u32
                }
                None => model.bodies[shell.body.at()].vertices.start,
            };
            let triangles: Vec<[u32; 3]> = shell.triangles.iter().map(|t| t.map(|v| v + first)).collect();
            shells.add(&triangles, Own::Ignored);
        }
        let points = places(world, &world.state.pos, &world.state.pose);
        let collider = Collider::new(shells.clone(), &points);
        Self { shells, collider, cascade: Cascade::default(), points, seen: Default::default(), differing: 0 }
    }

    /// Shows the methods where the step looked for contacts; all pairs only where asked.
    pub fn look(&mut self, world: &World, tick: usize, brute: bool) {
        self.points = places(world, &world.scratch.found_pos, &world.scratch.found_pose);
        let Self { shells, collider, cascade, points, .. } = self;
        let found = [
            Some(timed(|| collider.find(points).to_vec())),
            Some(timed(|| cascade.find(shells, points))),
            brute.then(|| timed(|| every_meeting(shells, points))),
        ];
        let first = found[0].as_ref().map(|f| &f.1);
        self.differing += usize::from(found.iter().flatten().any(|f| Some(&f.1) != first));
        for (seen, (ms, pairs)) in
            self.seen.iter_mut().zip(&found).filter_map(|(s, f)| Some((s, f.as_ref()?)))
        {
            seen.frames.push((tick, *ms, pairs.len()));
        }
    }
}

fn places(world: &World, pos: &[Vec3], pose: &[serosa_sim::model::Pose]) -> Vec<Vec3> {
    let mut points = pos.to_vec();
    for (r, rigid) in world.model.shells.iter().filter_map(|shell| shell.frame.as_ref()) {
        points.extend(rigid.iter().map(|p| pose[r.at()].point(*p)));
    }
    points
}

/// CPU time of a search \[ms\], and what it found.
fn timed(find: impl FnOnce() -> Vec<Meeting>) -> (f64, Vec<Meeting>) {
    let (wall, cpu) = (Instant::now(), thread_cpu_ns());
    let found = find();
    let wall_ms = wall.elapsed().as_secs_f64() * 1e3;
    let ms = cpu.zip(thread_cpu_ns()).map_or(wall_ms, |(a, b)| b.saturating_sub(a) as f64 * 1e-6);
    (ms, found)
}
