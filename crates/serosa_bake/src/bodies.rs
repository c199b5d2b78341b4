//! Bodies: each shape with each model that it can have.

use crate::raw::{
    Place, RawBand, RawBody, RawElastic, RawFlexible, RawGeometry, RawMethod, RawModel, RawSolid, RawStrip,
    RawTets, RawTissue, Selector,
};
use crate::scene::{Oven, show};
use crate::springs::Skin;
use crate::{band, flexible, rigid, select, solid, springs, strip, tissue};
use serosa_geometry::{Mesh, Real};
use serosa_sim::model::{Body, BodyKind, FIXED, Integrator};
use serosa_sim::params::{BodyParams, Response};

impl Oven<'_> {
    pub(crate) fn add_body(&mut self, i: usize, raw: &RawBody, watch: &mut dyn FnMut(usize)) {
        let place = Place::Body(i);
        let (vertices, prims) = (self.model.rest.len() as u32, self.model.prims.len() as u32);
        let kind = match (&raw.geometry, &raw.model) {
            (RawGeometry::Mesh { mesh, .. }, RawModel::Flexible(flexible))
                if flexible.method == RawMethod::Boundary =>
            {
                self.bounded(i, raw, (mesh, flexible), watch)
            }
            (RawGeometry::Mesh { mesh, radius }, model) => self.threads(i, raw, (mesh, *radius), model),
            (RawGeometry::Strip(strip), model) => self.strip(i, raw, strip, model),
            (RawGeometry::Tets(tets), RawModel::Solid(elastic)) => self.solid(i, raw, tets, elastic),
            (RawGeometry::Tets(tets), RawModel::Flexible(flexible)) => {
                self.flexible(i, raw, (tets, flexible), watch)
            }
            // What could be filled has become tetrahedra before.
            (RawGeometry::Filled(_), RawModel::Solid(_) | RawModel::Flexible(_)) => return,
            (RawGeometry::Tets(_) | RawGeometry::Filled(_), _) => {
                let help = "write model.solid = { young = \"…\", poisson = …, density = \"…\" }";
                return self.fault(place, "a body of tetrahedra needs model.solid or model.flexible", help);
            }
            (RawGeometry::Solid { solid, pose }, RawModel::Fixed) => {
                Some(BodyKind::Rigid(rigid::add(&mut self.model, *solid, *pose, None)))
            }
            (RawGeometry::Solid { solid: RawSolid::Plane, .. }, RawModel::Rigid { .. }) => {
                return self.fault(place, "a plane has no end and cannot move", "write model.fixed = {}");
            }
            (RawGeometry::Solid { solid, pose }, RawModel::Rigid { mass }) => {
                Some(BodyKind::Rigid(rigid::add(&mut self.model, *solid, *pose, Some(*mass))))
            }
            (
                RawGeometry::Solid { .. },
                RawModel::Springs { .. }
                | RawModel::Band(_)
                | RawModel::Tissue(_)
                | RawModel::Solid(_)
                | RawModel::Flexible(_),
            ) => {
                return self.fault(
                    place,
                    "a plane, sphere, capsule or box cannot be soft",
                    "write model.rigid = { mass = … } or model.fixed = {}",
                );
            }
        };
        let Some(kind) = kind else { return };
        if matches!(kind, BodyKind::Rigid(_)) && !raw.attachments.is_empty() {
            self.fault(
                Place::Attachment(i, 0),
                "only soft bodies can be attached",
                "write model.fixed = {} to hold a solid where it is",
            );
        }
        self.check_response(place, raw, &kind);
        self.close_body(raw, kind, vertices, prims);
        self.check_verlet(i, raw);
    }

    /// Responses that move bodies themselves know some kinds of them only.
    fn check_response(&mut self, place: Place, raw: &RawBody, kind: &BodyKind) {
        let response = self.raw.world.response;
        if response != Response::Qp {
            self.check_limits(place, raw);
        }
        let what = match (response, kind) {
            (Response::AugmentedLagrangian | Response::Qp, BodyKind::Tissue(body))
                if body.integrator == Integrator::Verlet =>
            {
                let which = match response {
                    Response::Qp => "the quadratic programme",
                    _ => "the augmented Lagrangian",
                };
                let message = format!(
                    "\"{}\" is moved by Verlet's explicit scheme, and {which} moves by an implicit one",
                    raw.name
                );
                let help =
                    "write integrator = \"implicit\", or response = \"consistent-penetration\" in `world`";
                return self.fault(place, message, help);
            }
            (Response::Qp, BodyKind::Solid(body)) if body.quadratic.is_some() => "quadratic tetrahedra",
            (Response::Qp, BodyKind::Flexible(_)) => "shapes computed beforehand",
            _ => return,
        };
        let message =
            format!("\"{}\" is made of {what}, which the quadratic programme cannot move", raw.name);
        let help =
            "write element = \"linear\" or another model, or response = \"augmented-lagrangian\" in `world`";
        self.fault(place, message, help);
    }

    /// Strain limits are kept by one response alone.
    fn check_limits(&mut self, place: Place, raw: &RawBody) {
        if raw.stretch != [-1.0, Real::INFINITY] {
            let message =
                format!("the strain limits of \"{}\" are kept by no other response than \"qp\"", raw.name);
            self.fault(place, message, "write response = \"qp\", or leave stretch_max and stretch_min out");
        }
    }

    /// A chain, net, membrane or mesh.
    fn threads(
        &mut self,
        i: usize,
        raw: &RawBody,
        (mesh, radius): (&Mesh, Real),
        model: &RawModel,
    ) -> Option<BodyKind> {
        let place = Place::Body(i);
        if matches!(model, RawModel::Solid(_) | RawModel::Flexible(_)) {
            let message = "model.solid and model.flexible need tetrahedra, and this shape has none";
            self.fault(place, message, "use shape.block, a closed surface, or a mesh file with tetrahedra");
            return None;
        }
        if matches!(model, RawModel::Rigid { .. } | RawModel::Fixed) {
            let message = "a chain, net, membrane or mesh needs model.springs, model.band or model.tissue";
            self.fault(place, message, "write model.springs = { mass = …, stiffness = … }");
            return None;
        }
        let found = springs::faults(mesh, place);
        let fixed = self.fixed_vertices(i, raw, mesh);
        if !found.is_empty() {
            self.faults.extend(found);
            return None;
        }
        if let RawModel::Band(band) = model {
            return self.rope(place, (mesh, radius), band, &fixed);
        }
        if let RawModel::Tissue(tissue) = model {
            return self.tissue(i, raw, (mesh, radius), tissue, &fixed);
        }
        if matches!(model, RawModel::Springs { tube: Some(_), .. }) {
            self.fault(
                place,
                "only an intestine has a tube of its own",
                "leave tube_mass and tube_stiffness out",
            );
        }
        let (skin, bends) = (self.skin(radius), self.is_tuned(raw, "bending"));
        Some(BodyKind::Springs(springs::add(&mut self.model, mesh, (skin, bends), model, &fixed)))
    }

    /// A solid of tetrahedra.
    fn solid(&mut self, i: usize, raw: &RawBody, tets: &RawTets, elastic: &RawElastic) -> Option<BodyKind> {
        let place = Place::Body(i);
        let mut found = solid::faults(tets, place);
        found.extend(solid::material_faults(elastic, place));
        let fixed = self.fixed_vertices(i, raw, &tets.mesh);
        if self.raw.world.response.presses() {
            let help = "write response = \"augmented-lagrangian\"";
            found.push(crate::Fault::new(place, "this response cannot move solids apart", help));
        }
        if !found.is_empty() {
            self.faults.extend(found);
            return None;
        }
        let first = self.model.rest.len() as u32;
        match solid::add(&mut self.model, tets, elastic, &fixed) {
            Ok(body) => {
                if self.raw.world.response.looks_ahead() {
                    solid::add_surface(&mut self.model, &tets.mesh, first, elastic.thickness);
                }
                Some(BodyKind::Solid(body))
            }
            Err((message, help)) => {
                self.fault(place, message, help);
                None
            }
        }
    }

    /// A body whose shapes are computed here.
    fn flexible(
        &mut self,
        i: usize,
        raw: &RawBody,
        (tets, flexible): (&RawTets, &RawFlexible),
        watch: &mut dyn FnMut(usize),
    ) -> Option<BodyKind> {
        let place = Place::Body(i);
        let mut found = solid::faults(tets, place);
        found.extend(solid::region_faults(std::iter::once(&flexible.base), &flexible.regions, place));
        found.extend(solid::own_material_fault(tets, place));
        if self.raw.world.response.presses() {
            let help = "write response = \"augmented-lagrangian\"";
            found.push(crate::Fault::new(place, "this response cannot move flexible bodies apart", help));
        }
        let fixed = self.fixed_vertices(i, raw, &tets.mesh);
        if !found.is_empty() {
            self.faults.extend(found);
            return None;
        }
        let chosen = match flexible::choose(tets, flexible, &fixed, place) {
            Ok(chosen) => chosen,
            Err(found) => {
                self.faults.extend(found);
                return None;
            }
        };
        if chosen.pieces > 1 {
            self.notes.push(format!(
                "\"{}\" is of {} pieces that nothing joins: each is moved by what holds it alone",
                raw.name, chosen.pieces
            ));
        }
        let materials = match solid::materials(tets, &flexible.base, &flexible.regions) {
            Ok(materials) => materials,
            Err((message, help)) => {
                self.fault(place, message, help);
                return None;
            }
        };
        let touched = self.is_touched(raw);
        match flexible::add(&mut self.model, tets, (flexible, &materials), &chosen, touched, watch) {
            Ok(body) => Some(BodyKind::Flexible(Box::new(body))),
            Err(error) => {
                self.fault(
                    place,
                    format!("its shapes cannot be computed: {error}"),
                    "mesh it coarser or hold it",
                );
                None
            }
        }
    }

    /// Whether something can touch a flexible body: others, tools, or its own parts. What nothing touches need not yield.
    fn is_touched(&self, raw: &RawBody) -> bool {
        let others = self.raw.bodies.len() > 1 || !self.raw.tools.is_empty();
        self.raw.world.response == Response::AugmentedLagrangian && (others || raw.self_contact)
    }

    /// The same of a closed surface alone.
    fn bounded(
        &mut self,
        i: usize,
        raw: &RawBody,
        (mesh, flexible): (&Mesh, &RawFlexible),
        watch: &mut dyn FnMut(usize),
    ) -> Option<BodyKind> {
        let place = Place::Body(i);
        let fixed = self.fixed_vertices(i, raw, mesh);
        let mut found = flexible::boundary::faults(mesh, flexible, place);
        if self.raw.world.response.presses() {
            let help = "write response = \"augmented-lagrangian\"";
            found.push(crate::Fault::new(place, "this response cannot move flexible bodies apart", help));
        }
        let mut joined = mesh.edges.iter().copied();
        let chosen = match flexible::choose_nodes(mesh, &mut joined, flexible, &fixed, place) {
            Ok(chosen) if found.is_empty() => chosen,
            Ok(_) => Default::default(),
            Err(more) => {
                found.extend(more);
                Default::default()
            }
        };
        if !found.is_empty() {
            self.faults.extend(found);
            return None;
        }
        let touched = self.is_touched(raw);
        match flexible::boundary::add(&mut self.model, mesh, flexible, &chosen, touched, watch) {
            Ok(body) => Some(BodyKind::Flexible(Box::new(body))),
            Err(error) => {
                self.fault(place, error.to_string(), "or write method = \"fem\"");
                None
            }
        }
    }

    fn rope(
        &mut self,
        place: Place,
        (mesh, radius): (&Mesh, Real),
        raw: &RawBand,
        fixed: &[u32],
    ) -> Option<BodyKind> {
        let Some(path) = band::path(mesh) else {
            let help = "use a chain or a helix, or write model.springs = { mass = …, stiffness = … }";
            self.fault(place, "model.band needs edges that follow one another in one open line", help);
            return None;
        };
        if raw.tube_mass.is_some() {
            self.fault(place, "a rope has no membrane beside its tube", "write its mass as `mass` alone");
        }
        Some(BodyKind::Band(band::add_rope(&mut self.model, (mesh, &path), radius, raw, fixed)))
    }

    /// A surface of triangles.
    fn tissue(
        &mut self,
        i: usize,
        raw: &RawBody,
        (mesh, radius): (&Mesh, Real),
        material: &RawTissue,
        fixed: &[u32],
    ) -> Option<BodyKind> {
        let whole = material.bulk > 0.0 || self.is_tuned(raw, "bulk");
        let found = tissue::faults(mesh, whole, Place::Body(i));
        if !found.is_empty() {
            self.faults.extend(found);
            return None;
        }
        let folds = material.bending > 0.0 || self.is_tuned(raw, "bending");
        let making = tissue::Making { mesh, skin: self.skin(radius), folds, whole, fixed };
        Some(BodyKind::Tissue(tissue::add(&mut self.model, &making, material)))
    }

    /// An explicit scheme stands small steps only.
    fn check_verlet(&mut self, i: usize, raw: &RawBody) {
        let RawModel::Tissue(material) = &raw.model else { return };
        let h = self.params.dt_s / Real::from(self.params.substeps.max(1));
        let limit = match material.integrator {
            Integrator::Verlet => {
                tissue::verlet_limit(&self.model, &self.params, self.model.bodies.len() - 1, h)
            }
            Integrator::Implicit => None,
        };
        if let Some(limit) = limit {
            self.fault(
                Place::Body(i),
                format!(
                    "\"{}\" is too stiff for Verlet's scheme at {:.3} ms; it stands {:.3} ms",
                    raw.name,
                    h * 1e3,
                    limit * 1e3
                ),
                "write a shorter step or more substeps, or integrator = \"implicit\"",
            );
        }
    }

    /// A tube with its membrane.
    fn strip(&mut self, i: usize, raw: &RawBody, strip: &RawStrip, model: &RawModel) -> Option<BodyKind> {
        let place = Place::Body(i);
        let mut found = strip::faults(strip, place);
        if found.is_empty() {
            found = springs::faults(&strip.strip.mesh, place);
        }
        let attached = self.fixed_vertices(i, raw, &strip.strip.mesh);
        if !found.is_empty() {
            self.faults.extend(found);
            return None;
        }
        let fixed = strip::held(&strip.strip, &attached);
        match model {
            RawModel::Band(band) if band.tube_mass.is_none() => {
                let help = "write model.band = { mass = … (of the membrane), tube_mass = …, … }";
                self.fault(place, "the tube of an intestine needs a mass of its own", help);
                None
            }
            RawModel::Band(band) => {
                Some(BodyKind::Band(band::add_strip(&mut self.model, strip, band, &fixed)))
            }
            RawModel::Springs { mass, bending, tube, .. } => {
                let what = (*mass, *tube, *bending > 0.0 || self.is_tuned(raw, "bending"));
                Some(BodyKind::Springs(strip::add_springs(&mut self.model, strip, what, &fixed)))
            }
            RawModel::Rigid { .. }
            | RawModel::Fixed
            | RawModel::Tissue(_)
            | RawModel::Solid(_)
            | RawModel::Flexible(_) => {
                let help = "write model.band = { mass = …, tube_mass = …, stiffness = … }";
                self.fault(place, "an intestine needs model.band or model.springs", help);
                None
            }
        }
    }

    /// What meshes of this scene touch with. Responses that press look at surfaces as a whole, and need no faces.
    fn skin(&self, radius: Real) -> Skin {
        Skin { radius, faces: !self.raw.world.response.presses() }
    }

    /// Whether the user may turn a property that may be zero at first.
    fn is_tuned(&self, raw: &RawBody, key: &str) -> bool {
        let tuned = format!("{}.{key}", raw.name);
        self.raw.tunables.iter().any(|t| t.target == tuned)
    }

    fn close_body(&mut self, raw: &RawBody, kind: BodyKind, vertices: u32, prims: u32) {
        self.model.unknown.resize(self.model.rest.len(), FIXED);
        self.model.bodies.push(Body {
            name: raw.name.clone(),
            kind,
            vertices: vertices..self.model.rest.len() as u32,
            prims: prims..self.model.prims.len() as u32,
            self_contact: raw.self_contact,
            membrane_contact: raw.membrane_contact,
        });
        let [stretch_min, stretch_max] = raw.stretch;
        let (drag, friction) = (raw.drag, raw.friction);
        let rest = BodyParams { drag, friction, stretch_min, stretch_max, ..BodyParams::default() };
        self.params.bodies.push(match &raw.model {
            &RawModel::Springs { stiffness, bending, damping, tube, .. } => BodyParams {
                stiffness,
                bending,
                damping,
                bend_share: if stiffness > 0.0 { (bending / stiffness).min(1.0) } else { 0.0 },
                tube_stretch: tube.map_or(0.0, |t| t.stiffness),
                ..rest
            },
            RawModel::Band(band) => BodyParams {
                stiffness: band.stiffness,
                bending: band.bending,
                tube_stretch: band.tube_stretch,
                tube_bending: band.tube_bending,
                relaxation: band.relaxation_s,
                ..rest
            },
            RawModel::Tissue(tissue) => BodyParams {
                stiffness: tissue.stiffness,
                area: tissue.area,
                bending: tissue.bending,
                bulk: tissue.bulk,
                restoration: tissue.restoration,
                relaxation: tissue.relaxation_s,
                ..rest
            },
            RawModel::Solid(solid) => {
                BodyParams { stiffness: solid.base.young, relaxation: solid.relaxation_s, ..rest }
            }
            RawModel::Flexible(flexible) => BodyParams { stiffness: flexible.base.young, ..rest },
            RawModel::Rigid { .. } | RawModel::Fixed => rest,
        });
    }

    fn fixed_vertices(&mut self, i: usize, raw: &RawBody, mesh: &Mesh) -> Vec<u32> {
        let mut fixed = Vec::new();
        for (k, selector) in raw.attachments.iter().enumerate() {
            match select::select(mesh, selector) {
                Some(vertices) if vertices.is_empty() => {
                    let b = mesh.bounds();
                    let help = format!("the body reaches from {} to {} m", show(b.min), show(b.max));
                    self.fault(Place::Attachment(i, k), "this attachment holds no vertex", help);
                }
                Some(vertices) => fixed.extend(vertices),
                None => {
                    let name = if let Selector::Name(name) = selector { name } else { "" };
                    let help = format!("this body has the sets: {}", select::names(mesh));
                    self.fault(
                        Place::Attachment(i, k),
                        format!("this body has no set called \"{name}\""),
                        help,
                    );
                }
            }
        }
        fixed.sort_unstable();
        fixed.dedup();
        fixed
    }
}
