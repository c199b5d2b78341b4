//! Groups and objects of an OBJ file: sets of points, found by the runs of faces that belong to them.

use crate::mesh::words::{Words, shown};
use serosa_bake::raw::Part;
use std::collections::BTreeMap;

/// The most groups to which a face may belong, so that a small file cannot ask for a large memory.
const GROUPS_MAX: usize = 32;

/// What belongs to which groups and objects.
#[derive(Default)]
pub struct Groups {
    /// Points of `p` lines.
    pub dots: Vec<u32>,
    names: BTreeMap<String, usize>,
    runs: Vec<Run>,
}

/// Faces, lines and dots from these numbers to those of the next run belong to these names.
#[derive(Clone, Default)]
struct Run {
    object: Option<usize>,
    groups: Vec<usize>,
    start: [usize; 3],
}

impl Groups {
    /// `g one two`: from here on, to the next `g`.
    pub fn group(&mut self, words: Words, part: &Part) -> Result<(), String> {
        let mut groups = Vec::new();
        for word in words.take_while(|w| w[0] != b'#') {
            if groups.len() == GROUPS_MAX {
                return Err(format!("a face belongs to more than {GROUPS_MAX} groups (\"{}\")", shown(word)));
            }
            groups.push(self.named(String::from_utf8_lossy(word).into_owned()));
        }
        let object = self.runs.last().and_then(|r| r.object);
        self.run(Run { object, groups, start: self.now(part) });
        Ok(())
    }

    /// `o name`: from here on, to the next `o`.
    pub fn object(&mut self, name: String, part: &Part) {
        let object = (!name.is_empty()).then(|| self.named(name));
        self.run(Run { object, groups: Vec::new(), start: self.now(part) });
    }

    fn now(&self, part: &Part) -> [usize; 3] {
        [part.triangles.len(), part.lines.len(), self.dots.len()]
    }

    fn named(&mut self, name: String) -> usize {
        let next = self.names.len();
        *self.names.entry(name).or_insert(next)
    }

    /// Begins a run; one in which nothing came is forgotten.
    fn run(&mut self, run: Run) {
        if self.runs.last().is_some_and(|last| last.start == run.start) {
            self.runs.pop();
        }
        self.runs.push(run);
    }

    /// Turns names into sets. An object that holds everything is the name of the part.
    pub fn finish(mut self, part: &mut Part) {
        let end = self.now(part);
        self.run(Run { start: end, ..Run::default() });
        let whole = match self.runs.as_slice() {
            [first, rest @ ..] if first.start == [0; 3] && first.object.is_some() => {
                let same = rest.iter().rev().skip(1).all(|r| r.object == first.object);
                first.object.filter(|_| same)
            }
            _ => None,
        };
        let mut runs_of = vec![Vec::new(); self.names.len()];
        for (i, run) in self.runs.iter().enumerate() {
            let object = run.object.filter(|o| Some(*o) != whole && !run.groups.contains(o));
            run.groups.iter().copied().chain(object).for_each(|name| runs_of[name].push(i));
        }
        // The last name for which a point was taken: each is taken once for each name.
        let mut taken = vec![usize::MAX; part.points.len()];
        let mut sets = BTreeMap::new();
        for (name, &i) in &self.names {
            let mut set = Vec::new();
            for &run in &runs_of[i] {
                let next = self.runs.get(run + 1).map_or(end, |r| r.start);
                let [triangles, lines, dots] = std::array::from_fn(|k| self.runs[run].start[k]..next[k]);
                let points = part.triangles[triangles].as_flattened().iter();
                let points = points.chain(part.lines[lines].as_flattened()).chain(&self.dots[dots]);
                for &point in points {
                    if std::mem::replace(&mut taken[point as usize], i) != i {
                        set.push(point);
                    }
                }
            }
            set.sort_unstable();
            if !set.is_empty() {
                sets.insert(name.clone(), set);
            }
        }
        if let Some((name, _)) = self.names.into_iter().find(|(_, i)| Some(*i) == whole) {
            part.name = name;
        }
        part.sets = sets;
    }
}
