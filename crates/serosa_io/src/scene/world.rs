//! The table `world` of a scene file.

use super::walk::Node;
use serosa_bake::raw::{Overlaps, RawWorld};
use serosa_sim::params::{Detector, Filter, Response, Solver, Tracker};

/// What holds for the whole scene: forces, step and methods.
pub(super) fn world(node: &Node) -> RawWorld {
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
        response: match node.choice("response") {
            "ignore" => Response::Ignore,
            "augmented-lagrangian" => Response::AugmentedLagrangian,
            "projection" => Response::Projection,
            "consistent-penetration" => Response::ConsistentPenetration,
            "qp" => Response::Qp,
            _ => Response::DisplacementVelocity,
        },
        solver: match node.choice("solver") {
            "faithful" => Solver::Faithful,
            "large" => Solver::Large,
            _ => Solver::Exact,
        },
        overlaps: if node.choice("overlaps") == "part" { Overlaps::Part } else { Overlaps::Refuse },
        filter: if node.choice("filter") == "on" { Filter::Planes } else { Filter::Off },
    }
}
