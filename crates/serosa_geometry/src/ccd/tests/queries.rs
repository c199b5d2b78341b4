//! The queries of Wang et al. (2021) with exact answers. They lie beside the project, never in it.

use super::*;
use std::path::Path;

/// A number written as numerator and denominator, the denominator a power of two: exact.
fn ratio(numerator: &str, denominator: &str) -> Real {
    numerator.parse::<Real>().unwrap() / denominator.parse::<Real>().unwrap()
}

/// Positions at start and end, and whether they meet.
type Query = (Corners, Corners, bool);

fn read(text: &str) -> Vec<Query> {
    let rows: Vec<(Vec3, bool)> = text
        .lines()
        .map(|line| {
            let f: Vec<&str> = line.trim().split(',').collect();
            (Vec3::new(ratio(f[0], f[1]), ratio(f[2], f[3]), ratio(f[4], f[5])), f[6] == "1")
        })
        .collect();
    let four = |r: &[(Vec3, bool)]| [r[0].0, r[1].0, r[2].0, r[3].0];
    rows.chunks_exact(8).map(|q| (four(&q[..4]), four(&q[4..]), q[0].1)).collect()
}

/// How a set was answered: questions, hits missed, hits told where there is none.
#[derive(Default)]
struct Tally {
    asked: usize,
    missed: usize,
    false_hits: usize,
}

impl Tally {
    fn of(queries: &[Query], detect: Detect) -> Tally {
        let wrong = |truth: bool| {
            queries.iter().filter(|q| q.2 == truth && detect(q.0, q.1, 0.0).is_some() != truth).count()
        };
        Tally { asked: queries.len(), missed: wrong(true), false_hits: wrong(false) }
    }
}

const SETS: [&str; 5] = [
    "unit-tests",
    "erleben-cube-cliff-edges",
    "erleben-cube-internal-edges",
    "erleben-sliding-spike",
    "erleben-spike-crack",
];

#[test]
#[allow(clippy::print_stdout)]
fn queries_with_exact_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/contact/ccd_queries");
    if !folder.is_dir() {
        println!("skipped: there is no ../shared/data/contact/ccd_queries beside the project");
        return;
    }
    let mut all = Tally::default();
    for set in SETS {
        for (kind, detect) in [("vertex-face", vertex_triangle as Detect), ("edge-edge", edge_edge)] {
            let text = std::fs::read_to_string(folder.join(set).join(kind).join("data_0_0.csv")).unwrap();
            let one = Tally::of(&read(&text), detect);
            println!(
                "{set} {kind}: {} asked, {} missed, {} false hits",
                one.asked, one.missed, one.false_hits
            );
            all.asked += one.asked;
            all.missed += one.missed;
            all.false_hits += one.false_hits;
        }
    }
    println!("together: {} asked, {} missed, {} false hits", all.asked, all.missed, all.false_hits);
    assert_eq!((all.asked, all.missed), (1179, 0));
    // All of them pass each other nearer than the rounding of their coordinates.
    assert!(all.false_hits <= 28, "{} false hits", all.false_hits);
}
