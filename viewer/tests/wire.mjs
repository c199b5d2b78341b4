// What a test needs from the binary frames. The layout is in crates/serosa_io/src/wire/frame.rs.

const HEADER = 92;
const TOOL_FLOATS = 10;
const CONTACT_FLOATS = 7;

/** Which scene a frame is of, simulated time, tools and probes. Tools, contacts and probes are its end, in this order. */
export function readFrame(bytes) {
  if (bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "SRF2") {
    throw new Error(`a frame of ${bytes.length} bytes does not begin with SRF2; see wire/frame.rs`);
  }
  const [tools, shown, probes] = [76, 80, 84].map((at) => bytes.readUInt32LE(at));
  const probesAt = bytes.length - 4 * probes;
  const toolsAt = probesAt - 4 * (CONTACT_FLOATS * shown + TOOL_FLOATS * tools);
  const floats = (at, count) => Array.from({ length: count }, (_, i) => bytes.readFloatLE(at + 4 * i));
  return {
    generation: bytes.readUInt32LE(20),
    time: bytes.readDoubleLE(8),
    tools: Array.from({ length: tools }, (_, i) => {
      const all = floats(toolsAt + 4 * TOOL_FLOATS * i, TOOL_FLOATS);
      const [force, holds, closed] = all.slice(7);
      return { hand: all.slice(0, 3), turn: all.slice(3, 7), force, holds: holds > 0.5, closed: closed > 0.5 };
    }),
    probes: floats(probesAt, probes),
  };
}
