//! Tunables: from paths like `BODY.stiffness` to places in the parameters.

use crate::raw::{Place, RawTunable};
use crate::scene::Oven;
use serosa_sim::model::BodyKind;
use serosa_sim::params::{Target, Tunable};

impl Oven<'_> {
    pub(crate) fn add_tunable(&mut self, i: usize, raw: &RawTunable) {
        let place = Place::Tunable(i);
        let Some(target) = self.target(place, &raw.target) else { return };
        let start = self.params.value(target);
        if raw.min >= raw.max || !(raw.min..=raw.max).contains(&start) {
            let size = raw.unit.1;
            let message = format!(
                "the range {} to {} {} does not hold the value the scene starts with, {}",
                raw.min / size,
                raw.max / size,
                raw.unit.0,
                start / size
            );
            return self.fault(place, message, "choose min below and max above that value");
        }
        let name = if raw.name.is_empty() { raw.target.clone() } else { raw.name.clone() };
        let (unit, min, max) = (raw.unit.clone(), raw.min, raw.max);
        self.params.tunables.push(Tunable { name, target, unit, min, max, start });
    }

    fn target(&mut self, place: Place, path: &str) -> Option<Target> {
        if path == "gravity" {
            return Some(Target::Gravity);
        }
        let (name, key) = path.rsplit_once('.').unwrap_or((path, ""));
        let found = match key {
            "coupling" => Target::CouplingStiffness(self.tool(place, name)?),
            "friction" => Target::Friction(self.body(place, name)?),
            "drag" => Target::Drag(self.body(place, name)?),
            "stiffness" | "bending" | "damping" | "tube_stretch" | "tube_bending" | "relaxation" | "area"
            | "bulk" | "restoration" => {
                return self.material(place, name, key);
            }
            _ => {
                let help = "write gravity, BODY.stiffness, BODY.bending, BODY.damping, BODY.drag, \
                            BODY.friction, BODY.tube_stretch, BODY.tube_bending, BODY.relaxation, BODY.area, \
                            BODY.bulk, BODY.restoration or TOOL.coupling";
                self.fault(place, format!("\"{path}\" cannot be tuned"), help);
                return None;
            }
        };
        Some(found)
    }

    /// What a body is made of, where its model has it.
    fn material(&mut self, place: Place, name: &str, key: &str) -> Option<Target> {
        let b = self.body(place, name)?;
        let kind = &self.model.bodies[b.at()].kind;
        let soft = !matches!(kind, BodyKind::Rigid(_));
        let help = match (kind, key) {
            (BodyKind::Flexible(_), _) => {
                "the shapes of a flexible body are computed for its material; tune gravity"
            }
            (_, "stiffness") if soft => return Some(Target::Stiffness(b)),
            (BodyKind::Solid(_), "relaxation") => return Some(Target::Relaxation(b)),
            (BodyKind::Solid(_), _) => "a solid has stiffness, relaxation, drag and friction",
            (_, "bending") if soft => return Some(Target::Bending(b)),
            (BodyKind::Tissue(_), "relaxation") => return Some(Target::Relaxation(b)),
            (BodyKind::Tissue(_), "area") => return Some(Target::Area(b)),
            (BodyKind::Tissue(_), "bulk") => return Some(Target::Bulk(b)),
            (BodyKind::Tissue(_), "restoration") => return Some(Target::Restoration(b)),
            (BodyKind::Springs(_), "damping") => return Some(Target::Damping(b)),
            (BodyKind::Band(_), "tube_stretch") => return Some(Target::TubeStretch(b)),
            (BodyKind::Band(_), "tube_bending") => return Some(Target::TubeBending(b)),
            (BodyKind::Band(_), "relaxation") => return Some(Target::Relaxation(b)),
            (_, "damping") => "name a body with model.springs",
            (_, "stiffness" | "bending") => {
                "name a body with model.springs, model.band, model.tissue or model.solid"
            }
            (_, "area" | "bulk" | "restoration") => "name a body with model.tissue",
            (_, "relaxation") => "name a body with model.band, model.tissue or model.solid",
            _ => "name a body with model.band",
        };
        self.fault(place, format!("\"{name}\" has no {key}"), help);
        None
    }
}
