//! Keys of the tracker.

use super::{Count, Default, Dim, Quantity, Table, key, table};

pub static TRACKER: Table = table(
    "world.tracker",
    "How the tracker looks, where `detector = \"tracker\"`.",
    &[
        key(
            "random_pairs",
            Count(0, 10_000_000),
            Default("50"),
            "Pairs of edges drawn in each part of a step. More find new contacts sooner and cost time in proportion.",
        ),
        key(
            "reach",
            Quantity(Dim::None, 1.0, 100.0),
            Default("1.5"),
            "How far a pair is followed, as a multiple of the sum of its radii.",
        ),
        key("seed", Count(0, 4_294_967_295), Default("0"), "Other seeds draw other pairs."),
    ],
);
