// What a test needs from the binary frames. The layout is in crates/serosa_io/src/wire/frame.rs.

const HEADER = 88;
const TOOL_FLOATS = 5;
const CONTACT_FLOATS = 7;

/** Simulated time, tools and probes of a frame. Tools, contacts and probes are its end, in this order. */
export function readFrame(bytes) {
  if (bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "SRF1") {
    throw new Error(`a frame of ${bytes.length} bytes does not begin with SRF1; see wire/frame.rs`);
  }
  const [tools, shown, probes] = [72, 76, 80].map((at) => bytes.readUInt32LE(at));
  const probesAt = bytes.length - 4 * probes;
  const toolsAt = probesAt - 4 * (CONTACT_FLOATS * shown + TOOL_FLOATS * tools);
  const floats = (at, count) => Array.from({ length: count }, (_, i) => bytes.readFloatLE(at + 4 * i));
  return {
    time: bytes.readDoubleLE(8),
    tools: Array.from({ length: tools }, (_, i) => {
      const [x, y, z, force, holds] = floats(toolsAt + 4 * TOOL_FLOATS * i, TOOL_FLOATS);
      return { hand: [x, y, z], force, holds: holds > 0.5 };
    }),
    probes: floats(probesAt, probes),
  };
}
