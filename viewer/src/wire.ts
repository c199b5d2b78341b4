// Made from crates/serosa_io/src/wire.rs by `cargo xtask bless`; a test says whether it is fresh.

export type ToServer = { "type": "drive" } | { "type": "pairs",
/**
 * Whether frames are to carry them.
 */
show: boolean, } | { "type": "values",
/**
 * Which; null for none.
 */
of: Quantity | null, } | { "type": "gallery" } | { "type": "open",
/**
 * Its name.
 */
scene: string, } | { "type": "open_text",
/**
 * The name of the file.
 */
name: string,
/**
 * What it holds.
 */
text: string, } | { "type": "play" } | { "type": "pause" } | { "type": "step" } | { "type": "reset" } | { "type": "speed",
/**
 * 1 is real time.
 */
value: number, } | { "type": "hand",
/**
 * Number of the tool.
 */
tool: number,
/**
 * Of the tip \[m\].
 */
position: [number, number, number],
/**
 * Quaternion x, y, z, w.
 */
rotation: [number, number, number, number],
/**
 * Whether the jaws are closed.
 */
grip: boolean, } | { "type": "control",
/**
 * Its number among all of the scene.
 */
element: number,
/**
 * Of its origin \[m\].
 */
position: [number, number, number],
/**
 * Quaternion x, y, z, w.
 */
rotation: [number, number, number, number],
/**
 * How many times as long along each axis, before it is turned.
 */
scale: [number, number, number],
/**
 * Force on it \[N\], where forces lead it.
 */
force: [number, number, number],
/**
 * Torque on it about its origin \[N m\], where forces lead it.
 */
torque: [number, number, number], } | { "type": "tune",
/**
 * Its number.
 */
index: number,
/**
 * In SI.
 */
value: number, } | { "type": "release",
/**
 * Number of the body.
 */
body: number, } | { "type": "record" } | { "type": "stop" } | { "type": "replay",
/**
 * Its name in [`Status::recordings`].
 */
name: string, } | { "type": "seek",
/**
 * \[s\]
 */
time_s: number, };

export type Quantity = "area" | "xx" | "yy" | "zz" | "xy" | "yz" | "zx" | "energy";

export type ToPage = { "type": "hello",
/**
 * Your number.
 */
client: number,
/**
 * Version of the program.
 */
version: string,
/**
 * The built-in scenes.
 */
gallery: Array<GalleryEntry>, } | { "type": "scene",
/**
 * Grows with every scene opened; frames say by it whose they are.
 */
generation: number,
/**
 * The scene, or null in the gallery.
 */
scene: SceneInfo | null, } | { "type": "status" } & Status | { "type": "problems",
/**
 * Of the file.
 */
name: string,
/**
 * All mistakes.
 */
problems: Array<ProblemInfo>, } | { "type": "notice",
/**
 * `info` or `warning`.
 */
level: string,
/**
 * A whole sentence.
 */
text: string, };

export type Door = {
/**
 * Why not, or null where it is open.
 */
refused: Refusal | null, };

export type Refusal = "elsewhere" | "token" | "full";

export type GalleryEntry = {
/**
 * To open it by.
 */
name: string,
/**
 * One line.
 */
title: string,
/**
 * A paragraph.
 */
about: string,
/**
 * Address of its picture, if there is one.
 */
picture: string | null, };

export type Status = {
/**
 * The driver's number, if there is one.
 */
driver: number | null,
/**
 * How many pages are connected.
 */
clients: number,
/**
 * Whether time runs.
 */
playing: boolean,
/**
 * Simulated seconds for each second, as asked.
 */
speed: number,
/**
 * Values of the tunables, in SI.
 */
tunables: Array<number>,
/**
 * Name of the recording being written.
 */
recording: string | null,
/**
 * The recording being replayed.
 */
replay: ReplayInfo | null,
/**
 * Recordings that can be replayed, newest first.
 */
recordings: Array<string>,
/**
 * Bodies that ran away not long ago, in their order.
 */
held: Array<HeldInfo>,
/**
 * Why control elements are stopped now, a sentence each; empty where none is.
 */
stopped: Array<string>, };

export type HeldInfo = {
/**
 * Its number.
 */
body: number,
/**
 * Its name.
 */
name: string,
/**
 * What it did, as the end of a sentence about it.
 */
why: string,
/**
 * How often it ran away, each time soon after the last.
 */
times: number,
/**
 * Whether it still stands fixed; otherwise it was given back.
 */
is_held: boolean,
/**
 * Whether it is held on because its shape at rest does not fit anywhere.
 */
stuck: boolean, };

export type ReplayInfo = {
/**
 * Of the recording.
 */
name: string,
/**
 * Its length \[s\].
 */
duration_s: number,
/**
 * First time at which it differed from the recording \[s\].
 */
differs_at_s: number | null, };

export type ProblemInfo = {
/**
 * From 1.
 */
line: number,
/**
 * From 1.
 */
column: number,
/**
 * What is wrong.
 */
message: string,
/**
 * What to do.
 */
help: string,
/**
 * The line it is in.
 */
source: string, };

export type SceneInfo = {
/**
 * As opened.
 */
name: string,
/**
 * One line.
 */
title: string,
/**
 * A paragraph.
 */
about: string,
/**
 * Time of one step \[s\].
 */
dt_s: number,
/**
 * Passes that the scene asks for in each step.
 */
sweeps: number,
/**
 * Time that a step may take on the clock \[ms\], where the scene says so.
 */
budget_ms: number | null,
/**
 * All bodies, tools last, in the order of frames.
 */
bodies: Array<BodyInfo>,
/**
 * All tools.
 */
tools: Array<ToolInfo>,
/**
 * Control elements of all flexible bodies, in the order of frames.
 */
elements: Array<ElementInfo>,
/**
 * All probes, in the order of frames.
 */
probes: Array<ProbeInfo>,
/**
 * All tunables.
 */
tunables: Array<TunableInfo>,
/**
 * Where to look from.
 */
camera: CameraInfo | null,
/**
 * Texts in the scene.
 */
texts: Array<TextInfo>,
/**
 * Boxes that are to be laid free.
 */
goals: Array<GoalInfo>,
/**
 * Worth knowing.
 */
notes: Array<string>, };

export type BodyInfo = {
/**
 * Its name.
 */
name: string,
/**
 * How to draw it.
 */
look: Look,
/**
 * What its surface is.
 */
surface: Surface,
/**
 * Whether it is a flexible body: there are [`Values`] of it.
 */
flexible: boolean, };

export type Look = { "kind": "threads",
/**
 * Rest positions x, y, z of all vertices in turn \[m\].
 */
rest: Array<number>,
/**
 * Pairs of vertices, one after another, counted within the body.
 */
edges: Array<number>,
/**
 * Half the thickness \[m\].
 */
radius: number,
/**
 * Whether the edges make one chain from the first vertex to the last.
 */
chain: boolean,
/**
 * Vertices held where they are.
 */
held: Array<number>, } | { "kind": "skin",
/**
 * Rest positions x, y, z of all vertices in turn \[m\].
 */
rest: Array<number>,
/**
 * Triples of vertices, one after another.
 */
triangles: Array<number>,
/**
 * Pairs of vertices, one after another.
 */
edges: Array<number>,
/**
 * Half the thickness \[m\].
 */
radius: number,
/**
 * Vertices held where they are.
 */
held: Array<number>,
/**
 * How much another material comes to the surface at each vertex, from 0 to 1; empty where none does.
 */
spots: Array<number>, } | { "kind": "strip",
/**
 * Rest positions x, y, z of all vertices in turn \[m\].
 */
rest: Array<number>,
/**
 * Vertices from tube to root.
 */
rows: number,
/**
 * Vertices along the tube.
 */
columns: number,
/**
 * Triples of vertices, one after another.
 */
triangles: Array<number>,
/**
 * Pairs of vertices, one after another; those of the tube first.
 */
edges: Array<number>,
/**
 * Of the tube in the end \[m\]; frames say how wide it is now.
 */
radius: number,
/**
 * Half the thickness of the skin \[m\].
 */
skin_radius: number,
/**
 * Vertices held where they are.
 */
held: Array<number>, } | { "kind": "solid",
/**
 * Number of the frame.
 */
rigid: number,
/**
 * Its shape.
 */
shape: SolidShape,
/**
 * Whether it can move.
 */
movable: boolean, };

export type Surface = "plain" | "table" | "tissue" | "bowel" | "steel" | "kidney" | "liver" | "gallbladder" | "stomach" | "spleen" | "colon" | "weave" | "rubber" | "plastic";

export type SolidShape = { "shape": "sphere",
/**
 * \[m\]
 */
radius: number, } | { "shape": "capsule",
/**
 * Of the core \[m\].
 */
length: number,
/**
 * \[m\]
 */
radius: number, } | { "shape": "box",
/**
 * Edges \[m\].
 */
size: [number, number, number], } | { "shape": "plane" };

export type ToolInfo = {
/**
 * Its name.
 */
name: string,
/**
 * Number of its body.
 */
body: number,
/**
 * Number of its frame.
 */
rigid: number,
/**
 * Its tip in the frame \[m\].
 */
tip: [number, number, number], };

export type ElementInfo = {
/**
 * Its name.
 */
name: string,
/**
 * Number of its body.
 */
body: number,
/**
 * The middle of its nodes at rest \[m\].
 */
origin: [number, number, number],
/**
 * How far it reaches from its middle at rest, along each axis \[m\].
 */
reach: [number, number, number],
/**
 * Its vertices, counted within the body.
 */
vertices: Array<number>,
/**
 * Where forces lead it, not positions: about how far a force moves it \[m/N\], and a torque turns it \[rad/(N m)\].
 */
give: [number, number] | null, };

export type ProbeInfo = {
/**
 * Its name.
 */
name: string,
/**
 * Of its numbers.
 */
unit: string,
/**
 * How many numbers it gives: 1 or 3.
 */
width: number, };

export type TunableInfo = {
/**
 * What the user reads.
 */
name: string,
/**
 * Unit to show it in.
 */
unit: string,
/**
 * Size of that unit in SI.
 */
unit_size: number,
/**
 * SI.
 */
min: number,
/**
 * SI.
 */
max: number,
/**
 * SI.
 */
value: number, };

export type CameraInfo = {
/**
 * \[m\]
 */
eye: [number, number, number],
/**
 * \[m\]
 */
target: [number, number, number],
/**
 * Vertical angle of view \[rad\].
 */
angle: number, };

export type TextInfo = {
/**
 * What it says.
 */
text: string,
/**
 * Where \[m\].
 */
at: [number, number, number], };

export type GoalInfo = {
/**
 * Number of the probe that says how much of it is hidden.
 */
probe: number,
/**
 * Lowest corner \[m\].
 */
min: [number, number, number],
/**
 * Highest corner \[m\].
 */
max: [number, number, number],
/**
 * Towards the eye, unit.
 */
from: [number, number, number], };

export type MeshAnswer = { "type": "mesh" } & MeshInfo | { "type": "refused",
/**
 * What is wrong, with its line or byte.
 */
message: string,
/**
 * What to do.
 */
help: string, };

export type MeshInfo = {
/**
 * Of the file.
 */
name: string,
/**
 * All that is known, in words.
 */
facts: Array<FactInfo>,
/**
 * Why it is not drawn, if it is not.
 */
note: string | null,
/**
 * x, y, z of all points in turn, from the middle of the mesh \[m\], by the unit guessed.
 */
points: Array<number>,
/**
 * Triples of points, one after another.
 */
triangles: Array<number>,
/**
 * Ends of edges of one face only, six coordinates each.
 */
open: Array<number>,
/**
 * The same of edges with more than two faces.
 */
crowded: Array<number>,
/**
 * The same of edges whose faces disagree.
 */
flipped: Array<number>,
/**
 * Faces that meet others.
 */
crossing: Array<number>,
/**
 * Faces without area, and needles.
 */
degenerate: Array<number>, };

export type FactInfo = {
/**
 * What it is about.
 */
name: string,
/**
 * What is known; may have several lines.
 */
value: string, };
