//! Elements: what each type is, and the layouts of the versions.

use super::{Element, Reader, Version};
use crate::mesh::ImportError;
use crate::mesh::volume::cursor::Coding;
use crate::mesh::volume::draft::Shape;

const WHAT: &str = "$Elements";

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub shape: Shape,
    pub dim: u8,
    pub nodes: usize,
    pub corners: usize,
}

/// The types of the Gmsh manual, section "Low order elements" and "High-order elements": corners come first.
fn kind(number: i64) -> Option<Kind> {
    let (shape, nodes) = match number {
        15 => (Shape::Dot, 1),
        1 => (Shape::Line, 2),
        8 => (Shape::Line, 3),
        26..=28 => (Shape::Line, number as usize - 22),
        2 => (Shape::Triangle, 3),
        9 => (Shape::Triangle, 6),
        20 => (Shape::Triangle, 9),
        21 => (Shape::Triangle, 10),
        22 => (Shape::Triangle, 12),
        23 | 24 => (Shape::Triangle, 15),
        25 => (Shape::Triangle, 21),
        3 => (Shape::Polygon, 4),
        10 => (Shape::Polygon, 9),
        16 => (Shape::Polygon, 8),
        36 => (Shape::Polygon, 16),
        37 => (Shape::Polygon, 25),
        38 => (Shape::Polygon, 36),
        4 => (Shape::Tet, 4),
        11 => (Shape::Tet, 10),
        29 => (Shape::Tet, 20),
        30 => (Shape::Tet, 35),
        31 => (Shape::Tet, 56),
        5 => (Shape::Hex, 8),
        12 => (Shape::Hex, 27),
        17 => (Shape::Hex, 20),
        92 => (Shape::Hex, 64),
        93 => (Shape::Hex, 125),
        6 => (Shape::Prism, 6),
        13 => (Shape::Prism, 18),
        18 => (Shape::Prism, 15),
        7 => (Shape::Pyramid, 5),
        14 => (Shape::Pyramid, 14),
        19 => (Shape::Pyramid, 13),
        _ => return None,
    };
    let (dim, corners) = match shape {
        Shape::Dot => (0, 1),
        Shape::Line => (1, 2),
        Shape::Triangle => (2, 3),
        Shape::Polygon => (2, 4),
        Shape::Tet => (3, 4),
        Shape::Pyramid => (3, 5),
        Shape::Prism => (3, 6),
        _ => (3, 8),
    };
    Some(Kind { shape, dim, nodes, corners })
}

impl Reader<'_> {
    pub(super) fn elements(&mut self) -> Result<(), ImportError> {
        match (self.version, self.cursor.coding) {
            (Version::One, _) => self.elements_of_1(),
            (Version::Two, Coding::Text) => self.elements_of_2(),
            (Version::Two, Coding::Binary(_)) => self.binary_elements_of_2(),
            (Version::Four, _) => self.blocks_of_elements(false),
            (Version::FourOne, _) => self.blocks_of_elements(true),
        }
    }

    fn kind(&mut self) -> Result<Kind, ImportError> {
        let at = self.cursor.here();
        let number = self.cursor.int(WHAT)?;
        kind(number)
            .ok_or_else(|| self.cursor.fault_at(at, format!("elements of type {number} are not known")))
    }

    /// The nodes of an element and its place; `long` where a binary file has 8 bytes for each.
    fn element(&mut self, kind: Kind, tags: [i64; 2], long: bool) -> Result<(), ImportError> {
        let first = self.corners.len();
        for i in 0..kind.nodes {
            let at = self.cursor.here();
            let id = if long { self.cursor.long(WHAT)? } else { self.cursor.int(WHAT)? };
            let Some(point) = self.ids.get(&id) else {
                let message = format!("node {id} is used, but not given");
                return Err(self.cursor.fault_at(at, message));
            };
            if i < kind.corners {
                self.corners.push(*point);
            }
        }
        self.elements.push(Element { kind, first, physical: tags[0], entity: tags[1] });
        Ok(())
    }

    /// `number type physical entity count nodes…`
    fn elements_of_1(&mut self) -> Result<(), ImportError> {
        for _ in 0..self.cursor.count(12, "elements")? {
            self.cursor.int(WHAT)?;
            let kind = self.kind()?;
            let tags = [self.cursor.int(WHAT)?, self.cursor.int(WHAT)?];
            let at = self.cursor.here();
            let nodes = self.cursor.int(WHAT)?;
            if usize::try_from(nodes) != Ok(kind.nodes) {
                let message = format!("the element has {nodes} nodes, but its type has {}", kind.nodes);
                return Err(self.cursor.fault_at(at, message));
            }
            self.element(kind, tags, false)?;
        }
        Ok(())
    }

    /// `number type count tags… nodes…`
    fn elements_of_2(&mut self) -> Result<(), ImportError> {
        for _ in 0..self.cursor.count(8, "elements")? {
            self.cursor.int(WHAT)?;
            let kind = self.kind()?;
            let at = self.cursor.here();
            let tags = self.cursor.int(WHAT)?;
            let tags = self.cursor.room(at, tags, 2, "tags")?;
            let tags = self.tags(tags)?;
            self.element(kind, tags, false)?;
        }
        Ok(())
    }

    fn tags(&mut self, count: usize) -> Result<[i64; 2], ImportError> {
        let mut tags = [0; 2];
        for i in 0..count {
            let tag = self.cursor.int(WHAT)?;
            if let Some(slot) = tags.get_mut(i) {
                *slot = tag;
            }
        }
        Ok(tags)
    }

    /// Blocks of one type: `type count tags`, then `number tags… nodes…` for each.
    fn binary_elements_of_2(&mut self) -> Result<(), ImportError> {
        let mut left = self.plain_count(8, "elements")?;
        while left > 0 {
            let kind = self.kind()?;
            let at = self.cursor.here();
            let (count, tags) = (self.cursor.int(WHAT)?, self.cursor.int(WHAT)?);
            let tags = self.cursor.room(at, tags, 4, "tags")?;
            let count = self.cursor.room(at, count, 4 * (1 + tags + kind.nodes), "elements")?;
            if count == 0 || count > left {
                let message = format!("a block of {count} elements, where {left} are to come");
                return Err(self.cursor.fault_at(at, message));
            }
            left -= count;
            for _ in 0..count {
                self.cursor.int(WHAT)?;
                let tags = self.tags(tags)?;
                self.element(kind, tags, false)?;
            }
        }
        Ok(())
    }

    /// Blocks of one entity and type: `dimension entity type count` (before 4.1 `entity dimension …`), then
    /// `number nodes…` for each.
    fn blocks_of_elements(&mut self, newest: bool) -> Result<(), ImportError> {
        let blocks = self.size(self.least(5) * 4, "blocks of elements")?;
        let word = self.least(if newest { 8 } else { 4 });
        let start = self.cursor.here();
        let announced = self.size(word * 2, "elements")?;
        let before = self.elements.len();
        if newest {
            self.cursor.long(WHAT)?;
            self.cursor.long(WHAT)?;
        }
        for _ in 0..blocks {
            let at = self.cursor.here();
            let (first, second) = (self.cursor.int(WHAT)?, self.cursor.int(WHAT)?);
            let (dim, entity) = if newest { (first, second) } else { (second, first) };
            let kind = self.kind()?;
            if dim != i64::from(kind.dim) {
                let message =
                    format!("elements of dimension {} stand in a block of dimension {dim}", kind.dim);
                return Err(self.cursor.fault_at(at, message));
            }
            let count = self.size(word * (1 + kind.nodes), "elements")?;
            let groups = self.entities.get(&(kind.dim, entity));
            let physical = groups.and_then(|groups| groups.first()).copied().unwrap_or(0);
            for _ in 0..count {
                if newest {
                    self.cursor.long(WHAT)?
                } else {
                    self.cursor.int(WHAT)?
                };
                self.element(kind, [physical, entity], newest)?;
            }
        }
        self.agree(start, announced, self.elements.len() - before, "elements")
    }
}
