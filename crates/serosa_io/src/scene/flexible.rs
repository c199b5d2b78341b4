//! From tables of a scene file to flexible bodies.

use super::problem::Problem;
use super::solid::{region, selector};
use super::tool;
use super::walk::Node;
use serosa_bake::raw::{ControlMove, RawCompliance, RawControl, RawFlexible, RawMethod, Selector};
use serosa_sim::model::{Law, Limits, MeanRotation, Region};

/// The mechanics that a table asks for.
pub fn flexible(name: String, n: &Node, problems: &mut Vec<Problem>) -> RawFlexible {
    let base = Region {
        name,
        law: Law::Corotated,
        young: n.si("young"),
        poisson: n.si("poisson"),
        density: n.si("density"),
    };
    let controls = n.list("control").iter();
    let controls = controls.filter_map(|node| {
        tool::in_order(node.list("move"), problems);
        let which = match node.get("set") {
            Some(_) => Selector::Name(node.text("set")),
            None => selector(node)?,
        };
        Some(RawControl {
            name: node.text("name"),
            which,
            speed_max: node.si("speed"),
            by_force: node.choice("input") == "force",
            moves: node.list("move").iter().map(movement).collect(),
        })
    });
    RawFlexible {
        method: if is_boundary(n) { RawMethod::Boundary } else { RawMethod::Finite },
        controls: controls.collect(),
        regions: n.list("region").iter().filter_map(|node| region(&base, node)).collect(),
        rotation: match n.choice("rotation") {
            "gram-schmidt" => MeanRotation::GramSchmidt,
            _ => MeanRotation::Polar,
        },
        limits: Limits {
            strain: n.si("critical_strain"),
            stretch: n.real("critical_stretch").unwrap_or(f64::INFINITY),
            angle: n.si("critical_angle"),
        },
        compliance: match n.choice("compliance") {
            "none" => RawCompliance::None,
            "all" => RawCompliance::All,
            "demand" => RawCompliance::Demand,
            _ => RawCompliance::Auto,
        },
        thickness: n.real("thickness"),
        base,
    }
}

/// Whether a table asks for boundary elements.
pub fn is_boundary(n: &Node) -> bool {
    n.choice("method") == "bem"
}

fn movement(node: &Node) -> ControlMove {
    ControlMove {
        time_s: node.si("time"),
        shift: node.vector("shift"),
        turn: node.vector("turn"),
        scale: node.vector("scale"),
        force: node.vector("force"),
        torque: node.vector("torque"),
    }
}

/// What a table says of the inside of a body that boundary elements cover is wrong.
pub fn surface_alone(n: &Node) -> Result<(), Problem> {
    let inside = [("fill", "tetrahedra"), ("region", "parts of another material")];
    match inside.iter().find(|(key, _)| n.get(key).is_some()) {
        None => Ok(()),
        Some((key, what)) => {
            let help = format!("leave `{key}` out, or write method = \"fem\"");
            Err(Problem::new(n.span_of(key), format!("boundary elements have no {what}"), help))
        }
    }
}
