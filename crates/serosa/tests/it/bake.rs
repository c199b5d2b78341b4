//! `serosa bake`, bakes as scenes, and the cache.

use crate::tell::{Told, program, tell, told};
use serosa::cache::Cache;
use serosa_io::baked::BakeFile;
use serosa_io::fingerprint::of_bake;
use serosa_io::scene::Loaded;
use std::fs;
use std::path::Path;
use std::time::Duration;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn hash(told: &Told) -> String {
    assert_eq!(told.code, 0, "{told:?}");
    told.json()["hash"].as_str().unwrap().to_owned()
}

#[test]
fn a_bake_runs_records_and_replays_as_its_scene_does() {
    let folder = tempfile::tempdir().unwrap();
    let [bake, record, other] = ["a.bake", "a.mcap", "b.bake"].map(|name| folder.path().join(name));
    let made = tell(&["bake", "membrane-poke", "-o", text(&bake), "--json"]);
    assert_eq!(made.code, 0, "{made:?}");
    let made = made.json();
    assert_eq!(made["bytes"].as_u64(), Some(fs::metadata(&bake).unwrap().len()));
    let run = |scene: &str| hash(&tell(&["run", scene, "--steps", "200", "--json"]));
    assert_eq!(run(text(&bake)), run("membrane-poke"));
    let args = ["run", text(&bake), "--steps", "200", "--record", text(&record), "--json"];
    let recorded = hash(&tell(&args));
    assert_eq!(hash(&tell(&["replay", text(&record), "--json"])), recorded);
    assert_eq!(hash(&tell(&["replay", text(&record), "--bake", text(&bake), "--json"])), recorded);
    let theirs = tell(&["bake", "rope-drop", "-o", text(&other), "--json"]).json();
    let refused = tell(&["replay", text(&record), "--bake", text(&other)]);
    assert_eq!(refused.code, 2, "{refused:?}");
    for bake in [&made, &theirs] {
        assert!(refused.err.contains(bake["bake_hash"].as_str().unwrap()), "{refused:?}");
    }
    assert_eq!(tell(&["check", text(&bake)]).code, 0);
    let again = tell(&["bake", text(&bake), "-o", text(&other)]);
    assert_eq!((again.code, fs::read(&other).unwrap()), (0, fs::read(&bake).unwrap()), "{again:?}");
}

#[test]
fn what_is_no_bake_is_neither_run_nor_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (bake, precious) = (folder.path().join("a.bake"), folder.path().join("thesis.txt"));
    assert_eq!(tell(&["bake", "rope-drop", "-o", text(&bake)]).code, 0);
    let mut bytes = fs::read(&bake).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&bake, &bytes).unwrap();
    let damaged = tell(&["run", text(&bake)]);
    assert!(damaged.code == 2 && damaged.err.contains("is damaged"), "{damaged:?}");
    fs::write(&bake, &bytes[..100]).unwrap();
    let cut = tell(&["run", text(&bake)]);
    assert!(cut.code == 2 && cut.err.contains("breaks off"), "{cut:?}");
    fs::write(&precious, "years of work").unwrap();
    let refused = tell(&["bake", "rope-drop", "-o", text(&precious)]);
    assert!(refused.code == 2 && refused.err.contains("--force"), "{refused:?}");
    assert_eq!(fs::read(&precious).unwrap(), b"years of work");
    assert_eq!(tell(&["bake", "rope-drop", "-o", text(&precious), "--force"]).code, 0);
    let nowhere = tell(&["bake", "rope-drop", "-o", text(&folder.path().join("no/such/folder/a.bake"))]);
    assert!(nowhere.code == 2 && nowhere.err.contains("cannot be written"), "{nowhere:?}");
    let wrong = folder.path().join("wrong.toml");
    fs::write(&wrong, "[[body]]\nname = 3\n").unwrap();
    let mistakes = tell(&["bake", text(&wrong), "-o", text(&bake)]);
    assert!(mistakes.code == 2 && mistakes.err.contains("wrong.toml"), "{mistakes:?}");
}

/// Whenever it is stopped, there is the old file or the new one, whole.
#[test]
fn a_bake_stopped_half_way_leaves_no_half_file() {
    let folder = tempfile::tempdir().unwrap();
    let bake = folder.path().join("a.bake");
    let (mut before, mut after) = (0, 0);
    for delay_ms in (0..40).map(|k| k * 4) {
        let mut child = program().args(["bake", "intestine-8x400", "-o", text(&bake)]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay_ms));
        let _ = child.kill();
        child.wait().unwrap();
        if bake.exists() {
            BakeFile::read(&fs::read(&bake).unwrap()).unwrap();
            fs::remove_file(&bake).unwrap();
            after += 1;
        } else {
            before += 1;
        }
    }
    eprintln!("stopped {before} times before the file was there, {after} times after");
    assert!(before > 0);
}

const ROPE: &str = "rope-drop";

fn rope() -> &'static str {
    serosa::scenes::BUILT_IN.iter().find(|s| s.name == ROPE).unwrap().text
}

/// Loads a rope through a cache; also what was said.
fn through(cache: &Cache, text: &str) -> (Loaded, Vec<String>) {
    let mut said = Vec::new();
    let loaded = cache.load(text, &|_| Err("none".into()), &mut |note| said.push(note));
    (loaded.unwrap_or_else(|problems| panic!("{problems:?}")), said)
}

fn entries(cache: &Cache) -> Vec<std::path::PathBuf> {
    let folder = fs::read_dir(cache.folder.as_ref().unwrap());
    folder.map_or(Vec::new(), |all| all.map(|e| e.unwrap().path()).collect())
}

#[test]
fn costly_bakes_are_kept_and_damaged_ones_baked_anew() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache { folder: Some(folder.path().join("serosa")), costly: Duration::ZERO, most: 1 << 30 };
    let cheap = Cache { costly: Duration::from_secs(3600), ..cache.clone() };
    let (first, said) = through(&cheap, rope());
    assert!(said.is_empty() && entries(&cheap).is_empty(), "{said:?}");
    let want = of_bake(&first.baked);
    assert_eq!(of_bake(&through(&cache, rope()).0.baked), want);
    let kept = entries(&cache);
    assert_eq!(kept.len(), 1);
    // What is taken from the cache is what is in it: a bake with another note, under the same name.
    let mut marked = first.clone();
    marked.baked.notes = vec!["from the cache".into()];
    fs::write(&kept[0], serosa_io::baked::write(rope(), &marked).unwrap()).unwrap();
    let (found, said) = through(&cache, rope());
    assert_eq!((&found.baked.notes[..], said.len()), (&["from the cache".to_owned()][..], 0));
    fs::write(&kept[0], b"SEROSABK and then nothing of sense").unwrap();
    let (again, said) = through(&cache, rope());
    assert!(said.len() == 1 && said[0].contains("is baked anew"), "{said:?}");
    assert_eq!(of_bake(&again.baked), want);
    assert!(BakeFile::read(&fs::read(&kept[0]).unwrap()).is_ok(), "the entry is whole again");
    through(&cache, &format!("{}\n# another text\n", rope()));
    assert_eq!(entries(&cache).len(), 2);
}

/// A scene with an organ opens from its bake alone: the surface is the kept one, not one made again.
#[test]
fn kept_organs_are_not_made_again() {
    let text = "serosa = 1\ntitle = \"kidney\"\n[[body]]\nname = \"kidney\"\nshape.kidney = { vertices = 200 }\n\
                model.solid = { young = \"5 kPa\", poisson = 0.4, density = \"1060 kg/m3\", fill = { tets = 200 } }\n";
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache { folder: Some(folder.path().join("serosa")), costly: Duration::ZERO, most: 1 << 30 };
    let (first, _) = through(&cache, text);
    let (again, _) = through(&cache, text);
    assert!(first.organs.len() == 1 && first.organs[0].points.len() == 200);
    let drawn = |loaded: &Loaded| loaded.raw.bodies[0].geometry.mesh().cloned();
    assert_eq!((&again.organs, drawn(&again)), (&first.organs, drawn(&first)));
    let mut marked = first.clone();
    marked.organs[0].points[7].x += 1.0;
    fs::write(&entries(&cache)[0], serosa_io::baked::write(text, &marked).unwrap()).unwrap();
    assert_eq!(through(&cache, text).0.organs, marked.organs);
    // A surface of points that are not there is refused, said, and made anew.
    marked.organs[0].triangles[0][0] = 200;
    fs::write(&entries(&cache)[0], serosa_io::baked::write(text, &marked).unwrap()).unwrap();
    let (made, said) = through(&cache, text);
    assert!(said.len() == 1 && said[0].contains("not there"), "{said:?}");
    assert_eq!((&made.organs, drawn(&made)), (&first.organs, drawn(&first)));
}

#[test]
fn a_cache_stays_small_and_one_that_cannot_be_written_is_done_without() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("serosa");
    let mut cache = Cache { folder: Some(at.clone()), costly: Duration::ZERO, most: 1 << 30 };
    through(&cache, rope());
    let size = fs::metadata(&entries(&cache)[0]).unwrap().len();
    cache.most = 5 * size / 2;
    for k in 0..5 {
        let text = format!("{}\n# {k}\n", rope());
        through(&cache, &text);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(entries(&cache).len(), 2);
    fs::remove_dir_all(&at).unwrap();
    fs::write(&at, "a file is in the way").unwrap();
    let (_, said) = through(&cache, rope());
    assert!(said.len() == 1 && said[0].contains("cannot be written"), "{said:?}");
    let without = Cache { folder: None, ..cache };
    assert!(through(&without, rope()).1.is_empty());
}

#[test]
fn a_run_uses_the_folder_that_the_user_names() {
    let folder = tempfile::tempdir().unwrap();
    let unusable = folder.path().join("file");
    fs::write(&unusable, "").unwrap();
    let run = |cache: &Path| {
        let mut command = program();
        command.args(["run", "intestine-8x400", "--steps", "1", "--json"]).env("XDG_CACHE_HOME", cache);
        told(&command.output().unwrap())
    };
    let (usual, odd) = (run(folder.path()), run(&unusable));
    assert_eq!(hash(&usual), hash(&odd), "{odd:?}");
    assert_eq!(hash(&usual), hash(&run(folder.path())));
}

const BENT: &str = "serosa = 1\ntitle = \"bent\"\n[[body]]\nname = \"bar\"\n\
    shape.block = { size = [\"10 cm\", \"2 cm\", \"2 cm\"], cell = \"1 cm\" }\n\
    model.flexible = { young = \"1 MPa\", control = [{ name = \"hand\", set = \"left\" }] }\n";

/// What a process has open stays what it was when another bake takes the place of the file.
#[test]
fn a_mapped_bake_outlives_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let [scene, bake] = ["bent.toml", "bent.bake"].map(|name| folder.path().join(name));
    fs::write(&scene, BENT).unwrap();
    assert_eq!(tell(&["bake", text(&scene), "-o", text(&bake)]).code, 0);
    let open = serosa::mapped::read_bake(&bake).unwrap();
    let before = of_bake(&open.baked);
    fs::write(&scene, BENT.replace("1 MPa", "2 MPa").replace("10 cm", "20 cm")).unwrap();
    assert_eq!(tell(&["bake", text(&scene), "-o", text(&bake)]).code, 0);
    assert_eq!(of_bake(&open.baked), before);
    assert_ne!(of_bake(&serosa::mapped::read_bake(&bake).unwrap().baked), before);
    fs::remove_file(&bake).unwrap();
    assert_eq!(of_bake(&open.baked), before);
    fs::write(&bake, "").unwrap();
    assert!(serosa::mapped::read_bake(&bake).unwrap_err().contains("not a bake file"));
    assert!(serosa::mapped::read_bake(folder.path()).unwrap_err().contains("not a file"));
}

#[test]
fn shapes_are_written_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let [scene, bake, shapes] = ["bent.toml", "bent.bake", "bent.iv"].map(|name| folder.path().join(name));
    fs::write(&scene, BENT).unwrap();
    let args = ["bake", text(&scene), "-o", text(&bake), "--inventor", text(&shapes)];
    assert_eq!(tell(&args).code, 0);
    let told = tell(&["query", "info", text(&shapes), "--json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let file = fs::read_to_string(&shapes).unwrap();
    assert!(file.contains("DEF bar-rest") && file.contains("DEF bar-hand-map-xy"), "{}", &file[..200]);
    let again = tell(&args);
    assert!(again.code == 2 && again.err.contains("--force"), "{again:?}");
    let none =
        tell(&["bake", "rope-drop", "-o", text(&bake), "--inventor", text(&folder.path().join("rope.iv"))]);
    assert!(none.code == 2 && none.err.contains("no flexible body"), "{none:?}");
}
