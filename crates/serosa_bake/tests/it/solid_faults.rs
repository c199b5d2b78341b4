//! Bad solids: named, counted, and what to do about them.

use crate::make::{scene, weightless};
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::{Inside, RawBody, RawElastic, RawGeometry, RawModel, RawTets, RawTie, Selector};
use serosa_bake::{RawScene, bake};
use serosa_geometry::Vec3;
use serosa_sim::model::{BodyKind, Law, Region};
use serosa_sim::params::Response;

fn material() -> RawElastic {
    elastic(Law::NeoHookean, 1e4, 0.4, 1000.0, 0.0)
}

fn block() -> RawBody {
    flesh("block", (Vec3::ZERO, Vec3::splat(0.1)), [2, 2, 2], material())
}

fn tets(body: &mut RawBody) -> &mut RawTets {
    let RawGeometry::Tets(tets) = &mut body.geometry else { panic!() };
    tets
}

fn elastic_of(body: &mut RawBody) -> &mut RawElastic {
    let RawModel::Solid(model) = &mut body.model else { panic!() };
    model
}

fn refused(raw: &RawScene, words: &str) {
    let faults = bake(raw).expect_err(words);
    assert!(faults.iter().any(|f| f.message.contains(words) && !f.help.is_empty()), "{words}: {faults:?}");
}

fn refused_body(change: impl Fn(&mut RawBody), words: &str) {
    let mut body = block();
    change(&mut body);
    refused(&scene(vec![body]), words);
}

#[test]
fn bad_tetrahedra() {
    refused_body(|b| tets(b).tets[5].swap(0, 1), "1 tetrahedra are inside out, tetrahedron 5 among them");
    refused_body(
        |b| {
            let raw = tets(b);
            // A corner moved into the face across from it.
            let [corner, rest @ ..] = raw.tets[0].map(|v| v as usize);
            raw.mesh.points[corner] = rest.map(|v| raw.mesh.points[v]).iter().sum::<Vec3>() / 3.0;
        },
        "tetrahedra have next to no volume",
    );
    refused_body(|b| tets(b).tets[2][1] = 999, "tetrahedron 2 names a vertex beyond the last, 26");
    refused_body(|b| tets(b).mesh.points[3].x = f64::NAN, "vertex 3 is not a finite position");
    refused_body(|b| tets(b).mesh.points.iter_mut().for_each(|p| *p *= 1e4), "more than 200 m");
    refused_body(|b| tets(b).mesh.points.push(Vec3::ZERO), "1 vertices belong to no tetrahedron");
    refused_body(|b| tets(b).tets.clear(), "this shape has none");
    refused_body(
        |b| {
            let again = tets(b).tets[0];
            tets(b).tets.extend([again; 2])
        },
        "faces belong to more than two",
    );
}

#[test]
fn bad_materials() {
    for poisson in [0.5, 0.7, -0.2, -1.0, f64::NAN] {
        refused_body(|b| elastic_of(b).base.poisson = poisson, "Poisson's ratio of \"flesh\"");
    }
    for young in [0.0, -5.0, f64::INFINITY] {
        refused_body(|b| elastic_of(b).base.young = young, "Young's modulus of \"flesh\"");
    }
    refused_body(|b| elastic_of(b).base.density = 0.0, "the density of \"flesh\"");
    let tumour = Region { name: "tumour".into(), ..material().base };
    let far = Inside::Ball { center: Vec3::ONE, radius: 0.1 };
    refused_body(
        |b| elastic_of(b).regions = vec![(far.clone(), tumour.clone())],
        "\"tumour\" holds no tetrahedron",
    );
    refused_body(
        |b| elastic_of(b).regions = vec![(Inside::Number(7), tumour.clone())],
        "\"tumour\" holds no tetrahedron",
    );
}

#[test]
fn bad_company() {
    let tie =
        |to: &str| RawTie { which: Selector::Name("top".into()), to: to.into(), reach: 1e-3, stiffness: 1.0 };
    refused_body(|b| elastic_of(b).ties = vec![tie("nobody")], "there is no body \"nobody\"");
    refused_body(|b| elastic_of(b).ties = vec![tie("block")], "cannot be tied");
    let mut far = flesh("far", (Vec3::splat(3.0), Vec3::splat(0.1)), [1; 3], material());
    elastic_of(&mut far).ties = vec![tie("block")];
    refused(&scene(vec![block(), far]), "no chosen vertex lies within 1 mm");
    let mut raw = scene(vec![block()]);
    raw.world.response = Response::Projection;
    refused(&raw, "cannot move solids apart");
    refused_body(|b| b.model = RawModel::Fixed, "needs model.solid");
}

#[test]
fn what_is_odd_is_noted() {
    let noted = |raw: &RawScene, words: &str| {
        let notes = bake(raw).unwrap().notes;
        assert!(notes.iter().any(|n| n.contains(words)), "{words}: {notes:?}");
    };
    noted(&scene(vec![block()]), "it will fall for ever");
    let mut heavy = block();
    elastic_of(&mut heavy).base.density = 1.06e6;
    noted(&scene(vec![heavy.clone()]), "millimetres");
    elastic_of(&mut heavy).base.density = 1.06;
    noted(&scene(vec![heavy]), "millimetres");
    let long = flesh("long", (Vec3::ZERO, Vec3::new(150.0, 80.0, 60.0)), [2; 3], material());
    noted(&scene(vec![long]), "150 m long");
    let mut two = block();
    let other = flesh("other", (Vec3::splat(1.0), Vec3::splat(0.1)), [1; 3], material());
    let RawGeometry::Tets(other) = other.geometry else { panic!() };
    let raw = tets(&mut two);
    let first = raw.mesh.points.len() as u32;
    raw.mesh.points.extend(other.mesh.points);
    raw.tets.extend(other.tets.iter().map(|t| t.map(|v| v + first)));
    noted(&scene(vec![two]), "2 pieces");
    let mut held = block();
    held.attachments = vec![Selector::Name("left".into())];
    assert!(bake(&scene(vec![held])).unwrap().notes.is_empty());
    assert!(bake(&weightless(vec![block()])).unwrap().notes.is_empty());
}

/// A stiffer ball in a soft block takes less of the strain.
#[test]
fn regions_have_their_own_stiffness() {
    let mut body = flesh("block", (Vec3::ZERO, Vec3::splat(0.1)), [6; 3], material());
    let stiff = Region { name: "tumour".into(), young: 1e5, ..material().base };
    elastic_of(&mut body).regions = vec![(Inside::Ball { center: Vec3::splat(0.05), radius: 0.025 }, stiff)];
    let baked = bake(&weightless(vec![body])).unwrap();
    let BodyKind::Solid(solid) = &baked.model.bodies[0].kind else { panic!() };
    let count = |r: u32| baked.model.tets.iter().filter(|t| t.region == r).count();
    assert!(count(1) > 50 && count(0) > count(1), "{} {}", count(0), count(1));
    let stretched: Vec<Vec3> = baked.model.rest.iter().map(|p| *p * Vec3::new(1.01, 1.0, 1.0)).collect();
    let energy = |r: usize| {
        serosa_sim::body::solid::region_energy(&baked.model, solid, r, &baked.params.bodies[0], &stretched)
            / count(r as u32) as f64
    };
    // All cells are alike, and so is their strain.
    assert!((energy(1) / energy(0) - 10.0).abs() < 1e-6, "{}", energy(1) / energy(0));
}
