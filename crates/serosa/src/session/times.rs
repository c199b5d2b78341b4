//! Times of many steps, in little memory.

use serde_json::{Value, json};

/// Sub-buckets for each doubling of time: 32 give percentiles to within 3 %.
const SHARP: u64 = 32;

/// A histogram of times with logarithmic buckets; mean and largest are exact, percentiles within 3 %.
#[derive(Clone, Debug, Default)]
pub struct Times {
    counts: Vec<u64>,
    n: u64,
    sum_ns: u64,
    max_ns: u64,
}

impl Times {
    /// Adds a time \[ns\].
    pub fn push(&mut self, ns: u64) {
        let bucket = bucket(ns);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.n += 1;
        self.sum_ns += ns;
        self.max_ns = self.max_ns.max(ns);
    }

    /// Mean \[ms\].
    pub fn mean_ms(&self) -> f64 {
        self.sum_ns as f64 / self.n.max(1) as f64 * 1e-6
    }

    /// All together \[s\].
    pub fn sum_s(&self) -> f64 {
        self.sum_ns as f64 * 1e-9
    }

    /// The time that a share of all steps stay below \[ms\].
    pub fn percentile_ms(&self, share: f64) -> f64 {
        let wanted = (self.n as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                return (upper(bucket).min(self.max_ns)) as f64 * 1e-6;
            }
        }
        0.0
    }

    /// `{mean, p50, p99, max}` in milliseconds; null where nothing was measured.
    pub fn json(&self) -> Value {
        if self.n == 0 {
            return Value::Null;
        }
        json!({
            "mean": self.mean_ms(),
            "p50": self.percentile_ms(0.5),
            "p99": self.percentile_ms(0.99),
            "max": self.max_ns as f64 * 1e-6,
        })
    }
}

fn bucket(ns: u64) -> usize {
    if ns < SHARP {
        return ns as usize;
    }
    let exponent = u64::from(63 - ns.leading_zeros()) - 5;
    (SHARP * (exponent + 1) + (ns >> exponent) - SHARP) as usize
}

/// The largest time of a bucket \[ns\].
fn upper(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < SHARP {
        return bucket;
    }
    let (exponent, part) = (bucket / SHARP - 1, bucket % SHARP);
    ((SHARP + part + 1) << exponent) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_every_time_once() {
        let mut last = None;
        for ns in (0..100_000u64).chain([1 << 40, (1 << 40) + 1, u64::MAX >> 2]) {
            let b = bucket(ns);
            assert!(upper(b) >= ns, "{ns}");
            assert!(b == 0 || upper(b - 1) < ns, "{ns}");
            assert!(last.is_none_or(|l| b >= l));
            last = Some(b);
        }
    }

    #[test]
    fn percentiles_are_near_the_sorted_ones() {
        let mut times = Times::default();
        (1..=1000u64).for_each(|i| times.push(i * 1000));
        assert!((times.percentile_ms(0.5) - 0.5).abs() < 0.02);
        assert!((times.percentile_ms(0.99) - 0.99).abs() < 0.04);
        assert!((times.mean_ms() - 0.5005).abs() < 1e-9);
    }
}
