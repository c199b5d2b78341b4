//! Damaged files are read or refused, never worse.

use super::samples::{self, Coding};
use super::vtu::{Way, grid};
use serosa_io::mesh::FORMATS;
use std::time::Instant;

/// A hundred thousand for each of the seven formats.
const ROUNDS: usize = 700_000;

/// A small generator of its own, so that the damage never changes (xorshift64*, Vigna 2016).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides.max(1)
    }
}

/// Words that parsers trip over.
const WORDS: &[&str] = &[
    "nan",
    "-1",
    "4294967295",
    "9223372036854775807",
    "1e308",
    "",
    "\n",
    "\0",
    "#",
    "<",
    "\"",
    "$End",
    "=",
    "inf",
    "99",
    "18446744073709551615",
    "0",
];

fn damage(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(bytes.len());
        let end = (at + dice.roll(12)).min(bytes.len());
        match dice.roll(8) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << dice.roll(8),
            1 if !bytes.is_empty() => bytes[at] = dice.roll(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => drop(bytes.splice(at..end, WORDS[dice.roll(WORDS.len())].bytes())),
            5 => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
            6 => {
                let from = dice.roll(other.len());
                let to = (from + dice.roll(60)).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            7 if end - at >= 4 => bytes[at..at + 4].copy_from_slice(&[0xff; 4]),
            _ => {}
        }
    }
}

fn originals() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = vec![
        ("msh", samples::gmsh_old("1", Coding::Text)),
        ("ele", samples::ELE.to_vec()),
        ("node", samples::NODE.to_vec()),
        ("face", samples::FACE.to_vec()),
        ("mesh", samples::MEDIT.to_vec()),
    ];
    for coding in [Coding::Text, Coding::Little, Coding::Big] {
        files.push(("msh", samples::gmsh_old("2.2", coding)));
        files.push(("msh", samples::gmsh_new("4.0", coding)));
        files.push(("msh", samples::gmsh_new("4.1", coding)));
    }
    for (coding, newest) in
        [(Coding::Text, false), (Coding::Text, true), (Coding::Big, false), (Coding::Big, true)]
    {
        files.push(("vtk", samples::vtk_grid(coding, newest)));
        files.push(("vtk", samples::vtk_surface(coding, newest)));
    }
    for way in [Way::Words, Way::Inline, Way::Raw, Way::Base64] {
        files.push(("vtu", grid(way, Coding::Little, false, false)));
        files.push(("vtu", grid(way, Coding::Big, true, true)));
    }
    files
}

#[test]
fn damaged_files_are_read_or_refused() {
    let started = Instant::now();
    let files = originals();
    let beside = [(".node", samples::NODE), (".ele", samples::ELE), (".face", samples::FACE)];
    let mut dice = Dice(0x5e20_5a00_c0ff_ee01);
    let (mut read, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let (name, original) = &files[round % files.len()];
        let other = &files[dice.roll(files.len())].1;
        let mut bytes = original.clone();
        damage(&mut bytes, other, &mut dice);
        let format = FORMATS.iter().find(|f| f.name == *name).unwrap();
        let _ = (format.begins)(&bytes);
        let mut resolve = |ending: &str| {
            let found = beside.iter().find(|(other, _)| *other == ending);
            found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(String::new)
        };
        match (format.import)(&bytes, &mut resolve) {
            Ok(scene) => {
                read += 1;
                for part in &scene.parts {
                    let most = part.points.len() as u32;
                    let corners = part.tets.as_flattened().iter().chain(part.triangles.as_flattened());
                    assert!(corners.chain(part.lines.as_flattened()).all(|corner| *corner < most));
                    assert!(part.points.iter().all(|point| point.is_finite()));
                    assert!([0, part.triangles.len()].contains(&part.triangle_regions.len()));
                    assert!([0, part.tets.len()].contains(&part.tet_regions.len()));
                    assert!(
                        part.triangle_normals
                            .as_flattened()
                            .iter()
                            .all(|n| (*n as usize) < part.normals.len())
                    );
                    assert!(part.triangle_uvs.as_flattened().iter().all(|n| (*n as usize) < part.uvs.len()));
                    assert!([0, part.points.len()].contains(&part.colors.len()));
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.message.is_empty() && !error.help.is_empty());
            }
        }
    }
    eprintln!("{read} read, {refused} refused in {:.1?}", started.elapsed());
    assert!(read > ROUNDS / 50 && refused > ROUNDS / 4, "the damage is neither nothing nor everything");
}

/// Every file cut after each of its bytes.
#[test]
fn cut_files_are_read_or_refused() {
    let beside = [(".node", samples::NODE)];
    for (name, bytes) in originals() {
        let format = FORMATS.iter().find(|f| f.name == name).unwrap();
        for length in 0..bytes.len() {
            let mut resolve = |ending: &str| {
                let found = beside.iter().find(|(other, _)| *other == ending);
                found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(String::new)
            };
            let _ = (format.import)(&bytes[..length], &mut resolve);
        }
    }
}
