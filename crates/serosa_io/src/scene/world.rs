//! The table `world` of a scene file.

use super::walk::Node;
use serosa_bake::raw::{Overlaps, RawWorld};
use serosa_sim::params::{Detector, Filter, Response, Solver, Tracker};

/// What holds for the whole scene: forces, step and methods.
pub(super) fn world(node: &Node) -> RawWorld {
    let response = match node.choice("response") {
        "ignore" => Response::Ignore,
        "displacement-velocity" => Response::DisplacementVelocity,
        "projection" => Response::Projection,
        "consistent-penetration" => Response::ConsistentPenetration,
        "qp" => Response::Qp,
        _ => Response::AugmentedLagrangian,
    };
    // What reproduces a paper runs as the paper has it.
    let clips = match node.choice("filter") {
        "on" => true,
        "off" => false,
        _ => response == Response::AugmentedLagrangian,
    };
    RawWorld {
        gravity: node.vector("gravity"),
        dt_s: node.si("step"),
        substeps: node.count("substeps") as u32,
        sweeps: node.count("sweeps") as u32,
        budget_s: node.real("budget"),
        detector: match node.choice("detector") {
            "all-pairs" => Detector::AllPairs,
            "tracker" => Detector::Tracker,
            _ => Detector::Grid,
        },
        tracker: node.table("tracker").map_or_else(Tracker::default, |t| Tracker {
            random_pairs: t.count("random_pairs") as u32,
            reach: t.si("reach"),
            seed: t.count("seed"),
        }),
        response,
        solver: match node.choice("solver") {
            "faithful" => Solver::Faithful,
            "large" => Solver::Large,
            _ => Solver::Exact,
        },
        overlaps: if node.choice("overlaps") == "part" { Overlaps::Part } else { Overlaps::Refuse },
        filter: if clips { Filter::Planes } else { Filter::Off },
    }
}
