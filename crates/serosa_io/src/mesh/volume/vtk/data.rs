//! Types of numbers in VTK files, by the names of both formats.

use crate::mesh::volume::cursor::Order;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Packed by eight.
    Bit,
    /// So many bytes, without sign.
    Unsigned(usize),
    /// So many bytes, with sign.
    Signed(usize),
    /// 4 bytes.
    Float,
    /// 8 bytes.
    Double,
}

impl Kind {
    /// Of a legacy file.
    pub fn legacy(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "bit" => Self::Bit,
            "unsigned_char" | "vtktypeuint8" => Self::Unsigned(1),
            "char" | "signed_char" | "vtktypeint8" => Self::Signed(1),
            "unsigned_short" | "vtktypeuint16" => Self::Unsigned(2),
            "short" | "vtktypeint16" => Self::Signed(2),
            "unsigned_int" | "vtktypeuint32" => Self::Unsigned(4),
            // VTK writes its own type of indices as int.
            "int" | "vtkidtype" | "vtktypeint32" => Self::Signed(4),
            "unsigned_long" | "unsigned_long_long" | "vtktypeuint64" => Self::Unsigned(8),
            "long" | "long_long" | "vtktypeint64" => Self::Signed(8),
            "float" => Self::Float,
            "double" => Self::Double,
            _ => return None,
        })
    }

    /// Of an XML file.
    pub fn xml(name: &str) -> Option<Self> {
        Some(match name {
            "Int8" => Self::Signed(1),
            "UInt8" => Self::Unsigned(1),
            "Int16" => Self::Signed(2),
            "UInt16" => Self::Unsigned(2),
            "Int32" => Self::Signed(4),
            "UInt32" => Self::Unsigned(4),
            "Int64" => Self::Signed(8),
            "UInt64" => Self::Unsigned(8),
            "Float32" => Self::Float,
            "Float64" => Self::Double,
            _ => return None,
        })
    }

    /// Bytes that so many take.
    pub fn bytes(self, count: usize) -> usize {
        match self {
            Self::Bit => count.div_ceil(8),
            Self::Unsigned(size) | Self::Signed(size) => count.saturating_mul(size),
            Self::Float => count.saturating_mul(4),
            Self::Double => count.saturating_mul(8),
        }
    }

    /// So many numbers out of as many bytes as they take. Whole numbers above 2⁵³ lose their last digits, which
    /// no index has.
    pub fn read(self, bytes: &[u8], count: usize, order: Order) -> Vec<f64> {
        if self == Self::Bit {
            return (0..count).map(|i| f64::from(bytes[i / 8] >> (7 - i % 8) & 1)).collect();
        }
        let number = |raw: &[u8]| match self {
            Self::Float => f64::from(f32::from_bits(order.u32(raw))),
            Self::Double => f64::from_bits(order.u64(raw)),
            Self::Signed(size) => {
                let shift = 64 - 8 * size;
                ((order.u64(raw) << shift).cast_signed() >> shift) as f64
            }
            Self::Unsigned(_) | Self::Bit => order.u64(raw) as f64,
        };
        bytes.chunks_exact(self.bytes(1)).take(count).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_in_both_orders() {
        let both = |kind: Kind, big: &[u8], wanted: f64| {
            let little: Vec<u8> = big.iter().rev().copied().collect();
            assert_eq!(kind.read(big, 1, Order::Big), [wanted]);
            assert_eq!(kind.read(&little, 1, Order::Little), [wanted]);
        };
        both(Kind::Signed(1), &(-3_i8).to_be_bytes(), -3.0);
        both(Kind::Signed(2), &(-300_i16).to_be_bytes(), -300.0);
        both(Kind::Signed(4), &(-70_000_i32).to_be_bytes(), -70_000.0);
        both(Kind::Signed(8), &(-1_i64).to_be_bytes(), -1.0);
        both(Kind::Unsigned(2), &65_535_u16.to_be_bytes(), 65_535.0);
        both(Kind::Unsigned(8), &5_u64.to_be_bytes(), 5.0);
        both(Kind::Float, &1.5_f32.to_be_bytes(), 1.5);
        both(Kind::Double, &0.1_f64.to_be_bytes(), 0.1);
        assert_eq!(Kind::Bit.read(&[0b1010_0000], 4, Order::Big), [1.0, 0.0, 1.0, 0.0]);
    }
}
