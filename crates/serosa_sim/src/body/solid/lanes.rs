//! Four numbers at a time: as an array, or as a vector of AVX2. Each operation is the same on every lane and nothing is
//! fused, so both have the same bits. (Left to itself the compiler makes good vectors of the arrays, or none, as small
//! changes of the code around them have it.)

use crate::Real;
use crate::model::{LANES, SECTION};

/// One number of each vertex of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lane(pub [Real; LANES]);

/// A position, padded so that it never crosses a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Spot(pub [Real; 4]);

/// Positions of a part and of what is around it.
pub(super) type Section = [Spot; SECTION];

/// What the kernel does with lanes.
pub(super) trait Wide: Copy {
    fn of(lane: &Lane) -> Self;
    fn lane(self) -> Lane;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn root(self) -> Self;
    /// Without its sign.
    fn size(self) -> Self;
    /// `yes` where it is more than the other, else `no`, also where one of them is not a number.
    fn choose_above(self, other: Self, yes: Self, no: Self) -> Self;
    /// The coordinates of four positions.
    fn across(spots: [&Spot; LANES]) -> [Self; 3];
    /// Four positions of those coordinates.
    fn spots(xyz: [Self; 3]) -> [Spot; LANES];

    /// The coordinates of four positions of a section.
    #[inline(always)]
    fn gather(section: &Section, places: [usize; LANES]) -> [Self; 3] {
        Self::across(places.map(|place| &section[place % SECTION]))
    }

    /// The same on all lanes.
    #[inline(always)]
    fn all(number: Real) -> Self {
        Self::of(&Lane([number; LANES]))
    }
}

/// Calls a kernel of [`Wide`] numbers, compiled for the widest units that this machine has: for AVX-512 and AVX2 in a
/// module `wide` beside it. Lanes keep the order of the source, so the bits do not depend on it.
macro_rules! in_lanes {
    ($here:ident, $wide_512:ident, $wide_256:ident, ($($arg:ident),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512vl") {
                // SAFETY: the machine has the units for which the kernel is compiled.
                #[allow(unsafe_code)]
                return unsafe { wide::$wide_512($($arg),*) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has the units for which the kernel is compiled.
                #[allow(unsafe_code)]
                return unsafe { wide::$wide_256($($arg),*) };
            }
        }
        $here::<Lane>($($arg),*)
    }};
}
pub(super) use in_lanes;

/// a b − c d.
#[inline(always)]
pub(super) fn minor<V: Wide>(a: V, b: V, c: V, d: V) -> V {
    a.times(b).minus(c.times(d))
}

#[inline(always)]
pub(super) fn dot<V: Wide>(a: [V; 3], b: [V; 3]) -> V {
    a[0].times(b[0]).plus(a[1].times(b[1])).plus(a[2].times(b[2]))
}

#[inline(always)]
pub(super) fn apart<V: Wide>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0].minus(b[0]), a[1].minus(b[1]), a[2].minus(b[2])]
}

impl Wide for Lane {
    #[inline(always)]
    fn of(lane: &Lane) -> Self {
        *lane
    }

    #[inline(always)]
    fn lane(self) -> Lane {
        self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] * other.0[k]))
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] / other.0[k]))
    }

    #[inline(always)]
    fn root(self) -> Self {
        Self(self.0.map(Real::sqrt))
    }

    #[inline(always)]
    fn size(self) -> Self {
        Self(self.0.map(Real::abs))
    }

    #[inline(always)]
    fn choose_above(self, other: Self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|k| if self.0[k] > other.0[k] { yes.0[k] } else { no.0[k] }))
    }

    #[inline(always)]
    fn across(spots: [&Spot; LANES]) -> [Self; 3] {
        let one = |c: usize| Self(std::array::from_fn(|k| spots[k].0[c]));
        [one(0), one(1), one(2)]
    }

    #[inline(always)]
    fn spots([x, y, z]: [Self; 3]) -> [Spot; LANES] {
        std::array::from_fn(|k| Spot([x.0[k], y.0[k], z.0[k], 0.0]))
    }
}

/// Vectors of AVX2, for kernels that run where the machine has it.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    use super::{LANES, Lane, Spot, Wide};
    use core::arch::x86_64::*;

    // SAFETY, of all below: only kernels compiled for AVX2 use these, and they are called after the machine was asked.
    // Loads are from references to whole, aligned lanes and positions.
    impl Wide for __m256d {
        #[inline(always)]
        fn of(lane: &Lane) -> Self {
            unsafe { _mm256_load_pd(lane.0.as_ptr()) }
        }

        #[inline(always)]
        fn lane(self) -> Lane {
            let mut lane = Lane::default();
            unsafe { _mm256_store_pd(lane.0.as_mut_ptr(), self) };
            lane
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            unsafe { _mm256_add_pd(self, other) }
        }

        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            unsafe { _mm256_sub_pd(self, other) }
        }

        #[inline(always)]
        fn times(self, other: Self) -> Self {
            unsafe { _mm256_mul_pd(self, other) }
        }

        #[inline(always)]
        fn over(self, other: Self) -> Self {
            unsafe { _mm256_div_pd(self, other) }
        }

        #[inline(always)]
        fn root(self) -> Self {
            unsafe { _mm256_sqrt_pd(self) }
        }

        #[inline(always)]
        fn size(self) -> Self {
            unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self) }
        }

        #[inline(always)]
        fn choose_above(self, other: Self, yes: Self, no: Self) -> Self {
            unsafe { _mm256_blendv_pd(no, yes, _mm256_cmp_pd::<_CMP_GT_OQ>(self, other)) }
        }

        #[inline(always)]
        fn spots([x, y, z]: [Self; 3]) -> [Spot; LANES] {
            let mut spots = [Spot::default(); LANES];
            unsafe {
                let none = _mm256_setzero_pd();
                // Lanes 0 and 2, and 1 and 3.
                let (xy, xy_odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
                let (z, z_odd) = (_mm256_unpacklo_pd(z, none), _mm256_unpackhi_pd(z, none));
                _mm256_store_pd(spots[0].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(xy, z));
                _mm256_store_pd(spots[1].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(xy_odd, z_odd));
                _mm256_store_pd(spots[2].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(xy, z));
                _mm256_store_pd(spots[3].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(xy_odd, z_odd));
            }
            spots
        }

        #[inline(always)]
        fn across(spots: [&Spot; LANES]) -> [Self; 3] {
            let [a, b, c, d] = spots.map(|spot| spot.0.as_ptr());
            // Halves of two positions side by side, then every other number of two such.
            let pair = |p: *const f64, q: *const f64| unsafe {
                _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_load_pd(p)), _mm_load_pd(q))
            };
            unsafe {
                let (ac, bd) = (pair(a, c), pair(b, d));
                let (ac_z, bd_z) = (pair(a.add(2), c.add(2)), pair(b.add(2), d.add(2)));
                [_mm256_unpacklo_pd(ac, bd), _mm256_unpackhi_pd(ac, bd), _mm256_unpacklo_pd(ac_z, bd_z)]
            }
        }
    }
}
