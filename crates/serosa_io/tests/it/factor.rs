//! Factors of the stiffness of real organs: solved to the last digits, sparser than in the order of the file, and the
//! same after a file.

use serosa_bake::assemble::{Lame, elastic_stiffness, shape_gradients};
use serosa_bake::cholesky::{factor, factor_in_order};
use serosa_geometry::Real;
use serosa_io::mesh::format_of;
use serosa_sim::algebra::Factor;
use serosa_sim::algebra::sparse::{Fronts, Precision};
use std::path::Path;

const ORGANS: [&str; 6] = [
    "derived_ftetwild/gallbladder.msh",
    "derived_ftetwild/kidney_left.msh",
    "derived_ftetwild/liver_coarse.msh",
    "derived_ftetwild/liver_medium.vtu",
    "sofa_env/gallbladder_volumetric.vtk",
    "sofa_env/liver_volumetric.vtk",
];

#[test]
#[allow(clippy::print_stderr)]
fn organs_are_factored_and_solved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tets");
    if !folder.exists() {
        return eprintln!("skipped: there is no {}", folder.display());
    }
    for name in ORGANS {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let import = format_of(&bytes, name).unwrap().import;
        let part = import(&bytes, &mut |_| Err(String::new())).unwrap().parts.remove(0);
        let points = &part.points;
        let volume = |tet: &[u32; 4]| shape_gradients(tet.map(|v| points[v as usize])).0;
        let tets: Vec<[u32; 4]> = part.tets.iter().filter(|t| volume(t) > 0.0).copied().collect();
        // A tenth of the vertices is held, and those that no tetrahedron has.
        let mut heights: Vec<Real> = points.iter().map(|p| p.z).collect();
        heights.sort_by(Real::total_cmp);
        let mut fixed = vec![true; points.len()];
        let is_free = |v: u32| points[v as usize].z > heights[points.len() / 10];
        tets.iter().flatten().for_each(|v| fixed[*v as usize] = !is_free(*v));
        let matrix = elastic_stiffness(points, &tets, &vec![Lame::of(4e3, 0.45); tets.len()], &fixed);
        let ours = factor(&matrix, points, Precision::Double).unwrap();
        let natural: Vec<u32> = (0..matrix.free().len() as u32).collect();
        let theirs = factor_in_order(&matrix, natural, Precision::Single).unwrap();
        let b: Vec<Real> = (0..3 * points.len())
            .map(|k| if fixed[k / 3] { 0.0 } else { ((k * 7919) % 1013) as Real / 506.0 - 1.0 })
            .collect();
        let (mut x, mut product) = (b.clone(), vec![0.0; b.len()]);
        ours.solve(&mut x, 1, &mut Fronts::default());
        matrix.multiply(&x, &mut product);
        let residual = b.iter().zip(&product).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
        let (n, fill) = (ours.unknowns(), [ours.entries(), theirs.entries()]);
        eprintln!("{name}: {n} unknowns, {fill:?} entries, residual {residual:.1e}");
        assert!(residual < 1e-9, "{name}: {residual}");
        assert!(fill[0] < fill[1], "{name}: {fill:?}");
        let written = postcard::to_stdvec(&ours).unwrap();
        assert!(postcard::from_bytes::<Factor>(&written).unwrap() == ours);
    }
}
