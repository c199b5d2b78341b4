//! Bytes and bits, read with every length checked.

/// What is wrong with some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

const SHORT: Malformed = Malformed("it ends too early");

/// Unary part of a Rice code from which the value follows in full.
const ESCAPE: u32 = 24;
/// Largest parameter of a Rice code; with the escape, a code stays within 57 bits and its number within 32.
pub const RICE_MAX: u32 = 24;

/// Small magnitudes to small numbers: 0, −1, 1, −2, 2, …
pub fn zigzag(v: i32) -> u32 {
    ((v << 1) ^ (v >> 31)) as u32
}

/// The inverse of [`zigzag`].
pub fn unzigzag(z: u32) -> i32 {
    (z >> 1) as i32 ^ -((z & 1) as i32)
}

/// Appends seven bits a byte, lowest first; the top bit says that more follow.
pub fn put_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// Bytes yet to be read.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// How many are left.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The next `n`.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (head, tail) = self.0.split_at_checked(n).ok_or(SHORT)?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, tail) = self.0.split_first_chunk().ok_or(SHORT)?;
        self.0 = tail;
        Ok(*head)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|b| b[0])
    }

    /// Two bytes, little-endian.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes, little-endian.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes, little-endian.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// What [`put_varint`] wrote.
    pub fn varint(&mut self) -> Result<u64, Malformed> {
        let mut v = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let part = u64::from(byte & 0x7f);
            if (part << shift) >> shift != part {
                break;
            }
            v |= part << shift;
            if byte < 0x80 {
                return Ok(v);
            }
        }
        Err(Malformed("a number is too large"))
    }

    /// A varint that fits 32 bits.
    pub fn varint32(&mut self) -> Result<u32, Malformed> {
        self.varint()?.try_into().map_err(|_| Malformed("a number is too large"))
    }

    /// A varint that says how many things follow, each of `size` bytes at least.
    pub fn count(&mut self, size: usize) -> Result<usize, Malformed> {
        let n = self.varint()?;
        usize::try_from(n).ok().filter(|n| *n <= self.len() / size).ok_or(SHORT)
    }
}

/// Bits being written, lowest first in each byte.
#[derive(Debug)]
pub struct BitSink<'a> {
    out: &'a mut Vec<u8>,
    held: u64,
    count: u32,
}

impl<'a> BitSink<'a> {
    /// Appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, held: 0, count: 0 }
    }

    /// The lowest `n` ≤ 32 bits of `v`; the others are 0.
    pub fn put(&mut self, v: u64, n: u32) {
        self.held |= v << self.count;
        self.count += n;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Elias's gamma code of `v` ≥ 1: short for small numbers.
    pub fn gamma(&mut self, v: u32) {
        let bits = v.max(1).ilog2();
        self.put(1 << bits, bits + 1);
        self.put(u64::from(v) & ((1 << bits) - 1), bits);
    }

    /// Rice code of `z` with parameter `k`: shortest for numbers around 2ᵏ.
    pub fn rice(&mut self, z: u32, k: u32) {
        let q = z >> k;
        if q < ESCAPE {
            self.put((1 << q) - 1, q + 1);
            self.put(u64::from(z) & ((1 << k) - 1), k);
        } else {
            self.put((1 << ESCAPE) - 1, ESCAPE);
            self.put(u64::from(z), 32);
        }
    }

    /// Fills the last byte with zeros.
    pub fn finish(mut self) {
        if self.count > 0 {
            let fill = 8 - self.count;
            self.put(0, fill);
        }
    }
}

/// Bits that [`BitSink::rice`] takes.
pub fn rice_bits(z: u32, k: u32) -> u64 {
    let q = z >> k;
    u64::from(if q < ESCAPE { q + 1 + k } else { ESCAPE + 32 })
}

/// Bits yet to be read.
#[derive(Clone, Debug)]
pub struct BitSource<'a> {
    bytes: &'a [u8],
    held: u64,
    count: u32,
}

impl<'a> BitSource<'a> {
    /// Reads what [`BitSink`] wrote.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, held: 0, count: 0 }
    }

    /// Holds 57 bits at least, or all that are left.
    fn fill(&mut self) {
        while self.count <= 56 {
            let Some((byte, rest)) = self.bytes.split_first() else { break };
            self.held |= u64::from(*byte) << self.count;
            self.bytes = rest;
            self.count += 8;
        }
    }

    fn skip(&mut self, n: u32) -> Result<(), Malformed> {
        if n > self.count {
            return Err(SHORT);
        }
        self.held >>= n;
        self.count -= n;
        Ok(())
    }

    /// The next `n` ≤ 32 bits.
    pub fn get(&mut self, n: u32) -> Result<u32, Malformed> {
        self.fill();
        let v = self.held & ((1 << n) - 1);
        self.skip(n)?;
        Ok(v as u32)
    }

    /// What [`BitSink::gamma`] wrote.
    pub fn gamma(&mut self) -> Result<u32, Malformed> {
        self.fill();
        let bits = self.held.trailing_zeros();
        if bits > 31 {
            return Err(if bits >= self.count { SHORT } else { Malformed("a number is too large") });
        }
        self.skip(bits + 1)?;
        Ok(self.get(bits)? | 1 << bits)
    }

    /// What [`BitSink::rice`] wrote, with the same `k` ≤ [`RICE_MAX`].
    pub fn rice(&mut self, k: u32) -> Result<u32, Malformed> {
        self.fill();
        let q = self.held.trailing_ones();
        if q >= ESCAPE {
            self.skip(ESCAPE)?;
            return self.get(32);
        }
        self.skip(q + 1)?;
        Ok(q << k | self.get(k)?)
    }

    /// Whether nothing is left but the filling of the last byte.
    pub fn is_done(&self) -> bool {
        self.bytes.is_empty() && self.count < 8 && self.held == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn varints_at_their_ends() {
        for v in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, v);
            let mut bytes = Bytes(&out);
            assert_eq!(bytes.varint(), Ok(v));
            assert_eq!(bytes.len(), 0);
            assert!(Bytes(&out[..out.len() - 1]).varint().is_err());
        }
        assert!(Bytes(&[0xff; 11]).varint().is_err());
        assert!(Bytes(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]).varint().is_err());
        assert!(Bytes(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint32().is_err());
        assert_eq!(Bytes(&[3, 0, 0, 0, 0, 0]).count(2), Err(SHORT));
        assert_eq!(Bytes(&[2, 0, 0, 0, 0, 0]).count(2), Ok(2));
    }

    #[test]
    fn signs_alternate() {
        assert_eq!([0, -1, 1, -2, i32::MAX, i32::MIN].map(zigzag), [0, 1, 2, 3, u32::MAX - 1, u32::MAX]);
    }

    proptest! {
        #[test]
        fn codes_come_back(
            items in prop::collection::vec((any::<u32>(), 0..=RICE_MAX, 0..32u32), 0..80)
        ) {
            let mut out = Vec::new();
            let mut sink = BitSink::new(&mut out);
            let mut bits = 0;
            for (v, k, shift) in &items {
                let v = v >> shift;
                sink.rice(v, *k);
                bits += rice_bits(v, *k);
                sink.gamma(v.max(1));
                bits += u64::from(2 * v.max(1).ilog2() + 1);
                sink.put(u64::from(v & 1), 1);
                bits += 1;
            }
            sink.finish();
            prop_assert_eq!(out.len() as u64, bits.div_ceil(8));
            let mut source = BitSource::new(&out);
            for (v, k, shift) in items {
                let v = v >> shift;
                prop_assert_eq!(source.rice(k), Ok(v));
                prop_assert_eq!(source.gamma(), Ok(v.max(1)));
                prop_assert_eq!(source.get(1), Ok(v & 1));
                prop_assert_eq!(unzigzag(zigzag(v as i32)), v as i32);
            }
            prop_assert!(source.is_done());
        }

        #[test]
        fn any_bits_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64), k in 0..=RICE_MAX) {
            let mut source = BitSource::new(&bytes);
            while source.rice(k).is_ok() && source.gamma().is_ok() {}
            let mut source = BitSource::new(&bytes);
            while source.get(32).is_ok() {}
        }
    }
}
