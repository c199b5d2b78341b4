//! The tables and figures of the papers on surfaces, at their smallest.

use crate::tell::tell;
use serde_json::Value;

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn a_rigid_sphere_presses_into_a_soft_one_in_three_ways() {
    let told = tell(&["bench", "laparos", "--json", "--largest", "241"]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines = lines(&told.out);
    let methods: Vec<_> = lines.iter().map(|l| l["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["response", "deformable", "deformable-restored"]);
    for (line, published) in lines.iter().zip([22.19318, 28.86455, 30.93863]) {
        assert_eq!((line["bench"].as_str(), line["case"].as_str()), (Some("laparos"), Some("241x241")));
        let of = |key: &str| line[key].as_f64().unwrap();
        assert!((of("published_ms") - published).abs() < 1e-9 && of("n") == 241.0, "{line}");
        assert!(of("ms") > 0.0 && of("ms") <= of("ms_p99") && of("steps") > 200.0, "{line}");
        // Two fifths of the sphere's area are pressed into at the deepest.
        assert!(of("contacts_max") > 0.1 * 241.0, "{line}");
        // The near side is pushed through most of the sphere.
        assert!((1.0..2.5).contains(&of("moved_max")), "{line}");
    }
    let moved = |k: usize| lines[k]["moved_end"].as_f64().unwrap();
    assert!(
        moved(2) < 0.3 * moved(0) && moved(2) < 0.3 * moved(1),
        "restored: {}, {}, {}",
        moved(0),
        moved(1),
        moved(2)
    );
}

#[test]
fn organs_are_pressed_and_all_searches_find_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let figures = folder.path().join("figures");
    let refused = tell(&["bench", "medvr", "--largest", "400", "--svg", figures.to_str().unwrap()]);
    assert!(refused.code == 2 && refused.err.contains("leave --largest out"), "{refused:?}");
    let told = tell(&["bench", "medvr", "--json", "--largest", "1996", "--svg", figures.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines = lines(&told.out);
    let methods: Vec<_> = lines.iter().map(|l| l["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["default", "collider", "cascade", "brute"]);
    assert!(lines.iter().all(|l| l["bench"] == "medvr" && l["n"] == 1996 && l["ms"].as_f64() > Some(0.0)));
    let step = &lines[0];
    assert_eq!((step["case"].as_str(), step["published_ms"].as_f64()), (Some("pressing"), Some(2.303)));
    let of = |key: &str| step[key].as_f64().unwrap();
    assert!(
        (of("detect_ms") + of("respond_ms") - of("ms")).abs() < 1e-9 && of("contacts_max") > 10.0,
        "{step}"
    );
    assert!(lines[1..].iter().all(|l| l["same_pairs"] == true && l["pairs"].as_f64() > Some(5.0)));
    for figure in ["medvr-1.svg", "medvr-2.svg"] {
        let svg = std::fs::read_to_string(figures.join(figure)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("Figure 5."));
    }
}
