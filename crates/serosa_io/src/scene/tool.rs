//! From tables of a scene file to tools and where hands lead them.

use super::problem::Problem;
use super::walk::Node;
use serosa_bake::raw::{Move, RawSolid, RawTool};

/// A tool, from a sound table.
pub fn tool(node: &Node) -> RawTool {
    let shape = node.table("shape");
    let solid = match shape.and_then(|s| s.table("capsule")) {
        Some(c) => RawSolid::Capsule { length: c.si("length"), radius: c.si("radius") },
        None => {
            RawSolid::Sphere { radius: shape.and_then(|s| s.table("sphere")).map_or(0.0, |s| s.si("radius")) }
        }
    };
    let empty = Node::default();
    let coupling = node.table("coupling").unwrap_or(&empty);
    let grasp = node.table("grasp").unwrap_or(&empty);
    RawTool {
        name: node.text("name"),
        solid,
        tip: node.vector("tip"),
        direction: node.vector("direction"),
        mass: node.si("mass"),
        friction: node.si("friction"),
        stiffness: coupling.si("stiffness"),
        damping: coupling.real("damping"),
        turn_stiffness: coupling.si("turn_stiffness"),
        speed_max: coupling.si("speed"),
        reach: grasp.si("reach"),
        strength: grasp.si("strength"),
        holds: grasp.count("vertices") as u32,
        moves: node.list("move").iter().map(movement).collect(),
    }
}

/// A place of a hand, from a sound table.
pub fn movement(node: &Node) -> Move {
    let direction = node.get("direction").is_some().then(|| node.vector("direction"));
    Move { time_s: node.si("time"), tip: node.vector("tip"), direction, grip: node.flag("grip") }
}

/// Moves of one hand must follow each other in time.
pub fn in_order<'a>(moves: impl IntoIterator<Item = &'a Node>, problems: &mut Vec<Problem>) {
    let mut last = f64::NEG_INFINITY;
    for node in moves {
        let time = node.si("time");
        if time <= last {
            let message = format!("this move comes at {time} s, after one at {last} s");
            problems.push(Problem::new(
                node.span_of("time"),
                message,
                "write the moves of a tool in order of time",
            ));
        }
        last = time;
    }
}
