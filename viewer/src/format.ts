// Numbers as people read them.

/** A unit to show a quantity in: shown value = SI value × `factor`. */
export interface Shown {
  /** What to write after the number. */
  unit: string;
  /** From SI to the shown unit. */
  factor: number;
}

/** Below this a value is nothing but rounding. */
const NOTHING = 1e-9;

/** Units that get a smaller sibling where the values are small: unit, sibling, its factor, below which value. */
const SMALLER: [string, string, number, number][] = [
  ["m", "mm", 1e3, 1],
  ["N", "mN", 1e3, 0.1],
  ["J", "mJ", 1e3, 0.1],
  ["J/m³", "mJ/m³", 1e3, 0.1],
  ["m/s", "mm/s", 1e3, 0.1],
  ["s", "ms", 1e3, 0.1],
  ["kg", "g", 1e3, 1],
];

/** The same with a larger sibling where the values are large: unit, sibling, its factor, from which value on. */
const LARGER: [string, string, number, number][] = [
  ["J/m³", "MJ/m³", 1e-6, 1e6],
  ["J/m³", "kJ/m³", 1e-3, 1e3],
];

/** The unit in which values up to `largest` (of SI unit `unit`) read well. */
export function shownIn(unit: string, largest: number): Shown {
  if (unit === "of 1") {
    return { unit: "%", factor: 100 };
  }
  for (const [from, to, factor, below] of SMALLER) {
    if (unit === from && largest < below && largest > NOTHING) {
      return { unit: to, factor };
    }
  }
  const larger = LARGER.find(([from, , , least]) => unit === from && largest >= least);
  return larger ? { unit: larger[1], factor: larger[2] } : { unit, factor: 1 };
}

/** A number with about three digits that count, without an exponent where one can do without. */
export function digits(value: number, count = 3): string {
  if (!Number.isFinite(value)) {
    return "–";
  }
  const size = Math.abs(value);
  if (size >= 1e7 || (size < 1e-4 && size > NOTHING)) {
    return value.toExponential(1).replaceAll("-", "−");
  }
  const whole = size >= 1 ? Math.floor(Math.log10(size)) + 1 : 1;
  const text = value.toFixed(Math.min(Math.max(count - whole, 0), 6));
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** Below this a quantity is not what was simulated but how numbers are kept: by unit. */
const LEAST: Record<string, number> = { N: 1e-6, m: 1e-8, J: 1e-9, "m/s": 1e-7, s: 1e-9, kg: 1e-9, mm: 1e-4 };

/** A value of a unit, shown `factor` times as large; what is below all sense is 0. */
export function quantity(value: number, unit: string, count = 3, factor = 1): string {
  return Math.abs(value) < (LEAST[unit] ?? NOTHING) ? "0" : digits(value * factor, count);
}

/** A time as minutes and seconds with tenths, such as 1:04.2. */
export function clock(seconds: number): string {
  const tenths = Math.max(0, Math.floor(seconds * 10 + 1e-6));
  const minutes = Math.floor(tenths / 600);
  const rest = (tenths - minutes * 600) / 10;
  return `${minutes}:${rest.toFixed(1).padStart(4, "0")}`;
}

/** A name from a file as words: `load_on_table` becomes `load on table`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

/** Round numbers between `low` and `high`, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) {
    return [low];
  }
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? rough;
  const result: number[] = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; i++) {
    result.push(i * step);
  }
  return result;
}

/** The next of 1, 2, 5, 10, … at or above a value. */
export function roundUp(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= value * 0.999) ?? value;
}
