//! Data of points and cells in legacy files.

use super::data::Kind;
use super::grid::{Array, Role, region_role};
use super::legacy::Reader;
use crate::mesh::ImportError;
use crate::mesh::volume::cursor::{Coding, shown};

/// Whose data follow, and how many there are.
type Owner = Option<(bool, usize)>;

impl Reader<'_> {
    /// All data after POINT_DATA or CELL_DATA, to the end of the file; false, since nothing comes after them.
    pub(super) fn attributes(
        &mut self,
        at: usize,
        words: &[&str],
        points: bool,
    ) -> Result<bool, ImportError> {
        let mut owner = self.owner(at, words, points)?;
        loop {
            self.cursor.skip_space();
            let at = self.cursor.at();
            let Some(line) = self.cursor.line() else { return Ok(false) };
            let line = String::from_utf8_lossy(line);
            let words: Vec<&str> = line.split_whitespace().collect();
            let keyword = words.first().copied().unwrap_or_default().to_ascii_uppercase();
            let name = words.get(1).copied().unwrap_or_default();
            match keyword.as_str() {
                "POINT_DATA" => owner = self.owner(at, &words, true)?,
                "CELL_DATA" => owner = self.owner(at, &words, false)?,
                "METADATA" => self.metadata(),
                "FIELD" => self.field(at, &words, owner)?,
                "SCALARS" => self.scalars(at, &words, owner)?,
                "COLOR_SCALARS" => {
                    let width = self.count(at, &words, 2)?;
                    let role = if self.text() { Role::Colors } else { Role::ByteColors };
                    let role = (width == 3 || width == 4).then_some(role);
                    self.array(at, name, Kind::Unsigned(1), width, owner, role)?;
                }
                "LOOKUP_TABLE" => {
                    let count = self.count(at, &words, 2)?.saturating_mul(4);
                    self.numbers(at, Kind::Unsigned(1), count, "LOOKUP_TABLE")?;
                }
                "NORMALS" => {
                    let kind = self.kind(at, &words, 2)?;
                    self.array(at, name, kind, 3, owner, Some(Role::Normals))?;
                }
                "TEXTURE_COORDINATES" => {
                    let (width, kind) = (self.count(at, &words, 2)?, self.kind(at, &words, 3)?);
                    let role = (width > 0).then_some(Role::Texture);
                    self.array(at, name, kind, width, owner, role)?;
                }
                "VECTORS" | "TENSORS" | "TENSORS6" | "GLOBAL_IDS" | "PEDIGREE_IDS" | "EDGE_FLAGS" => {
                    let kind = self.kind(at, &words, 2)?;
                    let width = match keyword.as_str() {
                        "VECTORS" => 3,
                        "TENSORS" => 9,
                        "TENSORS6" => 6,
                        _ => 1,
                    };
                    self.array(at, name, kind, width, owner, None)?;
                }
                _ => {
                    let message = format!(
                        "\"{}\" stands where data of points or cells belong: do the data before hold as many \
                         numbers as they say?",
                        shown(words.first().copied().unwrap_or_default().as_bytes())
                    );
                    return Err(self.cursor.fault_at(at, message));
                }
            }
        }
    }

    fn text(&self) -> bool {
        self.cursor.coding == Coding::Text
    }

    fn owner(&self, at: usize, words: &[&str], points: bool) -> Result<Owner, ImportError> {
        let count = self.count(at, words, 1)?;
        let there = if points { self.grid.points.len() } else { self.grid.cells() };
        if count != there {
            let what = if points { "points" } else { "cells" };
            let message = format!("data of {count} {what} are announced, but there are {there}");
            return Err(self.cursor.fault_at(at, message));
        }
        Ok(Some((points, count)))
    }

    /// `SCALARS name type [width]`, and the name of a table of colours on a line of its own.
    fn scalars(&mut self, at: usize, words: &[&str], owner: Owner) -> Result<(), ImportError> {
        let kind = self.kind(at, words, 2)?;
        let width = if words.len() > 3 { self.count(at, words, 3)? } else { 1 };
        if self.cursor.rest().trim_ascii_start().starts_with(b"LOOKUP_TABLE") {
            self.cursor.skip_space();
            self.cursor.line();
        }
        let name = words.get(1).copied().unwrap_or_default();
        let colors = kind == Kind::Unsigned(1) && (width == 3 || width == 4);
        let role = if colors { Some(Role::ByteColors) } else { region_role(name, width) };
        self.array(at, name, kind, width, owner, role)
    }

    /// `FIELD name count`, then `name width rows type` and numbers for each.
    pub(super) fn field(&mut self, at: usize, words: &[&str], owner: Owner) -> Result<(), ImportError> {
        let count = self.count(at, words, 2)?;
        for _ in 0..count {
            while self.cursor.peek() == b"METADATA" {
                self.metadata_here();
            }
            self.cursor.skip_space();
            let at = self.cursor.at();
            let Some(line) = self.cursor.line() else {
                return Err(self.cursor.fault("the file ends in the middle of FIELD"));
            };
            let line = String::from_utf8_lossy(line);
            let words: Vec<&str> = line.split_whitespace().collect();
            let (width, rows) = (self.count(at, &words, 1)?, self.count(at, &words, 2)?);
            let name = words.first().copied().unwrap_or_default();
            if words.get(3) == Some(&"string") {
                self.remarks.push(format!(
                    "Texts \"{}\" and all data after them were left out.",
                    shown(name.as_bytes())
                ));
                self.cursor.jump(usize::MAX);
                return Ok(());
            }
            let kind = self.kind(at, &words, 3)?;
            let role = owner
                .filter(|(_, count)| *count == rows)
                .and_then(|(points, _)| if points { None } else { region_role(name, width) });
            let owner = owner.map(|(points, _)| (points, rows)).or(Some((true, rows)));
            self.array(at, name, kind, width, owner, role)?;
        }
        Ok(())
    }

    fn metadata_here(&mut self) {
        self.cursor.skip_space();
        self.metadata();
    }

    /// Reads an array, and keeps it where it is good for something.
    fn array(
        &mut self,
        at: usize,
        name: &str,
        kind: Kind,
        width: usize,
        owner: Owner,
        role: Option<Role>,
    ) -> Result<(), ImportError> {
        let (points, rows) = owner.unwrap_or((true, 0));
        let values = self.numbers(at, kind, rows.saturating_mul(width), name)?;
        let of_points = !matches!(role, Some(Role::Regions(_)));
        match role {
            Some(role) if of_points == points => {
                self.grid.arrays.push(Array { name: shown(name.as_bytes()), role, width, values });
            }
            _ => {
                let whose = if points { "points" } else { "cells" };
                self.grid.left_out.push(format!("\"{}\" of {whose}", shown(name.as_bytes())));
            }
        }
        Ok(())
    }
}
