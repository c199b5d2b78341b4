//! The command line: one table of commands, help that teaches, exit codes.

use crate::{Console, Failure, command};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// A real-time simulator of soft organs, the surgical tools that touch them, and their contacts.
#[derive(Parser, Debug)]
#[command(name = "serosa", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  serosa                              start the simulator and open its page in the browser
  serosa view coil                    the same, with a scene
  serosa scenes                       list the built-in scenes
  serosa scenes coil > mine.toml      take one as the start of your own
  serosa check mine.toml              say all that is wrong with it
  serosa query info liver.obj         say what a mesh file holds and where it is open
  serosa query pairs a.obj b.stl      list the triangles of one mesh that meet those of another
  serosa query distance a.obj b.stl   signed distance of each vertex of one mesh to another
  serosa run mine.toml --audit        run it, every contact checked against the exhaustive search
  serosa run mine.toml --record a.mcap && serosa replay a.mcap
  serosa bake mine.toml -o mine.bake  precompute what takes long; `serosa run mine.bake` begins at once
  serosa convert liver.msh liver.vtu  turn a mesh file into another format

Exit codes: 0 fine, 1 a check failed, 2 bad input.";

#[derive(Subcommand, Debug)]
enum Command {
    /// Start the simulator and its page in the browser
    #[cfg(feature = "page")]
    #[command(after_help = "Without SCENE the page begins with the gallery of built-in scenes.")]
    View(ViewArgs),
    /// Run a scene without a window
    #[command(
        after_help = "SCENE is a scene file, a bake file (see `serosa bake`) or the name of a built-in scene (see `serosa scenes`)."
    )]
    Run(RunArgs),
    /// Precompute all that a scene fixes, into a file that runs at once
    #[command(after_help = ABOUT_BAKES)]
    Bake(BakeArgs),
    /// Read a scene and say all that is wrong with it, with line and column
    Check(CheckArgs),
    /// Re-simulate a recording and compare the hash of every tick
    Replay(ReplayArgs),
    /// List the built-in scenes; with a name, print that scene's file
    Scenes(ScenesArgs),
    /// Turn a mesh file into another format, and say what the new one cannot hold
    #[command(after_help = command::convert::formats())]
    Convert(ConvertArgs),
    /// Say what a mesh file holds and what is wrong with it; list the formats
    #[command(subcommand)]
    Query(QueryCommand),
    /// Re-run a standing benchmark, fast and slow twin in the same run
    Bench(BenchArgs),
}

/// Arguments of `serosa view`.
#[cfg(feature = "page")]
#[derive(Args, Clone, Debug, Default)]
pub struct ViewArgs {
    /// Scene file or name of a built-in scene
    pub scene: Option<String>,
    /// Port on 127.0.0.1; the next free one is taken if it is in use
    #[arg(long, value_name = "P", default_value_t = DEFAULT_PORT)]
    pub port: u16,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Threads to use; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

#[cfg(feature = "page")]
const DEFAULT_PORT: u16 = 8712;

/// Arguments of `serosa run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// Scene file or name of a built-in scene
    pub scene: String,
    /// Steps to take [default: 5 simulated seconds]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Threads to use; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Seed of everything random
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// What leads the tools: a script or recording, or `random`, `random:SPEED` (m/s) for violent motion of hands
    /// and jaws; `storm` is random and turns every tunable as well
    #[arg(long, value_name = "FILE|random[:SPEED]|storm[:SPEED]")]
    pub input: Option<String>,
    /// Record inputs, hashes and keyframes to an MCAP file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Check every N-th step against the exhaustive twin [default N: 1 below 2,000 primitives, else 100],
    /// and the last step; write --audit or --audit=N
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "fitting")]
    pub audit: Option<AuditEvery>,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    pub json: bool,
}

/// How often a run is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditEvery {
    /// As often as the size of the scene allows.
    Fitting,
    /// Every so many steps.
    Steps(std::num::NonZeroU64),
}

impl std::str::FromStr for AuditEvery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fitting" => Ok(Self::Fitting),
            number => {
                number.parse().map(Self::Steps).map_err(|_| "write a number of steps from 1 up".to_owned())
            }
        }
    }
}

const ABOUT_BAKES: &str = "\
`run` and `view` bake by themselves. A bake that takes longer than 0.2 s is kept in the folder `serosa` of the user's
cache ($XDG_CACHE_HOME, else ~/.cache) and used until the scene, its mesh files or the program change. The folder stays
below 4 GB, what was not used for longest goes first; it may be removed at any time.
A bake file is for keeping and passing on: it holds the scene and its mesh files, and is read by the build of the
program that made it. The file is written as a whole or not at all.";

/// Arguments of `serosa bake`.
#[derive(Args, Clone, Debug)]
pub struct BakeArgs {
    /// Scene file, bake file or name of a built-in scene
    pub scene: String,
    /// File to write; an older bake of that name is replaced
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Also write the shapes of flexible bodies, each control element moved along each of its ways, for other programs
    #[arg(long, value_name = "FILE.iv")]
    pub inventor: Option<PathBuf>,
    /// Replace a file of that name that is no bake
    #[arg(long)]
    pub force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `serosa check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Scene file or name of a built-in scene
    pub scene: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `serosa replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Recording made by `serosa run --record`
    pub file: PathBuf,
    /// Bake of the recorded scene to use, instead of baking it anew
    #[arg(long, value_name = "FILE")]
    pub bake: Option<PathBuf>,
    /// Begin at this second, from the keyframe before it
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub from: f64,
    /// Stop at this second
    #[arg(long, value_name = "SECONDS")]
    pub to: Option<f64>,
    /// Threads to use; the result does not depend on it
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `serosa scenes`.
#[derive(Args, Debug)]
pub struct ScenesArgs {
    /// Built-in scene to print
    pub name: Option<String>,
}

/// Arguments of `serosa convert`.
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// Mesh file to read
    pub input: PathBuf,
    /// Mesh file to write
    pub output: PathBuf,
    /// Format of the file to read [default: as its bytes or its ending say]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Format of the file to write [default: as its ending says]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// Overwrite the file to write, if there is one
    #[arg(long)]
    pub force: bool,
}

#[derive(Subcommand, Debug)]
enum QueryCommand {
    /// Look at a mesh file: counts, unit, where it is open, where it meets itself, quality, materials
    #[command(after_help = "A file that can be read gives exit code 0, whatever its faults.")]
    Info(InfoArgs),
    /// Signed distance of each vertex of A to the surface of B, negative inside
    #[command(after_help = ABOUT_SIGNS)]
    Distance(TwoArgs),
    /// Which vertices of A are inside B
    #[command(after_help = ABOUT_SIGNS)]
    Inside(TwoArgs),
    /// Where A and B overlap, how deep, and which way A leaves B
    #[command(after_help = ABOUT_DEPTH)]
    Depth(TwoArgs),
    /// Which triangles of A meet which of B
    #[command(after_help = ABOUT_PAIRS)]
    Pairs(TwoArgs),
    /// List the mesh formats, as in docs/formats.md
    Formats,
}

const ABOUT_SIGNS: &str = "\
Answers are in the unit and the order of the files. A may be points alone.
Where B is closed and does not meet itself, inside is what its faces turn their backs to. Where it is open, meets itself
or its faces disagree, a vertex is inside where the winding number is above one half; this is said, as are faces that
all point inward, which are then turned.";

const ABOUT_DEPTH: &str = "\
Answers are in the unit and the order of the files; of points at one place the first is named.
One of the two must be closed: an open mesh has no inside, and only what of it is in the other is told. A mesh that is
inside out is turned, and this is said. See docs/models/penetration.md for what depth means.";
const ABOUT_PAIRS: &str = "\
Triangles are numbered from 0 in the order of the files; where a file has tetrahedra alone, those of its surface. Every
answer is exact, and touching counts. What A or B has with itself is told by `serosa query info`.";

/// Arguments of questions between two meshes.
#[derive(Args, Debug)]
pub struct TwoArgs {
    /// Mesh file
    pub a: PathBuf,
    /// Mesh file
    pub b: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `serosa query info`.
#[derive(Args, Debug)]
pub struct InfoArgs {
    /// Mesh file
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `serosa bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Benchmark to run; without a name they are listed
    pub name: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Largest size to run, for a quick look
    #[arg(long, value_name = "N")]
    pub largest: Option<u32>,
    /// Folder for figures, where the benchmark draws some
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Python with other programs to run beside ours, where the benchmark knows some
    #[arg(long, value_name = "PYTHON")]
    pub peers: Option<PathBuf>,
    /// Fail also on promises of speed
    #[arg(long)]
    pub strict: bool,
    /// The few cases that take seconds altogether, where the benchmark has cases
    #[arg(long)]
    pub quick: bool,
    /// Only cases whose name holds this word, where the benchmark has cases
    #[arg(long, value_name = "WORD")]
    pub only: Option<String>,
}

/// What `serosa` alone does: the gallery in the browser.
#[cfg(feature = "page")]
fn first_look(console: &mut Console) -> Result<(), Failure> {
    crate::view::view(&ViewArgs { port: DEFAULT_PORT, ..ViewArgs::default() }, console)
}

/// What `serosa` alone does without a page: a scene, and where to go next.
#[cfg(not(feature = "page"))]
fn first_look(console: &mut Console) -> Result<(), Failure> {
    command::run::first_look("coil", console)
}

/// Answers a question about meshes.
fn ask(query: QueryCommand, console: &mut Console) -> Result<(), Failure> {
    match query {
        QueryCommand::Info(args) => command::query::info(&args, console),
        QueryCommand::Distance(args) => command::query::distance(&args, console),
        QueryCommand::Inside(args) => command::query::inside(&args, console),
        QueryCommand::Depth(args) => command::query::depth(&args, console),
        QueryCommand::Pairs(args) => command::query::pairs(&args, console),
        QueryCommand::Formats => {
            command::query::formats(console);
            Ok(())
        }
    }
}

/// Runs a command line and returns its exit code.
pub fn main(args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let mut console = Console { out, err };
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let rendered = error.render();
            return if error.use_stderr() {
                console.note(rendered);
                2
            } else {
                console.say(rendered);
                0
            };
        }
    };
    let result = match cli.command {
        None => first_look(&mut console),
        #[cfg(feature = "page")]
        Some(Command::View(args)) => crate::view::view(&args, &mut console),
        Some(Command::Run(args)) => command::run::run(&args, &mut console),
        Some(Command::Bake(args)) => command::bake::bake(&args, &mut console),
        Some(Command::Check(args)) => command::check::check(&args, &mut console),
        Some(Command::Replay(args)) => command::replay::replay(&args, &mut console),
        Some(Command::Scenes(args)) => command::scenes::list(&args, &mut console),
        Some(Command::Convert(args)) => command::convert::convert(&args, &mut console),
        Some(Command::Query(query)) => ask(query, &mut console),
        Some(Command::Bench(args)) => crate::bench::bench(&args, &mut console),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => {
            let (Failure::BadInput(message) | Failure::CheckFailed(message)) = &failure;
            console.note(message.trim_end());
            failure.code()
        }
    }
}
