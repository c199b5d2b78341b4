//! Long arrays of single precision that models share.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// What numbers can be kept in.
trait Source: AsRef<[f32]> + Send + Sync + UnwindSafe + RefUnwindSafe {}

impl<T: AsRef<[f32]> + Send + Sync + UnwindSafe + RefUnwindSafe> Source for T {}

/// Numbers that never change, in memory of their own or in a file that is mapped into memory. A clone shares them.
#[derive(Clone)]
pub struct Floats(Arc<dyn Source>);

impl Floats {
    /// Those that something else holds, such as a mapped file. It must give the same ones each time.
    pub fn of(source: impl AsRef<[f32]> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static) -> Self {
        Self(Arc::new(source))
    }
}

impl From<Vec<f32>> for Floats {
    fn from(numbers: Vec<f32>) -> Self {
        Self::of(numbers)
    }
}

impl Default for Floats {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Deref for Floats {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for Floats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} numbers", self.len())
    }
}

/// As any sequence: where they are kept is of no account.
impl Serialize for Floats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Floats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}
