use super::*;
use crate::mesh::vrml::export;
use serosa_bake::raw::Material;

fn scene() -> RawScene {
    let points = vec![Vec3::ZERO, Vec3::new(0.1, 1e-30, 0.0), Vec3::new(1.0 / 3.0, 1e20, 0.0), Vec3::NEG_ONE];
    let triangles = vec![[0, 1, 2], [2, 1, 3]];
    let full = Part {
        name: "left lobe".to_owned(),
        points: points.clone(),
        triangles: triangles.clone(),
        normals: vec![Vec3::Z, Vec3::new(0.6, 0.8, 0.0)],
        triangle_normals: vec![[0, 1, 0], [1, 1, 0]],
        uvs: vec![[0.1, 0.2], [0.3, 1.0 / 3.0], [0.5, 0.0]],
        triangle_uvs: vec![[0, 1, 2], [2, 1, 0]],
        triangle_materials: vec![0, 1],
        ..Part::default()
    };
    let plain = Part {
        name: "b".into(),
        points: points.clone(),
        triangles,
        triangle_materials: vec![2, 2],
        ..Part::default()
    };
    let colors =
        vec![[0.1, 0.2, 0.3, 1.0], [0.7, 0.0, 1.0, 0.25], [0.0, 0.0, 0.0, 0.3], [1.0, 1.0, 1.0, 1.0]];
    let tinted = Part { triangle_materials: vec![], colors, name: "c".into(), ..plain.clone() };
    let lines =
        Part { name: "d".into(), points: points.clone(), lines: vec![[0, 1], [3, 2]], ..Part::default() };
    let dots = Part { name: "e".into(), points, ..Part::default() };
    let material = |name: &str, red: f32| Material {
        name: name.into(),
        color: [red, 0.2, 0.7],
        transparency: 0.3,
        texture: None,
    };
    let skin = Material { texture: Some("a \"b\".png".into()), ..material("skin", 0.9) };
    RawScene {
        parts: vec![full, plain, tinted, lines, dots],
        materials: vec![material("", 0.1), material("", 0.6), skin],
        ..RawScene::default()
    }
}

#[test]
fn what_is_written_is_read_again_the_same() {
    let mut before = scene();
    let written = export(&before).unwrap();
    let after = import(&written.bytes, &mut |_| Err(String::new())).unwrap();
    before.parts[0].name = "left_lobe".to_owned();
    assert_eq!(after.parts, before.parts);
    assert_eq!(after.materials, before.materials);
    assert_eq!(after.remarks, Vec::<String>::new());
    assert_eq!(written.remarks, ["The name left lobe is written left_lobe, as the format demands."]);
}

#[test]
fn what_is_left_out_is_told_and_broken_parts_are_refused() {
    let mut scene = scene();
    scene.parts[1].tets = vec![[0, 1, 2, 3]];
    scene.parts[1].lines = vec![[0, 1]];
    let remarks = export(&scene).unwrap().remarks;
    assert!(
        remarks.iter().any(|r| r.contains("tetrahedra")) && remarks.iter().any(|r| r.contains("two shapes"))
    );
    scene.parts[1].triangles[0][0] = 9;
    assert!(export(&scene).is_err());
}
