// What a test needs from the binary frames. The layout is in crates/serosa_io/src/wire/frame.rs.

const HEADER = 116;
const TOOL_FLOATS = 10;
const CONTACT_FLOATS = 7;
const PAIR_FLOATS = 6;

/** Which scene a frame is of, simulated time, tools, pairs and probes. Tools, contacts, pairs and probes are its end. */
export function readFrame(bytes) {
  if (bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "SRF4") {
    throw new Error(`a frame of ${bytes.length} bytes does not begin with SRF4; see wire/frame.rs`);
  }
  const [tools, shown, probes, pairs, pairsInAll] = [76, 80, 84, 92, 96].map((at) => bytes.readUInt32LE(at));
  const probesAt = bytes.length - 4 * probes;
  const pairsAt = probesAt - 4 * PAIR_FLOATS * pairs;
  const toolsAt = pairsAt - 4 * (CONTACT_FLOATS * shown + TOOL_FLOATS * tools);
  const floats = (at, count) => Array.from({ length: count }, (_, i) => bytes.readFloatLE(at + 4 * i));
  return {
    sweeps: bytes.readUInt32LE(100),
    generation: bytes.readUInt32LE(20),
    time: bytes.readDoubleLE(8),
    tools: Array.from({ length: tools }, (_, i) => {
      const all = floats(toolsAt + 4 * TOOL_FLOATS * i, TOOL_FLOATS);
      const [force, holds, closed] = all.slice(7);
      return { hand: all.slice(0, 3), turn: all.slice(3, 7), force, holds: holds > 0.5, closed: closed > 0.5 };
    }),
    pairs: Array.from({ length: pairs }, (_, i) => {
      const ends = floats(pairsAt + 4 * PAIR_FLOATS * i, PAIR_FLOATS);
      return [ends.slice(0, 3), ends.slice(3)];
    }),
    pairsInAll,
    probes: floats(probesAt, probes),
  };
}
