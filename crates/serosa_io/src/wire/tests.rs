//! The wire types are the page's types, and frames hold what they should.

use super::*;
use serosa_sim::model::Pose;
use serosa_sim::{Quat, Vec3};
use ts_rs::{Config, TS};

/// The TypeScript of all wire types, in one file.
fn typescript() -> String {
    let mut text = String::from(
        "// Made from crates/serosa_io/src/wire.rs by `cargo xtask bless`; a test says whether it is fresh.\n",
    );
    let config = Config::default();
    let all = [
        ToServer::decl(&config),
        Quantity::decl(&config),
        ToPage::decl(&config),
        Door::decl(&config),
        Refusal::decl(&config),
        GalleryEntry::decl(&config),
        Status::decl(&config),
        HeldInfo::decl(&config),
        ReplayInfo::decl(&config),
        ProblemInfo::decl(&config),
        SceneInfo::decl(&config),
        BodyInfo::decl(&config),
        Look::decl(&config),
        Surface::decl(&config),
        SolidShape::decl(&config),
        ToolInfo::decl(&config),
        ElementInfo::decl(&config),
        ProbeInfo::decl(&config),
        TunableInfo::decl(&config),
        CameraInfo::decl(&config),
        TextInfo::decl(&config),
        GoalInfo::decl(&config),
        MeshAnswer::decl(&config),
        MeshInfo::decl(&config),
        FactInfo::decl(&config),
    ];
    for decl in all {
        text.push_str("\nexport ");
        decl.lines().for_each(|line| text.push_str(&format!("{}\n", line.trim_end())));
    }
    text
}

#[test]
fn the_types_of_the_page_are_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../viewer/src/wire.ts");
    if std::env::var_os("SEROSA_BLESS").is_some() {
        std::fs::write(path, typescript()).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == typescript(), "viewer/src/wire.ts is stale: run `cargo xtask bless`");
}

#[test]
fn a_page_gets_only_what_changed_since_its_last_frame() {
    let mut encoder = FrameEncoder::default();
    let (still, mut moving) = (vec![Vec3::ONE; 5], vec![Vec3::ZERO, Vec3::X, Vec3::Y]);
    let frame = |encoder: &mut FrameEncoder, number, moving: &[Vec3]| Frame {
        number,
        sections: encoder.sections(number, [(0, &still[..]), (2, moving)].into_iter()),
        ..Frame::default()
    };
    let first = frame(&mut encoder, 1, &moving);
    moving[1].x = 1.5;
    let second = frame(&mut encoder, 2, &moving);
    let sections = |f: &Frame, seen| {
        u32::from_le_bytes(f.bytes_since(seen, Wants::default())[68..72].try_into().unwrap())
    };
    assert_eq!(sections(&first, 0), 2);
    assert_eq!(sections(&second, 1), 1);
    assert_eq!(sections(&second, 0), 2, "a page that missed the first frame gets both");
    assert_eq!(sections(&second, 2), 0);
    let wide = Frame { tubes: vec![0.011, 0.02], ..second };
    let bytes = wide.bytes_since(2, Wants::default());
    assert_eq!(bytes.len(), 132 + 8);
    assert_eq!(bytes[88..92], 2u32.to_le_bytes());
    assert_eq!(bytes[136..140], 0.02f32.to_le_bytes());
}

#[test]
fn a_frame_says_whose_it_is_and_how_its_tools_are_led() {
    let target = Pose { pos: Vec3::new(1.0, 2.0, 3.0), rot: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8) };
    let closed = Led { target, force: 5.0, holds: false, closed: true };
    let tools = vec![closed, Led { holds: true, closed: false, ..closed }];
    let bytes = Frame { generation: 7, number: 9, tools, probes: vec![0.25], ..Frame::default() }
        .bytes_since(0, Wants::default());
    assert_eq!(u32::from_le_bytes(bytes[20..24].try_into().unwrap()), 7);
    let f32_at = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let told: Vec<f32> = (0..21).map(|i| f32_at(132 + 4 * i)).collect();
    assert_eq!(told[..10], [1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8, 5.0, 0.0, 1.0]);
    assert_eq!(told[10..], [1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8, 5.0, 1.0, 0.0, 0.25]);
    assert_eq!(bytes.len(), 132 + 4 * 21);
}

const PAIRS: Wants = Wants { pairs: true, values: None };

#[test]
fn values_are_sent_to_whoever_asked_for_these() {
    let (block, odd) = ([0.0, -0.5, 1.5, f64::NAN], [2.0, 2.0, 2.0]);
    let bodies = || [(3, &block[..]), (5, &odd[..])].into_iter();
    let values = vec![Values::of(Quantity::Area, bodies()), Values::of(Quantity::Energy, bodies())];
    let frame = Frame { values, probes: vec![0.25], ..Frame::default() };
    let wanting = |values| frame.bytes_since(0, Wants { pairs: false, values });
    let nobody = Frame { values: Vec::new(), ..frame.clone() }.bytes_since(0, Wants::default());
    assert_eq!(wanting(None), nobody, "not a byte for the others");
    assert_eq!(wanting(Some(Quantity::Xy)), nobody, "not yet there");
    let bytes = wanting(Some(Quantity::Energy));
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!([u32_at(120), u32_at(124), u32_at(132), u32_at(136)], [8, 2, 3, 4]);
    let (low, unit) = (f32::from_bits(u32_at(140)), f32::from_bits(u32_at(144)));
    let step = |k: usize| f32::from(u16::from_le_bytes(bytes[148 + 2 * k..150 + 2 * k].try_into().unwrap()));
    let told: Vec<f32> = (0..4).map(|k| low + unit * step(k)).collect();
    let near = |a: f32, b: f32| (a - b).abs() < 4e-5;
    assert!(
        near(told[0], 0.0) && near(told[1], -0.5) && near(told[2], 1.5) && near(told[3], -0.5),
        "{told:?}"
    );
    assert_eq!(bytes.len(), 132 + (16 + 8) + (16 + 6 + 2) + 4);
    assert_eq!(f32::from_bits(u32_at(bytes.len() - 4)), 0.25);
    assert_eq!(wanting(Some(Quantity::Area)).len(), bytes.len());
}

#[test]
fn pairs_are_sent_to_whoever_asked_and_to_nobody_else() {
    let shown = vec![[Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)], [Vec3::ZERO, Vec3::X]];
    let asked = Frame {
        pairs: Some(Pairs { shown, all: 7000 }),
        shown: vec![Contact { at: Vec3::ONE, normal: Vec3::Z, force: 2.0 }],
        probes: vec![0.25],
        ..Frame::default()
    };
    let nobody = Frame { pairs: None, ..asked.clone() };
    assert_eq!(
        asked.bytes_since(0, Wants::default()),
        nobody.bytes_since(0, Wants::default()),
        "not a byte for the others"
    );
    assert_eq!(nobody.bytes_since(0, PAIRS), nobody.bytes_since(0, Wants::default()), "not yet there");
    let bytes = asked.bytes_since(0, PAIRS);
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((&bytes[..4], u32_at(92), u32_at(96)), (&b"SRF7"[..], 2, 7000));
    assert_eq!(bytes.len(), 132 + 4 * (7 + 2 * 6 + 1));
    let told: Vec<f32> = (0..13).map(|i| f32::from_bits(u32_at(160 + 4 * i))).collect();
    assert_eq!(told, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.25]);
}

#[test]
fn a_frame_says_how_well_its_step_was_solved() {
    let told = |error_mm| {
        let quality = Quality { sweeps: 8, error_mm, error_n: Some(0.25), truncated: 21, violated: 3 };
        Frame { quality, ..Frame::default() }.bytes_since(0, Wants::default())[100..132].to_vec()
    };
    let words = |bytes: &[u8], k: usize| u32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap());
    let bytes = told(Some(0.5));
    assert_eq!([0, 1, 2, 3, 7].map(|k| words(&bytes, k)), [8, 0.5f32.to_bits(), 21, 3, 0.25f32.to_bits()]);
    assert!(f32::from_bits(words(&told(None), 1)).is_nan(), "what nobody measured is not zero");
}

#[test]
fn positions_keep_to_their_step() {
    let body: Vec<Vec3> = (0..101).map(|i| Vec3::new(f64::from(i) * 0.01, -0.3, 0.2)).collect();
    let mut encoder = FrameEncoder::default();
    let sections = encoder.sections(1, [(0, &body[..])].into_iter());
    let bytes = &sections[0].1;
    assert_eq!(bytes.len() % 4, 0);
    let f32_at = |i: usize| f32::from_le_bytes(bytes[i..i + 4].try_into().unwrap());
    for (k, p) in body.iter().enumerate() {
        let steps = |axis: usize| {
            let at = 32 + 6 * k + 2 * axis;
            f32::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()))
        };
        for axis in 0..3 {
            let value = f32_at(8 + 4 * axis) + steps(axis) * f32_at(20 + 4 * axis);
            assert!((f64::from(value) - p[axis]).abs() < 2e-5, "{value} {}", p[axis]);
        }
    }
    let broken = [Vec3::NAN, Vec3::ONE, Vec3::INFINITY];
    assert_eq!(encoder.sections(2, [(0, &broken[..])].into_iter())[0].1.len(), 32 + 6 * 3 + 2);
}

#[test]
fn what_a_page_says_is_read_strictly() {
    let hand = r#"{"type":"hand","tool":0,"position":[0,0,1],"rotation":[0,0,0,1],"grip":true}"#;
    assert!(matches!(serde_json::from_str(hand), Ok(ToServer::Hand { grip: true, .. })));
    assert_eq!(
        serde_json::from_str::<ToServer>(r#"{"type":"pairs","show":true}"#).ok(),
        Some(ToServer::Pairs { show: true })
    );
    let asked = |text| serde_json::from_str::<ToServer>(text).ok();
    assert_eq!(asked(r#"{"type":"values","of":"xy"}"#), Some(ToServer::Values { of: Some(Quantity::Xy) }));
    assert_eq!(asked(r#"{"type":"values","of":null}"#), Some(ToServer::Values { of: None }));
    let half_said =
        [r#"{"type":"values","of":"stress"}"#, r#"{"type":"pairs"}"#, r#"{"type":"pairs","show":1}"#];
    assert!(half_said.iter().all(|bad| serde_json::from_str::<ToServer>(bad).is_err()));
    for bad in ["", "{}", "[]", r#"{"type":"fly"}"#, r#"{"type":"tune","index":-1,"value":1}"#, "null"] {
        assert!(serde_json::from_str::<ToServer>(bad).is_err(), "{bad}");
    }
}
