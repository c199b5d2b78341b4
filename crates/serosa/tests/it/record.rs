//! Recordings: made, replayed, cut, refused.

use crate::tell::{Told, program, tell, told};
use serosa_io::recording::Recording;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn record(path: &Path, steps: &str) -> Told {
    let args =
        ["run", "membrane-poke", "--steps", steps, "--input", "random", "--record", text(path), "--json"];
    let told = tell(&args);
    assert_eq!(told.code, 0, "{told:?}");
    told
}

#[test]
fn a_recording_replays_to_the_same_hash() {
    let folder = Folder::new();
    let file = folder.file("a.mcap");
    let run = record(&file, "1300").json();
    for threads in ["1", "2"] {
        let replay = tell(&["replay", text(&file), "--json", "--threads", threads]);
        assert_eq!(replay.code, 0, "{replay:?}");
        let json = replay.json();
        assert_eq!((&json["hash"], &json["probes"]), (&run["hash"], &run["probes"]));
        assert_eq!((json["equal"].as_bool(), json["ticks"].as_u64()), (Some(true), Some(1300)));
    }
}

/// Active pairs are part of a keyframe; without them the second half would draw into an empty list.
#[test]
fn a_tracked_run_replays_from_a_keyframe_and_an_audit_counts_what_it_missed() {
    let folder = Folder::new();
    let (scene, file) = (folder.file("tracked.toml"), folder.file("a.mcap"));
    let coil = tell(&["scenes", "coil"]).out;
    std::fs::write(&scene, coil.replacen("[world]", "[world]\ndetector = \"tracker\"", 1)).unwrap();
    let run = tell(&["run", text(&scene), "--steps", "1200", "--record", text(&file), "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let replay = tell(&["replay", text(&file), "--from", "1.5", "--json"]);
    assert_eq!((replay.code, &replay.json()["hash"]), (0, &run.json()["hash"]), "{replay:?}");
    let audit = tell(&["run", text(&scene), "--steps", "400", "--audit=50", "--json"]);
    assert_eq!(audit.code, 1, "{audit:?}");
    assert!(
        audit.json()["missed_contacts"].as_u64() > Some(0) && audit.err.contains("were missed"),
        "{audit:?}"
    );
}

#[test]
fn a_recording_can_be_entered_at_any_second() {
    let folder = Folder::new();
    let file = folder.file("a.mcap");
    let run = record(&file, "1300").json();
    for from in ["0.5", "1", "1.7", "2.59"] {
        let json = tell(&["replay", text(&file), "--from", from, "--json"]).json();
        assert_eq!(json["hash"], run["hash"], "from {from}");
        // A keyframe every second: never more than a second to go through again.
        let start = json["from_tick"].as_f64().unwrap() * 0.002;
        let from: f64 = from.parse().unwrap();
        assert!(start <= from && from - start <= 1.0, "{start} {from}");
    }
    assert_eq!(tell(&["replay", text(&file), "--to", "1", "--json"]).json()["to_tick"], 500);
    for bad in [["--from", "99"], ["--from", "nan"], ["--to", "nan"], ["--to", "-1"], ["--to", "0"]] {
        assert_eq!(tell(&["replay", text(&file), bad[0], bad[1]]).code, 2, "{bad:?}");
    }
}

#[test]
fn a_recording_leads_the_tools_of_another_run() {
    let folder = Folder::new();
    let file = folder.file("a.mcap");
    let run = record(&file, "600").json();
    let again = tell(&["run", "membrane-poke", "--steps", "600", "--input", text(&file), "--json"]).json();
    assert_eq!(again["hash"], run["hash"]);
    let other = tell(&["run", "coil", "--steps", "10", "--input", text(&file)]);
    assert!(other.code == 2 && other.err.contains("no tool that --input could lead"), "{other:?}");
    let slower = folder.file("slower.toml");
    let scene = tell(&["scenes", "membrane-poke"]).out;
    std::fs::write(&slower, scene.replace("step = \"2 ms\"", "step = \"1 ms\"")).unwrap();
    let other = tell(&["run", text(&slower), "--steps", "10", "--input", text(&file)]);
    assert!(other.code == 2 && other.err.contains("in steps of 0.002 s"), "{other:?}");
    std::fs::write(
        &slower,
        scene.replace("\"probe\"", "\"hook\"").replace("probe.coupling", "hook.coupling"),
    )
    .unwrap();
    let other = tell(&["run", text(&slower), "--steps", "10", "--input", text(&file)]);
    assert!(other.code == 2 && other.err.contains("leads the tools [probe]"), "{other:?}");
}

#[test]
fn an_older_recording_of_that_name_is_kept() {
    let folder = Folder::new();
    let file = folder.file("a.mcap");
    record(&file, "600");
    let first = std::fs::read(&file).unwrap();
    record(&file, "100");
    assert_eq!(std::fs::read(folder.file("a.mcap.old")).unwrap(), first);
    let second = std::fs::read(&file).unwrap();
    record(&file, "50");
    assert_eq!(std::fs::read(folder.file("a.mcap.old")).unwrap(), first, "nor is an older one");
    assert_eq!(std::fs::read(folder.file("a.mcap.old.2")).unwrap(), second);
}

/// The promise of one flush a second, kept against the hardest end.
#[cfg(unix)]
#[test]
fn a_recording_cut_off_by_a_kill_still_replays() {
    let folder = Folder::new();
    let file = folder.file("killed.mcap");
    let args = ["run", "rope-drop", "--steps", "100000000", "--record", text(&file)];
    let mut child = program().args(args).stderr(std::process::Stdio::null()).spawn().unwrap();
    let patience = Instant::now();
    while std::fs::metadata(&file).map_or(0, |m| m.len()) < 30_000 {
        assert!(patience.elapsed() < Duration::from_secs(60), "nothing was flushed");
        std::thread::sleep(Duration::from_millis(20));
    }
    // SIGKILL: no handler, no destructor, no last flush.
    child.kill().unwrap();
    child.wait().unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let recording = Recording::read(&bytes).unwrap();
    assert!(recording.duration_s() >= 1.0, "{}", recording.duration_s());
    let replay = tell(&["replay", text(&file), "--json"]);
    assert_eq!(replay.code, 0, "{replay:?}");
    assert_eq!(replay.json()["equal"], true);
}

#[test]
fn a_changed_tick_is_found() {
    let folder = Folder::new();
    let file = folder.file("a.mcap");
    record(&file, "600");
    let recording = Recording::read(&std::fs::read(&file).unwrap()).unwrap();
    let mut world = serosa::command::replay::open(&recording, None).unwrap();
    world.params.gravity *= 1.0 + 1e-15;
    let outcome = serosa::command::replay::compare(&recording, world, (0.0, None), 1).unwrap();
    assert!(outcome.first_difference.is_some(), "one bit of gravity shows");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_ends_the_run() {
    let told = told(
        &program().args(["run", "rope-drop", "--steps", "3000", "--record", "/dev/full"]).output().unwrap(),
    );
    assert_eq!(told.code, 2, "{told:?}");
    assert!(told.err.contains("No space left on device"), "{}", told.err);
}

#[test]
fn foreign_files_are_refused_with_a_reason() {
    let folder = Folder::new();
    let file = folder.file("x.mcap");
    let refused = |bytes: &[u8], reason: &str| {
        std::fs::write(&file, bytes).unwrap();
        let told = tell(&["replay", text(&file)]);
        assert_eq!(told.code, 2, "{told:?}");
        assert!(told.err.contains(reason), "{reason}: {}", told.err);
    };
    refused(b"", "not a recording");
    refused(b"serosa = 1\n", "not a recording");
    refused(b"\x89MCAP0\r\n", "ends before its header");
    let told = tell(&["run", text(&file)]);
    assert!(told.code == 2 && told.err.contains("serosa replay"), "a recording given as a scene: {told:?}");
}
