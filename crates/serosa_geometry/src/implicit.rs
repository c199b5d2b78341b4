//! A small language of blended shapes: a list of parts, each joined to what stands before it, cut out of it or kept of
//! it, with a blend radius; the whole may be bent, tapered and made uneven.
//!
//! The value at a point is like a signed distance \[m\]: negative inside, zero on the surface, growing by about one metre
//! a metre near it. It is exact for balls, capsules, half-spaces and tori that stand alone; everywhere else it has the
//! right sign and zero set of the shape described, which is all that [`crate::isosurface`] needs.

mod part;
mod tube;
mod warp;

pub use part::{Operator, Part, Shape, blend};
pub use tube::Tube;
pub use warp::{Bend, Bumps, Taper};

use crate::generate::{Impossible, impossible};
use crate::{Aabb, Real, Vec3};

/// The most parts of a recipe: far more than an organ needs, few enough that a hostile one ends.
pub const PARTS_MAX: usize = 256;

/// A solid made of parts, in the order in which they are put together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Implicit {
    /// At least one; the first is taken as it is.
    pub parts: Vec<Part>,
    /// Narrowed or widened along an axis, before it is bent.
    pub taper: Option<Taper>,
    /// Bent about an axis.
    pub bend: Option<Bend>,
    /// Unevenness of the surface.
    pub bumps: Option<Bumps>,
}

impl Implicit {
    /// The value at a point: negative inside. O(parts), and O(log stations) for a tube, but where it is
    /// as near everywhere.
    pub fn value(&self, p: Vec3) -> Real {
        let (mut q, mut scale) = (p, 1.0);
        if let Some(bend) = &self.bend {
            q = bend.straighten(q);
        }
        if let Some(taper) = &self.taper {
            (q, scale) = taper.even_out(q);
        }
        let mut parts = self.parts.iter();
        let first = parts.next().map_or(Real::INFINITY, |part| part.shape.value(q));
        let value = scale * parts.fold(first, |value, part| part.onto(value, q));
        match &self.bumps {
            Some(bumps) => value - bumps.height_at(p),
            None => value,
        }
    }

    /// A box around the solid, a little larger than it; from the parts that add to it.
    ///
    /// # Errors
    /// As [`Implicit::check`].
    pub fn bounds(&self) -> Result<Aabb, Impossible> {
        self.check()?;
        let adds = |(i, part): &(usize, &Part)| *i == 0 || part.operator == Operator::Join;
        let added = self.parts.iter().enumerate().filter(adds);
        let mut all = added.fold(Aabb::EMPTY, |all, (i, part)| {
            let by = if i == 0 { 0.0 } else { part.blend };
            all.join(part.shape.bounds().grown(by))
        });
        // What is blended on swells what stands before it too, by a sixth of the radius at most.
        let swollen = self.parts.iter().map(|part| part.blend).fold(0.0, Real::max);
        all = all.grown(swollen);
        if let Some(taper) = &self.taper {
            all = taper.bounds(all);
        }
        if let Some(bend) = &self.bend {
            all = bend.bounds(all);
        }
        let rough = self.bumps.as_ref().map_or(0.0, |b| b.height);
        Ok(all.grown(rough))
    }

    /// Whether the recipe can be followed.
    ///
    /// # Errors
    /// No part, too many, a number that is not finite, a size that is not positive, or a shape without bounds.
    pub fn check(&self) -> Result<(), Impossible> {
        if self.parts.is_empty() {
            return impossible("the recipe has no parts", "begin with a shape such as a ball");
        }
        if self.parts.len() > PARTS_MAX {
            let message = format!("the recipe has {} parts", self.parts.len());
            return impossible(message, format!("use at most {PARTS_MAX}"));
        }
        for (i, part) in self.parts.iter().enumerate() {
            part.check(i)?;
        }
        self.taper.as_ref().map_or(Ok(()), Taper::check)?;
        self.bend.as_ref().map_or(Ok(()), Bend::check)?;
        self.bumps.as_ref().map_or(Ok(()), Bumps::check)
    }
}

#[cfg(test)]
mod tests;
