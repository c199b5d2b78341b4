//! Ten thousand mutated scene files and recordings: never a panic, always an exit code and a message.

use crate::tell::{program, tell, told};
use serosa::scenes::BUILT_IN;
use serosa::session::device::SplitMix;
use serosa_io::recording::Recording;
use serosa_sim::Input;

const SCENES: u32 = 6000;
const RECORDINGS: u32 = 4000;

/// Words that mutations put in: the values that parsers and ranges fail on.
const NASTY: &[&str] = &[
    "nan",
    "-inf",
    "1e308",
    "-1",
    "0",
    "\"3 kg\"",
    "\"",
    "[",
    "]]",
    "{",
    "}",
    "=",
    "99999999999999999999",
    "\u{0}",
    "é",
    "[[body]]",
    "true",
    "''",
    "\n",
    "\"1 s\"",
    ".",
    "1e-320",
    "body",
    "name",
    "[[",
    "#",
];

fn mutated(random: &mut SplitMix, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..1 + random.bits() % 4 {
        let at = (random.bits() % (bytes.len() as u64 + 1)) as usize;
        let end = (at + (random.bits() % 40) as usize).min(bytes.len());
        match random.bits() % 6 {
            0 if at < bytes.len() => bytes[at] ^= 1 << (random.bits() % 8),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => {
                let word = NASTY[(random.bits() % NASTY.len() as u64) as usize];
                drop(bytes.splice(at..end.min(at + word.len()), word.bytes()));
            }
            4 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            _ => {
                let word = NASTY[(random.bits() % NASTY.len() as u64) as usize];
                drop(bytes.splice(at..at, word.bytes()));
            }
        }
    }
    bytes
}

/// A scene with coarse organs, whose surfaces and tetrahedra are made anew for every mutation.
fn coarse(text: &str) -> String {
    let few = |text: &str, key: &str, count: &str| {
        let mut parts = text.split(key);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |sum, part| {
            sum + key + count + part.trim_start_matches(|c: char| c.is_ascii_digit())
        })
    };
    let counts = [("vertices = ", "40"), ("tets = ", "300"), ("axial = ", "20"), ("azimuthal = ", "6")];
    let text = counts.iter().fold(text.to_owned(), |text, (key, count)| few(&text, key, count));
    text.replace("cell = \"1 cm\"", "cell = \"4 cm\"")
}

/// Reads a scene as the program does; what is sound takes a few steps, unless it has grown large.
fn try_scene(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    match serosa_io::scene::load(text, &|_| Err("no files here".into())) {
        Ok(loaded) => {
            let mut world = loaded.baked.world();
            let input = Input::at_rest(&world);
            if world.model.prims.len() < 5000 {
                (0..3).for_each(|_| serosa_sim::step(&mut world, &input, &mut || 0));
            }
            true
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "a refusal has a reason");
            let shown = serosa::diagnostics::render("mutated.toml", text, &problems);
            assert!(problems.iter().all(|p| !p.message.is_empty() && !p.help.is_empty()), "{shown}");
            false
        }
    }
}

#[test]
fn mutated_scenes_are_read_or_refused() {
    let mut random = SplitMix(42);
    let mut sound = 0;
    for i in 0..SCENES {
        let scene = &BUILT_IN[i as usize % BUILT_IN.len()];
        sound += u32::from(try_scene(&mutated(&mut random, coarse(scene.text).as_bytes())));
    }
    assert!(sound > SCENES / 100 && sound < SCENES * 9 / 10, "{sound} of {SCENES} were sound");
}

fn small_recording() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    let path = path.to_str().unwrap();
    let args = ["run", "rope-drop", "--steps", "1200", "--record", path, "--json"];
    assert_eq!(tell(&args).code, 0);
    std::fs::read(path).unwrap()
}

#[test]
fn mutated_recordings_are_read_or_refused() {
    let original = small_recording();
    let mut random = SplitMix(43);
    for _ in 0..RECORDINGS {
        match Recording::read(&mutated(&mut random, &original)) {
            Ok(recording) => {
                let mut ticks = recording.play();
                while ticks.next_tick().is_some() {}
                // Opening bakes the scene inside; the few that get here are let run a little.
                if let Ok(world) = serosa::command::replay::open(&recording, None) {
                    let _ = serosa::command::replay::compare(&recording, world, (0.0, Some(0.005)), 1);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// The same through the real program, where an exit code and a message can be seen.
#[test]
fn the_program_answers_mutated_files_with_a_code_and_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, recording) = (folder.path().join("s.toml"), folder.path().join("r.mcap"));
    let original = small_recording();
    let mut random = SplitMix(44);
    for i in 0..60 {
        let built_in = &BUILT_IN[i % BUILT_IN.len()];
        std::fs::write(&scene, mutated(&mut random, coarse(built_in.text).as_bytes())).unwrap();
        std::fs::write(&recording, mutated(&mut random, &original)).unwrap();
        for command in [["check", scene.to_str().unwrap()], ["replay", recording.to_str().unwrap()]] {
            let told = told(&program().args(command).output().unwrap());
            assert!(told.code <= 2, "{command:?}: {told:?}");
            assert!(!told.out.is_empty() || !told.err.is_empty(), "{command:?} said nothing");
            assert!(!told.err.contains("panicked"), "{command:?}: {told:?}");
        }
    }
}
