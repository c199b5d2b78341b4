//! Typed indices: a vertex number can never be used where a body number is meant.

use serde::{Deserialize, Serialize};

macro_rules! typed_index {
    ($(#[$doc:meta] $name:ident),* $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the array it numbers.
            #[inline]
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Arrays of the engine hold fewer than 2³² items; scenes are checked for it when they are baked.
            #[inline]
            fn from(i: usize) -> Self {
                Self(i as u32)
            }
        }
    )*};
}

typed_index! {
    /// A point mass, numbered over all bodies.
    VertexId,
    /// A body of the scene, tools included.
    BodyId,
    /// A rigid frame: a rigid or fixed shape, or a tool.
    RigidId,
    /// A tool, in the order of the scene file.
    ToolId,
    /// A collision primitive, numbered over all bodies.
    PrimId,
}
