// What a test needs from the binary frames. The layout is in crates/serosa_io/src/wire/frame.rs.

const HEADER = 132;
const POSE_FLOATS = 7;
const TOOL_FLOATS = 10;
const ELEMENT_FLOATS = 12;
const CONTACT_FLOATS = 7;
const PAIR_FLOATS = 6;

/** Which scene a frame is of, simulated time, tools, control elements, pairs, values and probes. */
export function readFrame(bytes) {
  if (bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "SRF7") {
    throw new Error(`a frame of ${bytes.length} bytes does not begin with SRF7; see wire/frame.rs`);
  }
  const count = (at) => bytes.readUInt32LE(at);
  const floats = (at, many) => Array.from({ length: many }, (_, i) => bytes.readFloatLE(at + 4 * i));
  const [sections, rigids, tools, shown, probes, tubes, pairs, pairsInAll] = [68, 72, 76, 80, 84, 88, 92, 96].map(count);
  const [elements, valuesOf, valued] = [116, 120, 124].map(count);
  let at = HEADER;
  for (let s = 0; s < sections; s++) {
    const vertices = count(at + 4);
    at += 32 + 6 * vertices + 2 * (vertices % 2);
  }
  at += 4 * (tubes + POSE_FLOATS * rigids);
  const each = (many, size, read) =>
    Array.from({ length: many }, () => {
      const all = floats(at, size);
      at += 4 * size;
      return read(all);
    });
  return {
    sweeps: count(100),
    generation: count(20),
    time: bytes.readDoubleLE(8),
    pairsInAll,
    valuesOf,
    tools: each(tools, TOOL_FLOATS, (all) => {
      const [force, holds, closed] = all.slice(7);
      return { hand: all.slice(0, 3), turn: all.slice(3, 7), force, holds: holds > 0.5, closed: closed > 0.5 };
    }),
    elements: each(elements, ELEMENT_FLOATS, (all) => ({
      place: all.slice(0, 3),
      turn: all.slice(3, 7),
      scale: all.slice(7, 10),
      force: all[10],
      stopped: all[11],
    })),
    contacts: each(shown, CONTACT_FLOATS, (all) => all),
    pairs: each(pairs, PAIR_FLOATS, (ends) => [ends.slice(0, 3), ends.slice(3)]),
    values: Array.from({ length: valued }, () => {
      const [body, vertices] = [count(at), count(at + 4)];
      const [low, unit] = floats(at + 8, 2);
      const values = Array.from({ length: vertices }, (_, i) => low + unit * bytes.readUInt16LE(at + 16 + 2 * i));
      at += 16 + 2 * vertices + 2 * (vertices % 2);
      return { body, values };
    }),
    probes: floats(bytes.length - 4 * probes, probes),
  };
}
