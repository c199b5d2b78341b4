//! Probes: from names to what is measured.

use crate::raw::{Place, RawControl, RawMeasure, RawModel, RawPlace};
use crate::scene::Oven;
use crate::select;
use serosa_geometry::{Aabb, BodyId, Mesh, ToolId, Vec3, VertexId};
use serosa_sim::cover::Cover;
use serosa_sim::model::BodyKind;
use serosa_sim::probe::{Measure, Place as ProbePlace, Probe};

impl<'a> Oven<'a> {
    pub(crate) fn add_probes(&mut self) {
        for (i, raw) in self.raw.probes.iter().enumerate() {
            if let Some(measure) = self.measure(Place::Probe(i), &raw.measure) {
                self.model.probes.push(Probe { name: raw.name.clone(), measure });
            }
        }
    }

    fn measure(&mut self, place: Place, raw: &RawMeasure) -> Option<Measure> {
        Some(match raw {
            RawMeasure::Position(p) => Measure::Position(self.place(place, p)?),
            RawMeasure::Distance(a, b) => Measure::Distance(self.place(place, a)?, self.place(place, b)?),
            RawMeasure::Length(name) => {
                let body = self.body(place, name)?;
                if let BodyKind::Rigid(_) = self.model.bodies[body.at()].kind {
                    self.fault(
                        place,
                        format!("\"{name}\" has no edges to measure"),
                        "name a body made of springs",
                    );
                    return None;
                }
                Measure::Length(body)
            }
            RawMeasure::ContactForce(name) => Measure::ContactForce(self.body(place, name)?),
            RawMeasure::HandForce(name) => Measure::HandForce(self.tool(place, name)?),
            RawMeasure::SupportForce(p) => self.support(place, p)?,
            RawMeasure::Energy(kind, None) => Measure::Energy(*kind, None),
            RawMeasure::Energy(kind, Some(name)) => Measure::Energy(*kind, Some(self.body(place, name)?)),
            RawMeasure::Reaction(body, control, kind) => {
                let (body, element) = self.control(place, body, control)?;
                Measure::Reaction(body, element, *kind)
            }
            RawMeasure::Cover { body, goal, from } => {
                Measure::Cover(self.cover(place, body, (goal, *from))?)
            }
        })
    }

    fn support(&mut self, place: Place, p: &RawPlace) -> Option<Measure> {
        let body = self.body(place, &p.body)?;
        if let BodyKind::Flexible(_) = self.model.bodies[body.at()].kind {
            return self.carried(place, body, p);
        }
        match self.place(place, p)? {
            ProbePlace::Vertices(mut vertices) => {
                // What is meant by the whole body is all that holds it: what it does to itself comes to nothing.
                if p.at.is_empty() {
                    vertices.retain(|v| self.model.inv_mass[v.at()] == 0.0);
                }
                if vertices.is_empty() {
                    let help = "write attach = [{ name = \"…\" }] for the body, or name vertices of it";
                    self.fault(place, format!("nothing holds \"{}\"", p.body), help);
                    return None;
                }
                Some(Measure::SupportForce(body, vertices))
            }
            ProbePlace::Frame(..) => {
                self.fault(place, "nothing holds a rigid body by its vertices", "name a soft body");
                None
            }
        }
    }

    /// The control elements and attachments of a flexible body whose nodes a probe names: of each of them the bake knows
    /// what it carries as a whole.
    fn carried(&mut self, place: Place, body: BodyId, p: &RawPlace) -> Option<Measure> {
        let raw = self.raw.bodies.iter().find(|b| b.name == p.body)?;
        let (mesh, RawModel::Flexible(flexible)) = (raw.geometry.mesh()?, &raw.model) else { return None };
        let named = self.nodes(place, p, mesh)?;
        let mut attached: Vec<u32> =
            raw.attachments.iter().filter_map(|s| select::select(mesh, s)).flatten().collect();
        attached.sort_unstable();
        attached.dedup();
        let of = |control: &RawControl| select::select(mesh, &control.which).unwrap_or_default();
        let groups: Vec<Vec<u32>> = flexible.controls.iter().map(of).chain([attached]).collect();
        let meant = |group: &[u32]| group.iter().filter(|v| named.binary_search(v).is_ok()).count();
        let cut = groups.iter().any(|group| !matches!(meant(group), n if n == 0 || n == group.len()));
        let whole: Vec<u32> = (0..groups.len() as u32).filter(|g| meant(&groups[*g as usize]) > 0).collect();
        if cut || whole.is_empty() {
            let message = if cut {
                format!(
                    "\"{}\" is a part of what holds \"{}\", and what it carries is known of all of it only",
                    p.at, p.body
                )
            } else {
                format!("nothing holds \"{}\" of \"{}\"", p.at, p.body)
            };
            let help = "name a set that holds all nodes of the attachments or of a control element, or leave `at` out";
            self.fault(place, message, help);
            return None;
        }
        let last = flexible.controls.len() as u32;
        let attached = whole.contains(&last);
        Some(Measure::Carried { body, elements: whole.into_iter().filter(|g| *g < last).collect(), attached })
    }

    fn control(&mut self, place: Place, name: &str, control: &str) -> Option<(BodyId, u32)> {
        let body = self.body(place, name)?;
        let elements = match &self.model.bodies[body.at()].kind {
            BodyKind::Flexible(flexible) => &flexible.elements[..],
            _ => &[],
        };
        let found = elements.iter().position(|e| e.name == control);
        if found.is_none() {
            let names: Vec<&str> = elements.iter().map(|e| e.name.as_str()).collect();
            let help = match names.is_empty() {
                true => "name a body with model.flexible".to_owned(),
                false => format!("it has: {}", names.join(", ")),
            };
            self.fault(place, format!("\"{name}\" has no control element called \"{control}\""), help);
        }
        Some((body, found? as u32))
    }

    fn cover(&mut self, place: Place, name: &str, (goal, from): (&Aabb, Vec3)) -> Option<Cover> {
        let body = self.body(place, name)?;
        let first = self.model.bodies[body.at()].vertices.start;
        let Some(mesh) = self.written_mesh(name) else {
            let message = format!("\"{name}\" is a solid and hides nothing that could be laid aside");
            self.fault(place, message, "name a body with model.springs or model.band");
            return None;
        };
        if (goal.max - goal.min).min_element() < 1e-6 {
            self.fault(place, "the box of `cover` has no volume", "write `max` above `min` in x, y and z");
            return None;
        }
        let triangles = mesh.triangles.iter().map(|t| t.map(|v| VertexId(first + v))).collect();
        Some(Cover { body, min: goal.min, max: goal.max, from, triangles })
    }

    /// By name: where a body has faults, those after it have other numbers in the model.
    fn written_mesh(&self, name: &str) -> Option<&'a Mesh> {
        self.raw.bodies.iter().find(|b| b.name == name)?.geometry.mesh()
    }

    pub(crate) fn body(&mut self, place: Place, name: &str) -> Option<BodyId> {
        let found = self.model.body(name);
        // A body with faults of its own is not in the model; these have been told.
        let refused = self.raw.bodies.iter().any(|b| b.name == name);
        if found.is_none() && !refused {
            let names: Vec<&str> = self.model.bodies.iter().map(|b| b.name.as_str()).collect();
            let help = format!("the scene has: {}", names.join(", "));
            self.fault(place, format!("there is no body or tool called \"{name}\""), help);
        }
        found
    }

    pub(crate) fn tool(&mut self, place: Place, name: &str) -> Option<ToolId> {
        let found = self.model.tools.iter().position(|t| t.name == name).map(ToolId::from);
        if found.is_none() {
            let names: Vec<&str> = self.model.tools.iter().map(|t| t.name.as_str()).collect();
            let help = format!("the scene has the tools: {}", names.join(", "));
            self.fault(place, format!("there is no tool called \"{name}\""), help);
        }
        found
    }

    fn place(&mut self, place: Place, raw: &RawPlace) -> Option<ProbePlace> {
        let id = self.body(place, &raw.body)?;
        if let BodyKind::Rigid(r) = self.model.bodies[id.at()].kind {
            if !raw.at.is_empty() {
                let message = format!("\"{}\" is a solid and has no part called \"{}\"", raw.body, raw.at);
                self.fault(place, message, "leave `at` out: its centre, or the tip of a tool, is meant");
                return None;
            }
            let tip = self.model.tools.iter().find(|t| t.rigid == r).map_or(Vec3::ZERO, |t| t.tip);
            return Some(ProbePlace::Frame(r, tip));
        }
        let first = self.model.bodies[id.at()].vertices.start;
        let chosen = self.nodes(place, raw, self.written_mesh(&raw.body)?)?;
        if let BodyKind::Flexible(flexible) = &self.model.bodies[id.at()].kind {
            // Of its nodes those of the surface alone are known to the step.
            let outer = chosen.iter().filter_map(|v| flexible.nodes.binary_search(v).ok());
            let outer: Vec<VertexId> = outer.map(|v| VertexId(first + v as u32)).collect();
            if outer.is_empty() {
                let message =
                    format!("\"{}\" lies inside of \"{}\", whose surface alone is known", raw.at, raw.body);
                self.fault(place, message, "name vertices of the surface");
                return None;
            }
            return Some(ProbePlace::Vertices(outer));
        }
        Some(ProbePlace::Vertices(chosen.into_iter().map(|v| VertexId(first + v)).collect()))
    }

    /// The nodes of a mesh that a probe names.
    fn nodes(&mut self, place: Place, raw: &RawPlace, mesh: &Mesh) -> Option<Vec<u32>> {
        let all = mesh.points.len() as u32;
        let chosen = match raw.at.as_str() {
            "" => Some((0..all).collect()),
            name => match name.parse::<u32>() {
                Ok(v) if v < all => Some(vec![v]),
                _ => mesh.sets.get(name).cloned(),
            },
        };
        if chosen.is_none() {
            let help = format!("use a vertex number below {all} or one of: {}", select::names(mesh));
            self.fault(place, format!("\"{}\" is no part of body \"{}\"", raw.at, raw.body), help);
        }
        chosen
    }
}
