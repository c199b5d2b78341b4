//! Linear algebra of the step: our own, with one fixed order of operations, so that results have the same bits
//! everywhere.

/// Calls a kernel compiled for the widest vector units that this machine has.
///
/// The kernel is one `#[inline(always)]` function, compiled twice. Wider units do more of the same operations at a
/// time, each lane in the order of the source; nothing is fused or reordered, so the bits do not depend on it.
macro_rules! widest {
    ($kernel:ident($($arg:ident),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has the units for which the kernel is compiled.
            #[allow(unsafe_code)]
            return unsafe { wide::$kernel($($arg),*) };
        }
        $kernel($($arg),*)
    }};
}
pub(crate) use widest;

pub mod band;
pub mod blocks;
pub mod capacitance;
pub mod dense;
pub mod elimination;
pub mod fit;
pub mod qp;
pub mod small;
pub mod sparse;
pub mod tiles;

pub use band::BandMatrix;
pub use blocks::BlockMatrix;
pub use capacitance::Capacitance;
pub use dense::Dense;
pub use elimination::Elimination;
pub use fit::{best_rotation, principal};
pub use small::Six;
pub use sparse::Factor;
