//! Nodes, and the entities that newer files sort them by.

use super::{Reader, Version};
use crate::mesh::ImportError;
use crate::mesh::volume::cursor::Coding;
use serosa_geometry::Vec3;

const WHAT: &str = "$Nodes";

impl Reader<'_> {
    /// Bytes that a number takes at least.
    pub(super) fn least(&self, binary: usize) -> usize {
        if self.cursor.coding == Coding::Text { 2 } else { binary }
    }

    /// A count of newer files: 8 bytes where they are binary.
    pub(super) fn size(&mut self, least: usize, what: &str) -> Result<usize, ImportError> {
        let at = self.cursor.here();
        let count = self.cursor.long(what)?;
        self.cursor.room(at, count, least, what)
    }

    /// A count that stands for itself, as text, before binary numbers.
    pub(super) fn plain_count(&mut self, least: usize, what: &str) -> Result<usize, ImportError> {
        let count = self.cursor.count(least, what)?;
        if self.cursor.coding != Coding::Text {
            self.cursor.line();
        }
        Ok(count)
    }

    pub(super) fn nodes(&mut self) -> Result<(), ImportError> {
        match self.version {
            Version::One | Version::Two => {
                let least = self.least(4) + 3 * self.least(8);
                for _ in 0..self.plain_count(least, "nodes")? {
                    let at = self.cursor.here();
                    let id = self.cursor.int(WHAT)?;
                    let point = self.point(0)?;
                    self.node(at, id, point)?;
                }
                Ok(())
            }
            Version::Four => self.blocks_of_nodes(false),
            Version::FourOne => self.blocks_of_nodes(true),
        }
    }

    fn blocks_of_nodes(&mut self, newest: bool) -> Result<(), ImportError> {
        let blocks = self.size(self.least(5) * 4, "blocks of nodes")?;
        let least = if newest { self.least(8) * 4 } else { self.least(4) + 3 * self.least(8) };
        let at = self.cursor.here();
        let announced = self.size(least, "nodes")?;
        let before = self.points.len();
        if newest {
            self.cursor.long(WHAT)?;
            self.cursor.long(WHAT)?;
        }
        for _ in 0..blocks {
            let (first, second) = (self.cursor.int(WHAT)?, self.cursor.int(WHAT)?);
            let dim = if newest { first } else { second };
            let parametric = self.cursor.int(WHAT)? != 0;
            let more = if parametric { dim.clamp(0, 3) as usize } else { 0 };
            let count = self.size(least, "nodes")?;
            if newest {
                let at = self.cursor.here();
                let ids: Vec<i64> =
                    (0..count).map(|_| self.cursor.long(WHAT)).collect::<Result<_, ImportError>>()?;
                for id in ids {
                    let point = self.point(more)?;
                    self.node(at, id, point)?;
                }
            } else {
                for _ in 0..count {
                    let at = self.cursor.here();
                    let id = self.cursor.int(WHAT)?;
                    let point = self.point(more)?;
                    self.node(at, id, point)?;
                }
            }
        }
        self.agree(at, announced, self.points.len() - before, "nodes")
    }

    /// Blocks have to hold as many as was said before them.
    pub(super) fn agree(
        &self,
        at: usize,
        announced: usize,
        there: usize,
        what: &str,
    ) -> Result<(), ImportError> {
        if announced == there {
            return Ok(());
        }
        let message = format!("{announced} {what} are announced, but their blocks hold {there}");
        Err(self.cursor.fault_at(at, message))
    }

    /// A place, and how many parameters after it are passed over.
    fn point(&mut self, more: usize) -> Result<Vec3, ImportError> {
        let c = &mut self.cursor;
        let point = Vec3::new(c.real(WHAT)?, c.real(WHAT)?, c.real(WHAT)?);
        (0..more).try_for_each(|_| c.real(WHAT).map(drop))?;
        Ok(point)
    }

    fn node(&mut self, at: usize, id: i64, point: Vec3) -> Result<(), ImportError> {
        let number = u32::try_from(self.points.len());
        let number = number.map_err(|_| self.cursor.fault_at(at, "there are too many nodes"))?;
        if self.ids.insert(id, number).is_some() {
            return Err(self.cursor.fault_at(at, format!("node {id} is given twice")));
        }
        self.points.push(point);
        Ok(())
    }

    /// `$Entities`: only the physical groups of each are taken.
    pub(super) fn entities(&mut self) -> Result<(), ImportError> {
        let what = "$Entities";
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = self.size(self.least(4) * 5, "entities")?;
        }
        for (dim, count) in counts.into_iter().enumerate() {
            let places = if dim == 0 && self.version == Version::FourOne { 3 } else { 6 };
            for _ in 0..count {
                let tag = self.cursor.int(what)?;
                for _ in 0..places {
                    self.cursor.real(what)?;
                }
                let groups = self.size(self.least(4), "physical groups")?;
                let groups = (0..groups).map(|_| self.cursor.int(what));
                let groups: Vec<i64> = groups.collect::<Result<_, ImportError>>()?;
                if dim > 0 {
                    for _ in 0..self.size(self.least(4), "bounding entities")? {
                        self.cursor.int(what)?;
                    }
                }
                if !groups.is_empty() {
                    self.entities.insert((dim as u8, tag), groups);
                }
            }
        }
        Ok(())
    }
}
