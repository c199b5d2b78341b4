//! Whether a model from elsewhere holds together: no number in it points beyond the array it belongs to.
//!
//! Models that are baked here do. One from a file may be forged, and a step must not stumble over it. What its numbers
//! say of lengths, masses and forces is not judged: whatever runs away is frozen by the guard.

use super::{
    BLOCK, BandBody, Body, BodyKind, Coarse, Compliance, Descent, FIXED, FlexibleBody, LANES, Layout,
    MODE_BLOCK, Model, NONE, PrimKind, Quadratic, SECTION, SolidBody, SpringBody, TissueBody,
};
use crate::params::Params;
use crate::probe::{Measure, Place};
use crate::{BodyId, VertexId};
use std::ops::Range;

/// The most parts of a step that a file may ask for, and the most passes.
const PARTS_MAX: u32 = 10_000;

/// What is wrong, in words.
type Found = Result<(), String>;

fn that(holds: bool, what: &str) -> Found {
    if holds { Ok(()) } else { Err(format!("{what} do not fit")) }
}

fn below(what: &str, mut numbers: impl Iterator<Item = u32>, count: usize) -> Found {
    that(numbers.all(|n| (n as usize) < count), what)
}

fn range_in(range: &Range<u32>, count: usize) -> bool {
    range.start <= range.end && range.end as usize <= count
}

/// Rows of a list, as `starts` cut it.
fn cut(what: &str, starts: &[u32], rows: usize, entries: usize) -> Found {
    let ascend = starts.windows(2).all(|w| w[0] <= w[1]);
    let whole = starts.len() == rows + 1 && starts[0] == 0 && starts[rows] as usize == entries;
    that((starts.is_empty() && entries == 0) || (whole && ascend), what)
}

impl Model {
    /// Says what does not fit, if anything. O(size of the model).
    pub fn check(&self, params: &Params) -> Result<(), String> {
        let (n, bodies) = (self.rest.len(), self.bodies.len());
        let per_vertex = [self.mass.len(), self.inv_mass.len(), self.unknown.len()];
        that(per_vertex.iter().all(|k| *k == n), "vertices")?;
        that(params.bodies.len() == bodies && params.couplings.len() == self.tools.len(), "parameters")?;
        that((1..=PARTS_MAX).contains(&params.substeps) && params.sweeps <= PARTS_MAX, "passes")?;
        that(params.tunables.iter().all(|t| t.min <= t.max), "tunables")?;
        let mut next = [0, 0];
        for body in &self.bodies {
            that([body.vertices.start, body.prims.start] == next, "bodies")?;
            that(range_in(&body.vertices, n) && range_in(&body.prims, self.prims.len()), "bodies")?;
            next = [body.vertices.end, body.prims.end];
            self.check_body(body).map_err(|e| format!("{e} in {:?}", body.name))?;
        }
        that(next.map(|k| k as usize) == [n, self.prims.len()], "bodies")?;
        self.check_contacts()?;
        self.check_rest()
    }

    fn check_body(&self, body: &Body) -> Found {
        match &body.kind {
            BodyKind::Springs(springs) => self.check_springs(body, springs),
            BodyKind::Band(band) => self.check_band(body, band),
            BodyKind::Tissue(tissue) => self.check_tissue(body, tissue),
            BodyKind::Solid(solid) => self.check_solid(body, solid),
            BodyKind::Flexible(flexible) => self.check_flexible(body, flexible),
            BodyKind::Rigid(r) => below("frames", [r.0].into_iter(), self.rigids.len()),
        }
    }

    fn spring_ends(&self, body: &Body, springs: &Range<u32>) -> Found {
        that(range_in(springs, self.springs.len()), "springs")?;
        let springs = &self.springs[springs.start as usize..springs.end as usize];
        of_body("springs", body, springs.iter().flat_map(|s| s.ends))
    }

    /// Blocks are halved by their numbers: springs of each touch its own vertices only.
    fn check_springs(&self, body: &Body, springs: &SpringBody) -> Found {
        let all = springs.springs();
        let mut next = all.start as u32;
        for (k, block) in (0u32..).zip(&springs.blocks) {
            that(block.start == next, "blocks")?;
            next = block.end;
            self.spring_ends(body, block)?;
            let own = (body.vertices.start + k * BLOCK)..(body.vertices.start + (k + 1) * BLOCK);
            let inside = &self.springs[block.start as usize..block.end as usize];
            that(inside.iter().flat_map(|s| s.ends).all(|v| own.contains(&v.0)), "blocks")?;
        }
        that(springs.between.start == next, "springs")?;
        let blocks = (body.vertices.len()).div_ceil(BLOCK as usize);
        that(springs.blocks.len() <= blocks.max(1), "blocks")?;
        self.spring_ends(body, &springs.between)
    }

    fn check_band(&self, body: &Body, band: &BandBody) -> Found {
        self.spring_ends(body, &band.springs)?;
        that(range_in(&band.bends, self.bends.len()) && range_in(&band.rods, self.rods.len()), "stencils")?;
        let bends = &self.bends[band.bends.start as usize..band.bends.end as usize];
        let rods = &self.rods[band.rods.start as usize..band.rods.end as usize];
        let springs = &self.springs[band.springs.start as usize..band.springs.end as usize];
        of_body(
            "stencils",
            body,
            bends.iter().flat_map(|b| b.nodes).chain(rods.iter().flat_map(|r| r.nodes)),
        )?;
        let unknowns = &self.unknown[body.vertex_range()];
        that(band.unknowns as usize <= unknowns.len(), "unknowns")?;
        let mut seen = vec![false; band.unknowns as usize];
        for u in unknowns.iter().filter(|u| **u != FIXED) {
            let free = seen.get_mut(*u as usize).map(|seen| !core::mem::replace(seen, true));
            that(free == Some(true), "unknowns")?;
        }
        that(seen.iter().all(|s| *s), "unknowns")?;
        let near = |nodes: &[VertexId]| {
            let places = || nodes.iter().map(|v| self.unknown[v.at()]).filter(|u| *u != FIXED);
            places().max().unwrap_or(0) - places().min().unwrap_or(0) <= band.half_band
        };
        let all = springs.iter().all(|s| near(&s.ends)) && bends.iter().all(|b| near(&b.nodes));
        that(all && rods.iter().all(|r| near(&r.nodes)), "bands")
    }

    fn check_tissue(&self, body: &Body, tissue: &TissueBody) -> Found {
        self.spring_ends(body, &tissue.springs)?;
        that(
            range_in(&tissue.faces, self.faces.len()) && range_in(&tissue.folds, self.folds.len()),
            "faces",
        )?;
        let faces = &self.faces[tissue.faces.start as usize..tissue.faces.end as usize];
        let folds = &self.folds[tissue.folds.start as usize..tissue.folds.end as usize];
        of_body(
            "faces",
            body,
            faces.iter().flat_map(|f| f.corners).chain(folds.iter().flat_map(|f| f.nodes)),
        )?;
        below("sides", faces.iter().flat_map(|f| f.sides), tissue.springs.len())
    }

    fn check_solid(&self, body: &Body, solid: &SolidBody) -> Found {
        that(range_in(&solid.tets, self.tets.len()), "tetrahedra")?;
        let tets = &self.tets[solid.tets.start as usize..solid.tets.end as usize];
        of_body("tetrahedra", body, tets.iter().flat_map(|t| t.nodes))?;
        of_body("walls", body, solid.walls.iter().map(|w| w.vertex))?;
        below("regions", tets.iter().map(|t| t.region), solid.regions.len())?;
        that(!solid.regions.is_empty(), "regions")?;
        if let Descent::Global(global) = &solid.descent {
            let factor = &global.factor;
            let sizes = [factor.nodes(), factor.width(), global.every.min(1) as usize];
            that(sizes == [body.vertices.len(), 3, 1], "factors")?;
        }
        check_coarse(&solid.coarse, body.vertices.len())?;
        let Some(ten) = &solid.quadratic else {
            return solid.layout.check(body.vertices.len(), tets.len());
        };
        that(matches!(solid.descent, Descent::Global(_)), "descents")?;
        let corners = tets.iter().map(|t| t.nodes.map(|v| v.0 - body.vertices.start));
        ten.check(body.vertices.len(), corners)?;
        solid.layout.check_plain(body.vertices.len())
    }

    fn check_flexible(&self, body: &Body, flexible: &FlexibleBody) -> Found {
        let (n, columns) = (body.vertices.len(), flexible.columns());
        let before = |b: &&Body| b.vertices.start < body.vertices.start;
        let first: usize = self
            .bodies
            .iter()
            .take_while(before)
            .map(|b| match &b.kind {
                BodyKind::Flexible(other) => other.elements.len(),
                _ => 0,
            })
            .sum();
        that(flexible.first as usize == first && flexible.nodes.len() == n, "control elements")?;
        below("control elements", flexible.elements.iter().flat_map(|e| &e.vertices).copied(), n)?;
        below("triangles", flexible.triangles.iter().flatten().copied(), n)?;
        that(flexible.modes.len() == n.div_ceil(MODE_BLOCK) * columns * 3 * MODE_BLOCK, "modes")?;
        that(flexible.reaction.len() == 6 * flexible.elements.len() * columns, "reactions")?;
        that(
            flexible.energy.len() == columns * columns && flexible.weight.moment.len() == 3 * columns,
            "energies",
        )?;
        let yields = !matches!(flexible.compliance, Compliance::None);
        that(flexible.give.len() == if yields { n } else { 0 }, "compliances")?;
        match &flexible.compliance {
            Compliance::None => Ok(()),
            Compliance::All(all) => that(all.len() == 9 * n * n, "compliances"),
            Compliance::Demand(factor) => {
                let last = flexible.nodes.iter().copied();
                that(factor.width() == 3, "compliances")?;
                below("compliances", last, factor.nodes())
            }
        }
    }

    fn check_contacts(&self) -> Found {
        for prim in &self.prims {
            below("primitives", [prim.body.0].into_iter(), self.bodies.len())?;
            match prim.kind {
                PrimKind::Segment(_) | PrimKind::Triangle(_) => {
                    let vertices = prim.kind.vertices().iter().copied();
                    of_body("primitives", &self.bodies[prim.body.at()], vertices)?
                }
                PrimKind::Shape(r) => below("primitives", [r.0].into_iter(), self.rigids.len())?,
            }
        }
        cut("exclusions", &self.excluded.starts, self.prims.len(), self.excluded.partners.len())?;
        cut("neighbours", &self.neighbours.starts, self.rest.len(), self.neighbours.segments.len())?;
        let named = self.excluded.partners.iter().chain(&self.neighbours.segments);
        below("primitives", named.map(|p| p.0), self.prims.len())?;
        that(self.growths.iter().all(|g| range_in(&g.prims, self.prims.len())), "tubes")?;
        for shell in &self.shells {
            below("shells", [shell.body.0].into_iter(), self.bodies.len())?;
            let frame = shell.frame.as_ref();
            below("shells", frame.iter().map(|(r, _)| r.0), self.rigids.len())?;
            let points =
                frame.map_or(self.bodies[shell.body.at()].vertices.len(), |(_, points)| points.len());
            below("shells", shell.triangles.iter().flatten().copied(), points)?;
        }
        Ok(())
    }

    fn check_rest(&self) -> Found {
        let bodies = self.bodies.len();
        below("frames", self.rigids.iter().map(|r| r.body.0), bodies)?;
        below("tools", self.tools.iter().map(|t| t.body.0), bodies)?;
        below("tools", self.tools.iter().map(|t| t.rigid.0), self.rigids.len())?;
        for knot in self.ties.iter().flat_map(|t| &t.ends) {
            below("ties", [knot.body.0].into_iter(), bodies)?;
            let body = &self.bodies[knot.body.at()];
            that(matches!(body.kind, BodyKind::Solid(_)), "ties")?;
            of_body("ties", body, knot.nodes.into_iter())?;
        }
        for skin in &self.skins {
            below("skins", [skin.body.0].into_iter(), bodies)?;
            of_body("skins", &self.bodies[skin.body.at()], skin.points.iter().flat_map(|(nodes, _)| *nodes))?;
        }
        self.probes.iter().try_for_each(|probe| self.check_measure(&probe.measure))
    }

    fn check_measure(&self, measure: &Measure) -> Found {
        let a_body = |b: &BodyId| below("probes", [b.0].into_iter(), self.bodies.len());
        let some = |v: &[VertexId]| below("probes", v.iter().map(|v| v.0), self.rest.len());
        let place = |p: &Place| match p {
            Place::Vertices(v) => some(v),
            Place::Frame(r, _) => below("probes", [r.0].into_iter(), self.rigids.len()),
        };
        match measure {
            Measure::Position(a) => place(a),
            Measure::Distance(a, b) => place(a).and_then(|()| place(b)),
            Measure::Length(b) | Measure::ContactForce(b) => a_body(b),
            Measure::HandForce(t) => below("probes", [t.0].into_iter(), self.tools.len()),
            Measure::SupportForce(b, v) => a_body(b).and_then(|()| some(v)),
            Measure::Energy(_, b) => b.iter().try_for_each(a_body),
            Measure::Reaction(b, ..) | Measure::Carried { body: b, .. } => a_body(b),
            Measure::Cover(cover) => {
                let all = cover.triangles.iter().flatten().map(|v| v.0);
                a_body(&cover.body).and_then(|()| below("probes", all, self.rest.len()))
            }
        }
    }
}

fn check_coarse(coarse: &Coarse, vertices: usize) -> Found {
    if coarse.is_empty() {
        return Ok(());
    }
    let n = coarse.functions();
    that(coarse.starts.len() == vertices + 1, "handles")?;
    cut("handles", &coarse.starts, vertices, coarse.shares.len())?;
    below("handles", coarse.shares.iter().map(|s| s.handle), coarse.handles.len())?;
    that(
        [coarse.mass.len(), coarse.walls.len(), coarse.elastic.len()] == [n * n, n * n, 9 * n * n],
        "handles",
    )
}

fn of_body(what: &str, body: &Body, mut vertices: impl Iterator<Item = VertexId>) -> Found {
    that(vertices.all(|v| body.vertices.contains(&v.0)), what)
}

impl Quadratic {
    /// Its nodes and stars are of so many vertices, its corners those of the tetrahedra.
    fn check(&self, vertices: usize, corners: impl ExactSizeIterator<Item = [u32; 4]>) -> Found {
        let (tets, mut nodes) = (corners.len(), self.nodes.iter());
        that(self.nodes.len() == tets && self.stars.len() == 10 * tets, "tetrahedra")?;
        that(corners.zip(&mut nodes).all(|(c, n)| n[..4] == c), "tetrahedra")?;
        below("nodes", self.nodes.iter().flatten().copied(), vertices)?;
        cut("stars", &self.starts, vertices, self.stars.len())?;
        that(self.starts.len() == vertices + 1, "stars")?;
        below("stars", self.stars.iter().copied(), 10 * tets)
    }
}

impl Layout {
    /// That of quadratic tetrahedra: every vertex has its own number.
    fn check_plain(&self, vertices: usize) -> Found {
        let lists = [self.parts.len(), self.phases.len(), self.halo.len(), self.groups.len()];
        that(lists == [0; 4] && self.size as usize == vertices, "places")?;
        that(self.places.iter().copied().eq(0..vertices as u32), "places")?;
        let own = self.seats.iter().zip(0..).all(|(seat, v)| *seat == v || *seat == NONE);
        that(own && self.seats.len() == vertices, "seats")
    }

    fn check(&self, vertices: usize, tets: usize) -> Found {
        let (size, lanes) = (self.size as usize, LANES as u32);
        that(size <= (SECTION * self.parts.len()).saturating_add(vertices), "places")?;
        that(
            [self.places.len(), self.seats.len(), self.corners.len()] == [vertices, vertices, tets],
            "places",
        )?;
        let named = self.places.iter().chain(&self.halo).chain(self.corners.iter().flatten());
        below("places", named.copied(), size)?;
        let seats = self.seats.iter().filter(|s| **s != NONE);
        below("seats", seats.map(|s| s / lanes), self.groups.len())?;
        that(self.sources.len() == self.faces.len(), "faces")?;
        let sources = self.sources.iter().flatten().filter(|s| **s != NONE);
        below("faces", sources.map(|s| s / 4), tets)?;
        let mut next = [0, 0];
        for part in &self.parts {
            that([part.halo.start, part.groups.start] == next, "parts")?;
            that(
                range_in(&part.halo, self.halo.len()) && range_in(&part.groups, self.groups.len()),
                "parts",
            )?;
            that(part.own as usize + part.halo.len() < SECTION, "parts")?;
            next = [part.halo.end, part.groups.end];
        }
        that(self.phases.iter().all(|p| range_in(p, self.parts.len())), "phases")?;
        that(self.phases.windows(2).all(|w| w[0].end == w[1].start), "phases")?;
        for group in &self.groups {
            below("groups", group.vertices.into_iter().filter(|v| *v != NONE), vertices)?;
            that(
                range_in(&group.edges, self.edges.len()) && range_in(&group.faces, self.faces.len()),
                "groups",
            )?;
        }
        Ok(())
    }
}
