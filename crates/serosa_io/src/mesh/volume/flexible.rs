//! The general input of the Avango simulator of flexible materials (Klimenko, Nikitina and Nikitin 2004, table 1): nodes,
//! tetrahedra with a material each, strips of the surface, and the control element that each node belongs to.
//!
//! White space between all: numbers of nodes, tetrahedra and strips; three coordinates for each node \[m\]; four nodes for
//! each tetrahedron, from 0; density \[kg/m³\], Young's modulus \[Pa\] and Poisson's ratio for each; the length of each strip,
//! then the nodes of all strips; a character for each node, `0`, `-` or `.` where it belongs to no control element.

use super::cursor::Cursor;
use crate::mesh::{ImportError, Resolve};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::collections::BTreeMap;

/// Materials that are told in words.
const TOLD: usize = 20;
const HELP: &str =
    "write nodes, tetrahedra, materials, strips and flags one after another, as docs/formats.md says";

/// Reads such a file as one part, control elements as the sets `control-` and their character.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let mut cursor = Cursor::new(bytes, HELP);
    let nodes = cursor.count(6, "nodes")?;
    let tets = cursor.count(8, "tetrahedra")?;
    let strips = cursor.count(2, "strips")?;
    let mut part = Part::default();
    for _ in 0..nodes {
        let mut real = || cursor.real("a coordinate");
        part.points.push(Vec3::new(real()?, real()?, real()?));
    }
    for _ in 0..tets {
        part.tets.push([
            node(&mut cursor, nodes)?,
            node(&mut cursor, nodes)?,
            node(&mut cursor, nodes)?,
            node(&mut cursor, nodes)?,
        ]);
    }
    let mut kinds: BTreeMap<[u64; 3], i64> = BTreeMap::new();
    for _ in 0..tets {
        let mut real = || cursor.real("a material constant");
        let material = [real()?, real()?, real()?];
        let next = kinds.len() as i64 + 1;
        part.tet_regions.push(*kinds.entry(material.map(f64::to_bits)).or_insert(next));
        part.tet_materials.push(material);
    }
    let mut lengths = Vec::new();
    for _ in 0..strips {
        lengths.push(cursor.count(2, "nodes of a strip")?);
    }
    for length in lengths {
        let mut strip = Vec::new();
        for _ in 0..length {
            strip.push(node(&mut cursor, nodes)?);
        }
        part.triangles.extend(triangles(&strip));
    }
    read_flags(&mut cursor, nodes, &mut part)?;
    let told = |(material, region): (&[u64; 3], &i64)| {
        let [density, young, poisson] = material.map(f64::from_bits);
        format!(
            "Region {region}: {density} kg/m3, Young's modulus {young} Pa, Poisson's ratio {poisson}; model.flexible takes it from \
             the file."
        )
    };
    let remarks = kinds.iter().take(TOLD).map(told).collect();
    Ok(RawScene { parts: vec![part], remarks, ..RawScene::default() })
}

fn node(cursor: &mut Cursor, nodes: usize) -> Result<u32, ImportError> {
    let at = cursor.here();
    let number = cursor.int("the number of a node")?;
    match u32::try_from(number) {
        Ok(v) if (v as usize) < nodes => Ok(v),
        _ => {
            Err(cursor
                .fault_at(at, format!("there is no node {number}: they go from 0 to {}", nodes as i64 - 1)))
        }
    }
}

/// The triangles of a strip, every second one turned; those with a corner twice join strips and are none.
pub(crate) fn triangles(strip: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let turned = |(k, w): (usize, &[u32])| if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] };
    strip.windows(3).enumerate().map(turned).filter(|[a, b, c]| a != b && b != c && a != c)
}

/// The set of the nodes of a flag; none where it is of no control element.
pub(crate) fn flagged(flag: char) -> Option<String> {
    (!"0-.".contains(flag)).then(|| format!("control-{}", flag.escape_default()))
}

/// A character for each node, with or without white space between them.
fn read_flags(cursor: &mut Cursor, nodes: usize, part: &mut Part) -> Result<(), ImportError> {
    let mut next = 0;
    while next < nodes {
        let word = cursor.word();
        if word.is_empty() {
            return Err(cursor.fault(format!("the file ends after the flags of {next} of {nodes} nodes")));
        }
        for flag in word {
            if next == nodes {
                return Err(cursor.fault(format!("there are more flags than {nodes} nodes")));
            }
            if let Some(name) = flagged(char::from(*flag)) {
                part.sets.entry(name).or_default().push(next as u32);
            }
            next += 1;
        }
    }
    match cursor.word() {
        b"" => Ok(()),
        _ => Err(cursor.fault("something stands after the last flag")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "5 2 1\n0 0 0  1 0 0  0 1 0  0 0 1  1 1 1\n0 1 2 3  1 2 3 4\n\
                          1000 1e5 0.3  7850 2e11 0.28\n5\n0 1 2 3 4\na0.bb\n";

    fn read(text: &str) -> Result<RawScene, ImportError> {
        import(text.as_bytes(), &mut |_| Err("none".into()))
    }

    #[test]
    fn all_of_it_is_read() {
        let part = read(SAMPLE).unwrap().parts.remove(0);
        assert_eq!((part.points.len(), part.tets.len()), (5, 2));
        assert_eq!(part.tets[1], [1, 2, 3, 4]);
        assert_eq!(part.tet_regions, [1, 2]);
        assert_eq!(part.tet_materials[1], [7850.0, 2e11, 0.28]);
        assert_eq!(part.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!((&part.sets["control-a"][..], &part.sets["control-b"][..]), (&[0][..], &[3, 4][..]));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let bad = [
            (
                SAMPLE.replace("1 2 3 4\n1000", "1 2 3 5\n1000"),
                "line 3: there is no node 5: they go from 0 to 4",
            ),
            (SAMPLE.replace("a0.bb", "a0."), "the file ends after the flags of 3 of 5 nodes"),
            (SAMPLE.replace("a0.bb", "a0.bbb"), "more flags than 5 nodes"),
            (SAMPLE.replace("a0.bb", "a0.bb c"), "something stands after the last flag"),
            ("4000000 1 1".into(), "nodes"),
            (SAMPLE.replace("0.28", "x"), "line 4"),
        ];
        for (text, says) in bad {
            let error = read(&text).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
        for end in 0..SAMPLE.len() - 2 {
            assert!(read(&SAMPLE[..end]).is_err(), "cut after {end}");
        }
    }
}
