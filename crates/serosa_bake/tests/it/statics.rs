//! Bodies at rest: fields that every element must follow exactly, theory, and the forces of the frame.

use serosa_bake::statics::element::with_middles;
use serosa_bake::statics::{Body, Loads, StaticsError};
use serosa_geometry::Vec3;
use serosa_geometry::generate::block::{Block, block};
use serosa_sim::body::solid::Elastic;
use serosa_sim::model::{Law, Region};

fn law(law: Law, young: f64, poisson: f64) -> Elastic {
    Elastic::of(&Region { name: String::new(), law, young, poisson, density: 1000.0 })
}

/// A block whose inner vertices were shaken.
fn shaken(size: Vec3, cells: [usize; 3]) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size, cells });
    let mut points = mesh.points;
    let edge = size.x / cells[0] as f64;
    for (k, p) in points.iter_mut().enumerate() {
        if is_inner(*p, size) {
            let shake = |s: usize| ((k * 7919 + s * 104_729) % 1000) as f64 / 1000.0 - 0.5;
            *p += Vec3::new(shake(1), shake(2), shake(3)) * (0.3 * edge);
        }
    }
    (points, tets)
}

fn is_inner(p: Vec3, size: Vec3) -> bool {
    let share = p / size;
    share.min_element() > 1e-9 && share.max_element() < 1.0 - 1e-9
}

/// Any linear field on the boundary is taken on inside, whatever the mesh.
fn patch<const N: usize>(body: &Body<N>, size: Vec3) {
    let field = |x: Vec3| x + Vec3::new(0.05 * x.y, 0.1 * x.z - 0.02 * x.y, 0.03 * x.x);
    let outer = (0..body.points.len() as u32).filter(|v| !is_inner(body.points[*v as usize], size));
    let held = outer.map(|v| (v, field(body.points[v as usize]))).collect();
    let pos = body.settle(&body.points, &Loads { held, ..Loads::default() }, 1).unwrap();
    for (x, p) in pos.iter().zip(&body.points) {
        assert!((*x - field(*p)).length() < 1e-12, "{x} {}", field(*p));
    }
}

#[test]
fn linear_fields_are_taken_on_exactly() {
    let size = Vec3::splat(0.1);
    let (points, tets) = shaken(size, [3, 3, 3]);
    for kind in [Law::NeoHookean, Law::Corotated] {
        let laws = vec![law(kind, 1e4, 0.45); tets.len()];
        patch(&Body::linear(points.clone(), tets.clone(), laws.clone()), size);
        let (nodes, elements) = with_middles(&points, &tets);
        patch(&Body::quadratic(nodes, elements, laws), size);
    }
}

/// Tip of a cantilever of ν = 0.45 under its weight, over Euler and Bernoulli with Timoshenko's shear.
fn sag<const N: usize>(body: &Body<N>, size: Vec3) -> f64 {
    let (density, g, young, poisson) = (1e-3, 9.81, 1e4, 0.45);
    let held = (0..body.points.len() as u32).filter(|v| body.points[*v as usize].x == 0.0);
    let loads = Loads {
        held: held.map(|v| (v, body.points[v as usize])).collect(),
        forces: body.weight(density, Vec3::NEG_Z * g),
        ..Loads::default()
    };
    let pos = body.settle(&body.points, &loads, 1).unwrap();
    let end = || (0..pos.len()).filter(|v| body.points[*v].x == size.x);
    let tip = end().map(|v| body.points[v].z - pos[v].z).sum::<f64>() / end().count() as f64;
    let line = density * g * size.y * size.z;
    let inertia = size.y * size.z.powi(3) / 12.0;
    let shear =
        10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) * young / (2.0 * (1.0 + poisson)) * size.y * size.z;
    tip / (line * size.x.powi(4) / (8.0 * young * inertia) + line * size.x.powi(2) / (2.0 * shear))
}

/// What `docs/validation.md` shows at length: nearly incompressible tissue locks linear tetrahedra, not quadratic ones.
#[test]
fn quadratic_tetrahedra_cure_locking() {
    let size = Vec3::new(1.0, 0.1, 0.1);
    let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size, cells: [20, 2, 2] });
    let laws = vec![law(Law::NeoHookean, 1e4, 0.45); tets.len()];
    let locked = sag(&Body::linear(mesh.points.clone(), tets.clone(), laws.clone()), size);
    let (nodes, elements) = with_middles(&mesh.points, &tets);
    let cured = sag(&Body::quadratic(nodes, elements, laws), size);
    assert!(locked < 0.7, "{locked}");
    // An end that is held cannot become thinner, which a beam without thickness does not know: 2 % of this.
    assert!((cured - 1.0).abs() < 0.05, "{cured}");
}

#[test]
fn what_nothing_holds_has_no_rest() {
    let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size: Vec3::ONE, cells: [1, 1, 1] });
    let laws = vec![law(Law::NeoHookean, 1e4, 0.3); tets.len()];
    let body = Body::linear(mesh.points, tets, laws);
    let loads = Loads { forces: body.weight(1000.0, Vec3::NEG_Z), ..Loads::default() };
    let answer = body.settle(&body.points, &loads, 1);
    assert!(matches!(answer, Err(StaticsError::Factor(_) | StaticsError::Unsettled { .. })), "{answer:?}");
}
