//! Groups that choose or multiply what they hold, and files that a file names.

use super::lex::short;
use super::matrix::Matrix;
use super::table::Kind;
use super::tree::{Era, Held};
use super::walk::{At, State, VISIT, Walker, matrices};
use super::{Fault, fault};
use serosa_geometry::Vec3;

/// Fields that hold the children of one group or another.
const CHILDREN: [&str; 6] = ["children", "choice", "level", "skeleton", "skin", "shape"];

/// Places at which a file is looked for, at most.
const MAX_URLS: usize = 20;

/// Files inside files, at most.
const MAX_FILES_DEEP: usize = 16;

impl Walker<'_> {
    fn members(&self, at: At) -> Vec<At> {
        let mut members: Vec<At> = CHILDREN.iter().flat_map(|field| self.nodes(at, field)).collect();
        self.charge(self.node(at).children.len());
        members.extend(self.node(at).children.iter().map(|&node| At { node, frame: at.frame }));
        members
    }

    /// Visits every child in turn.
    pub(super) fn children(&mut self, at: At, state: &mut State) -> Result<(), Fault> {
        for child in self.members(at) {
            self.visit(child, state)?;
        }
        Ok(())
    }

    /// Groups with a will of their own.
    pub(super) fn group(&mut self, at: At, kind: Kind, state: &mut State) -> Result<(), Fault> {
        match kind {
            Kind::Switch => self.switch(at, state),
            Kind::Lod => match self.members(at).first() {
                // The first level is the finest; its state stays inside, as under a Separator.
                Some(&first) => self.visit(first, &mut state.clone()),
                None => Ok(()),
            },
            Kind::Array => self.array(at, state),
            Kind::MultipleCopy => {
                let copies: Vec<Matrix> = matrices(self.numbers(at, "matrix")).collect();
                for (number, matrix) in copies.iter().enumerate() {
                    self.copy(at, matrix, number, state)?;
                }
                Ok(())
            }
            _ => self.inline(at, state),
        }
    }

    fn switch(&mut self, at: At, state: &mut State) -> Result<(), Fault> {
        let members = self.members(at);
        let old = self.node(at).era == Era::Old;
        let field = if self.numbers(at, "whichChoice").is_empty() { "whichChild" } else { "whichChoice" };
        let choice = self.number(at, field, -1.0) as i64;
        let choice = if choice == -2 && old { state.choice } else { choice };
        let outer = std::mem::replace(&mut state.choice, choice);
        let chosen = match choice {
            -3 if old => &members[..],
            _ => match usize::try_from(choice).ok().and_then(|i| members.get(i..=i)) {
                Some(one) => one,
                None => &[],
            },
        };
        for &child in chosen {
            self.visit(child, state)?;
        }
        state.choice = outer;
        Ok(())
    }

    /// One copy of all children, moved, in a state of its own.
    fn copy(&mut self, at: At, matrix: &Matrix, number: usize, state: &State) -> Result<(), Fault> {
        self.spend(at, VISIT)?;
        let mut inner = state.clone();
        inner.matrix = matrix.then(&inner.matrix);
        inner.choice = number as i64;
        self.children(at, &mut inner)
    }

    fn array(&mut self, at: At, state: &State) -> Result<(), Fault> {
        let counts =
            ["numElements1", "numElements2", "numElements3"].map(|f| self.number(at, f, 1.0).max(0.0) as u64);
        let usual = [Vec3::X, Vec3::Y, Vec3::Z];
        let fields = ["separation1", "separation2", "separation3"];
        let steps = [0, 1, 2].map(|i| self.vector(at, fields[i], usual[i]));
        let whole: Vec3 = (0..3).map(|i| steps[i] * (counts[i] as f64 - 1.0)).sum();
        let start = match self.words(at, "origin").first().map(String::as_str) {
            Some("CENTER") => whole * -0.5,
            Some("LAST") => -whole,
            _ => Vec3::ZERO,
        };
        let mut number = 0;
        for k in 0..counts[2] {
            self.spend(at, 1)?;
            for j in 0..counts[1] {
                self.spend(at, 1)?;
                for i in 0..counts[0] {
                    let place = start + steps[0] * i as f64 + steps[1] * j as f64 + steps[2] * k as f64;
                    self.copy(at, &Matrix::translation(place), number, state)?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    fn inline(&mut self, at: At, state: &mut State) -> Result<(), Fault> {
        let urls = self.words(at, "url").iter().chain(self.words(at, "name"));
        let urls: Vec<String> = urls.take(MAX_URLS).cloned().collect();
        if urls.iter().all(String::is_empty) {
            return Ok(());
        }
        let Some((url, (roots, _))) = self.fetch(at, &urls)? else {
            return Ok(());
        };
        // What a File of Inventor holds stands as if written there; an Inline keeps its state to itself.
        let leaks = self.tree.title(at.node) == "File";
        let mut own = state.clone();
        let inner = if leaks { state } else { &mut own };
        self.inside.push(url.clone());
        for node in roots {
            let told = |error: Fault| {
                fault(error.spot, format!("in the file {}: {}", short(&url), error.message), error.help)
            };
            self.visit(At { node, frame: 0 }, inner).map_err(told)?;
        }
        self.inside.pop();
        Ok(())
    }

    /// The first of some files that can be had, and what it holds.
    pub(super) fn fetch(&mut self, at: At, urls: &[String]) -> Result<Option<(String, Held)>, Fault> {
        let mut reason = String::new();
        for url in urls.iter().take(MAX_URLS) {
            if self.inside.contains(url) {
                return self.fault(
                    at,
                    format!("the file {} includes itself", short(url)),
                    "break the circle",
                );
            }
            if self.inside.len() >= MAX_FILES_DEEP {
                return self.fault(at, "files include each other too deep", "join them into one");
            }
            if let Some(known) = self.files.get(url) {
                match known {
                    Some(held) => return Ok(Some((url.clone(), held.clone()))),
                    None => continue,
                }
            }
            match (self.resolve)(url) {
                Ok(bytes) => {
                    let era = self.node(at).era;
                    let held = super::read(&bytes, Some(era), &mut self.tree).map_err(|error| {
                        let message = format!("in the file {}: {}", short(url), error.message);
                        fault(error.spot, message, error.help)
                    })?;
                    self.files.insert(url.clone(), Some(held.clone()));
                    return Ok(Some((url.clone(), held)));
                }
                Err(why) => {
                    self.files.insert(url.clone(), None);
                    reason = why;
                }
            }
        }
        let first = urls.first().map_or(String::new(), |u| short(u));
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        self.tree.remarks.say(format!("The file {first} could not be had and is missing{reason}"));
        Ok(None)
    }

    /// A prototype with a body: itself, or the one that an external one names.
    pub(super) fn fetch_proto(&mut self, at: At, proto: u32) -> Result<Option<u32>, Fault> {
        let declared = &self.tree.protos[proto as usize];
        if declared.urls.is_empty() {
            return Ok(Some(proto));
        }
        let name = declared.name.clone();
        let urls = declared.urls.clone();
        let plain: Vec<String> = urls.iter().map(|u| u.split('#').next().unwrap_or(u).to_owned()).collect();
        let Some((_, (_, protos))) = self.fetch(at, &plain)? else {
            let sentence = format!("Nodes {} are left out: their prototype is not at hand", short(&name));
            self.tree.remarks.say(sentence);
            return Ok(None);
        };
        let wanted = urls.iter().find_map(|u| u.split_once('#').map(|(_, part)| part)).unwrap_or(&name);
        let named = protos.iter().find(|&&p| self.tree.protos[p as usize].name == wanted);
        match named.or(protos.first()) {
            Some(&found) if self.tree.protos[found as usize].urls.is_empty() => Ok(Some(found)),
            _ => {
                self.tree
                    .remarks
                    .say(format!("Nodes {} are left out: no prototype in their file", short(&name)));
                Ok(None)
            }
        }
    }
}
