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
    /// The coordinates of four positions.
    fn gather(section: &Section, places: [usize; LANES]) -> [Self; 3];
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
    fn gather(section: &Section, places: [usize; LANES]) -> [Self; 3] {
        let one = |c: usize| Self(std::array::from_fn(|k| section[places[k] % SECTION].0[c]));
        [one(0), one(1), one(2)]
    }
}

/// Vectors of AVX2, for kernels that run where the machine has it.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    use super::{LANES, Lane, SECTION, Section, Wide};
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
        fn gather(section: &Section, places: [usize; LANES]) -> [Self; 3] {
            let at = |k: usize| section[places[k] % SECTION].0.as_ptr();
            let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
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
