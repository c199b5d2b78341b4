//! The queries of Wang et al. (2021) with exact answers. They lie beside the project, never in it.

use super::*;
use std::path::Path;

/// A number written as numerator and denominator, the denominator a power of two: exact.
fn ratio(numerator: &str, denominator: &str) -> Real {
    numerator.parse::<Real>().unwrap() / denominator.parse::<Real>().unwrap()
}

/// Positions at start and end, and whether they meet.
fn read(text: &str) -> Vec<([Vec3; 4], [Vec3; 4], bool)> {
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

#[test]
#[allow(clippy::print_stdout)]
fn queries_with_exact_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/contact/ccd_queries");
    let (mut asked, mut missed, mut false_hits) = (0, 0, 0);
    let sets = ["unit-tests", "erleben-cube-cliff-edges", "erleben-cube-internal-edges", "erleben-sliding-spike", "erleben-spike-crack"];
    for set in sets {
        for (kind, detect) in [("vertex-face", vertex_triangle as fn(_, _, _) -> _), ("edge-edge", edge_edge)] {
            let queries = read(&std::fs::read_to_string(folder.join(set).join(kind).join("data_0_0.csv")).unwrap());
            let answers: Vec<(bool, Option<Real>)> = queries.iter().map(|q| (q.2, detect(q.0, q.1, 0.0))).collect();
            let count = |truth: bool, told: bool| answers.iter().filter(|a| (a.0, a.1.is_some()) == (truth, told)).count();
            println!("{set} {kind}: {} asked, {} missed, {} false of {}", answers.len(), count(true, false), count(false, true), count(false, true)+count(false,false));
            for (i, a) in answers.iter().enumerate() { if !a.0 && a.1.is_some() { println!("FP {set} {kind} {i} {:?}", a.1); } }
            asked += answers.len();
            missed += count(true, false);
            false_hits += count(false, true);
        }
    }
    println!("{asked} {missed} {false_hits}");
}
