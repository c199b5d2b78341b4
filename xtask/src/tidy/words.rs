//! Names that say nothing, marks of unfinished work, and what the simulation core may not use.

use super::Finding;
use super::scan::{self, Declaration};
use super::tree::{Source, Tree};

/// Where a rule holds. Code that is compiled for tests only is always free to use what it likes,
/// except what holds everywhere.
#[derive(Clone, Copy)]
enum Scope {
    Everywhere,
    Libraries,
    Core,
}

/// The crates whose results must be the same bits on every computer.
const CORE: [&str; 2] = ["serosa_geometry", "serosa_sim"];

const NO_CLOCK: &str = "the core has no clock; take the time as an argument";
const NO_ORDER: &str = "order must not depend on a hash; use a sorted Vec or a BTreeMap";
const NO_FMA: &str = "no fma in the step, it rounds differently; write the product and the sum";
const NO_PRINT: &str = "libraries do not print; return it, or report it";
const UNFINISHED: &str = "finish it or take it out";

/// What the code may not contain, where, and what to do instead.
const RULES: &[(&str, Scope, &str)] = &[
    ("todo!", Scope::Everywhere, UNFINISHED),
    ("unimplemented!", Scope::Everywhere, UNFINISHED),
    ("dbg!", Scope::Everywhere, "take it out"),
    ("#[ignore", Scope::Everywhere, "a test runs or does not exist; make it fast, or skip it by name"),
    ("print!", Scope::Libraries, NO_PRINT),
    ("println!", Scope::Libraries, NO_PRINT),
    ("eprint!", Scope::Libraries, NO_PRINT),
    ("eprintln!", Scope::Libraries, NO_PRINT),
    ("mul_add", Scope::Core, NO_FMA),
    ("HashMap", Scope::Core, NO_ORDER),
    ("HashSet", Scope::Core, NO_ORDER),
    ("Instant", Scope::Core, NO_CLOCK),
    ("SystemTime", Scope::Core, NO_CLOCK),
];

/// Functions whose last bits differ between platforms, and the methods of `glam` that call them.
/// `sqrt` is exact everywhere and not here.
const PLATFORM_FUNCTIONS: [&str; 29] = [
    "sin",
    "cos",
    "tan",
    "sin_cos",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "ln_1p",
    "log2",
    "log10",
    "powf",
    "cbrt",
    "hypot",
    "slerp",
    "angle_between",
    "to_axis_angle",
    "to_scaled_axis",
    "to_euler",
];

/// How the constructors of rotations in `glam` begin, which call the platform's `sin` and `cos`.
const PLATFORM_ROTATIONS: [&str; 4] = ["from_axis_angle", "from_rotation_", "from_scaled_axis", "from_euler"];

/// Last words of names that do not say what a thing is.
const EMPTY_WORDS: [&str; 5] = ["Manager", "Handler", "Helper", "Utils", "Base"];

/// Marks that people leave in comments for later.
const MARKS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// Every rule on every source.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let all = |source: &Source| {
        [check_rules(source), check_functions(source), check_names(source), check_marks(source)]
    };
    tree.sources.iter().flat_map(all).flatten().collect()
}

fn check_rules(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (needle, scope, advice) in RULES {
        for at in source.find(needle).into_iter().filter(|at| holds(*scope, source, *at)) {
            findings.push(Finding::new(&source.path, source.line(at), format!("`{needle}`: {advice}")));
        }
    }
    findings
}

fn holds(scope: Scope, source: &Source, at: usize) -> bool {
    match scope {
        Scope::Everywhere => true,
        Scope::Libraries => is_library(&source.path) && !source.in_tests(at),
        Scope::Core => source.in_src_of(&CORE) && !source.in_tests(at),
    }
}

/// Whether a file is part of a library; a build script may print, for cargo to read.
fn is_library(path: &str) -> bool {
    path.starts_with("crates/serosa_") && path.contains("/src/")
}

/// `x.sin()`, `f64::sin(x)`, `map(Real::sin)` and `Quat::from_rotation_x(x)` in the core.
/// A function in a module, such as `libm::sin`, is another function.
fn check_functions(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |name: &str, places: Vec<usize>| {
        for at in places.into_iter().filter(|at| holds(Scope::Core, source, *at)) {
            let message = format!("`{name}` differs between platforms; use libm");
            findings.push(Finding::new(&source.path, source.line(at), message));
        }
    };
    for name in PLATFORM_FUNCTIONS {
        find(name, source.find(&format!(".{name}(")));
        ["f64", "f32", "Real"].iter().for_each(|of| find(name, source.find(&format!("{of}::{name}"))));
    }
    for name in PLATFORM_ROTATIONS {
        let mut places = source.find(name);
        places.retain(|at| is_of_a_type(&source.code[..*at]));
        find(name, places);
    }
    findings
}

/// Whether the code before a name ends in a type and `::`; types begin with a capital.
fn is_of_a_type(before: &str) -> bool {
    let Some(path) = before.strip_suffix("::") else { return false };
    let segment = path.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    segment.is_some_and(|segment| segment.starts_with(|c: char| c.is_uppercase()))
}

fn check_names(source: &Source) -> Vec<Finding> {
    let message =
        |name: &str| format!("the name `{name}` does not say what it is; find the noun or the verb");
    scan::declarations(&source.code)
        .iter()
        .filter(|item| is_empty_name(item))
        .map(|item| Finding::new(&source.path, source.line(item.at), message(item.name)))
        .collect()
}

fn is_empty_name(item: &Declaration<'_>) -> bool {
    match item.keyword {
        "fn" | "mod" => {
            let last = item.name.rsplit('_').next().unwrap_or_default();
            EMPTY_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last))
        }
        "type" => EMPTY_WORDS.iter().any(|word| item.name.ends_with(word)),
        _ => EMPTY_WORDS.iter().chain(&["New"]).any(|word| item.name.ends_with(word)) || is_second(item.name),
    }
}

/// Whether a name ends in a bare `2`: a second version that does not say what differs.
fn is_second(name: &str) -> bool {
    name.strip_suffix('2').is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_digit()))
}

fn check_marks(source: &Source) -> Vec<Finding> {
    let words = scan::words(&source.comments).into_iter();
    let marks = words.filter(|(_, word)| MARKS.contains(word));
    marks
        .map(|(at, word)| Finding::new(&source.path, source.line(at), format!("`{word}`: {UNFINISHED}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    const SIM: &str = "crates/serosa_sim/src/a.rs";
    const IO: &str = "crates/serosa_io/src/a.rs";
    const PROGRAM: &str = "crates/serosa/src/main.rs";

    #[test]
    fn the_core_has_no_platform_functions() {
        for text in [
            "x.sin()",
            "x.atan2(y)",
            "x.powf(2.0)",
            "f64::cos(x)",
            "v.map(Real::exp)",
            "q.slerp(p, t)",
            "a.mul_add(b, c)",
        ] {
            assert_eq!((text, count(SIM, text), count(IO, text)), (text, 1, 0));
        }
        for text in
            ["libm::sin(x)", "x.sqrt()", "self.cos * x", "x.sinuous()", "libm::atan2(y, x)", "Real::since(x)"]
        {
            assert_eq!((text, count(SIM, text)), (text, 0));
        }
    }

    #[test]
    fn the_core_builds_its_own_rotations() {
        for text in
            ["DQuat::from_rotation_x(a)", "map(glam::Quat::from_scaled_axis)", "Self::from_euler(o, a, b, c)"]
        {
            assert_eq!((text, count(SIM, text), count(IO, text)), (text, 1, 0));
        }
        for text in
            ["fn from_rotation_vector() {}", "rotation::from_rotation_vector(v)", "Mat3::from_quat(q)"]
        {
            assert_eq!((text, count(SIM, text)), (text, 0));
        }
    }

    #[test]
    fn the_core_has_no_clock_and_no_hash_order() {
        for text in ["use std::time::Instant;", "HashMap::new()", "SystemTime::now()"] {
            assert_eq!((text, count(SIM, text), count(PROGRAM, text)), (text, 1, 0));
        }
        assert_eq!(
            count(SIM, "#[cfg(test)]\nmod tests { use std::collections::HashSet; fn f() { x.sin(); } }"),
            0
        );
        assert_eq!(count("crates/serosa_sim/tests/it/main.rs", "use std::collections::HashSet;"), 0);
        assert_eq!(count(SIM, "// a HashMap would lose the order\nlet s = \"Instant\";"), 0);
    }

    #[test]
    fn libraries_do_not_print() {
        for text in ["println!()", "eprintln!()", "print!()", "eprint!()"] {
            assert_eq!((text, count(IO, text), count(PROGRAM, text)), (text, 1, 0));
        }
        assert_eq!(count("crates/serosa_io/src/a.rs", "/// println!(\"example\")\nfn f() {}"), 0);
    }

    #[test]
    fn unfinished_work_is_found_even_in_tests() {
        for text in ["fn f() { todo!() }", "dbg!(x);", "#[ignore = \"slow\"]", "// TODO: more", "/* FIXME */"]
        {
            assert_eq!((text, count(PROGRAM, text)), (text, 1));
            assert_eq!((text, count("crates/serosa/tests/it/main.rs", text)), (text, 1));
        }
        assert_eq!(count(PROGRAM, "let a = \"TODO\"; // methods of Todor"), 0);
    }

    #[test]
    fn empty_names_are_found() {
        for text in
            ["struct SceneManager;", "enum KeyHandler {}", "trait BodyBase {}", "type U = u8; mod utils;"]
        {
            assert_eq!((text, count(PROGRAM, text)), (text, 1));
        }
        for text in ["struct Mesh2;", "struct MeshNew;", "fn mesh_helper() {}", "type MeshUtils = u8;"] {
            assert_eq!((text, count(PROGRAM, text)), (text, 1));
        }
        for text in ["struct Database;", "struct Of32;", "fn new() {}", "type Vec2 = DVec2;", "struct Renew;"]
        {
            assert_eq!((text, count(PROGRAM, text)), (text, 0));
        }
    }
}
