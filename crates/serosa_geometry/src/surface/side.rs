//! The sides of faces, sorted by edge.

/// A side of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// Its ends, the smaller number first.
    pub edge: [u32; 2],
    /// Of which face.
    pub face: u32,
    /// Whether the face runs along it from the smaller number to the greater.
    pub forward: bool,
}

impl Side {
    /// Its ends as the face runs along it.
    fn directed(&self) -> [u32; 2] {
        let [a, b] = self.edge;
        if self.forward { [a, b] } else { [b, a] }
    }
}

/// All sides, those of one edge beside one another.
#[derive(Clone, Debug)]
pub struct Sides(Vec<Side>);

impl Sides {
    /// The sides of some faces, each of which has three different corners.
    pub fn of(faces: &[[u32; 3]], which: &[u32]) -> Self {
        let side = |face: u32, a: u32, b: u32| Side { edge: [a.min(b), a.max(b)], face, forward: a < b };
        let of_face = |f: &u32| {
            let [a, b, c] = faces[*f as usize];
            [side(*f, a, b), side(*f, b, c), side(*f, c, a)]
        };
        let mut all: Vec<Side> = which.iter().flat_map(of_face).collect();
        all.sort_unstable();
        Self(all)
    }

    /// The edges, each as its sides.
    pub fn edges(&self) -> impl Iterator<Item = &[Side]> {
        self.0.chunk_by(|a, b| a.edge == b.edge)
    }

    /// Edges of one face.
    pub fn open(&self) -> Vec<[u32; 2]> {
        self.edges().filter(|e| e.len() == 1).map(|e| e[0].directed()).collect()
    }

    /// Edges of more than two faces.
    pub fn crowded(&self) -> Vec<[u32; 2]> {
        self.edges().filter(|e| e.len() > 2).map(|e| e[0].edge).collect()
    }

    /// Edges of two faces that run the same way along them.
    pub fn flipped(&self) -> Vec<[u32; 2]> {
        let same = |e: &&[Side]| e.len() == 2 && e[0].forward == e[1].forward;
        self.edges().filter(same).map(|e| e[0].edge).collect()
    }

    /// The fans: faces around a point, joined over edges that end there. Each as its point and one of its faces, by point.
    pub fn fans(&self, faces: &[[u32; 3]]) -> Vec<(u32, u32)> {
        let mut fans = self.joined_corners(faces);
        // Every corner begins one side of its face.
        let fan = |side: &Side| {
            let point = side.directed()[0];
            (point, fans.find(corner(faces, side.face, point)) / 3)
        };
        let mut all: Vec<(u32, u32)> = self.0.iter().map(fan).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The rims: open edges joined where they end in one fan. One face of each.
    ///
    /// They are counted on the surface pulled apart at pinched points, as [`Self::fans`] are, so that Euler's formula
    /// holds: two holes that touch in a point are one rim.
    pub fn rims(&self, faces: &[[u32; 3]]) -> Vec<u32> {
        let mut fans = self.joined_corners(faces);
        for edge in self.edges().filter(|e| e.len() == 1) {
            let [a, b] = edge[0].edge;
            fans.join(corner(faces, edge[0].face, a), corner(faces, edge[0].face, b));
        }
        let open = self.edges().filter(|e| e.len() == 1);
        let root = |e: &[Side]| (fans.find(corner(faces, e[0].face, e[0].edge[0])), e[0].face);
        let mut all: Vec<(u32, u32)> = open.map(root).collect();
        all.sort_unstable();
        all.dedup_by_key(|rim| rim.0);
        all.into_iter().map(|rim| rim.1).collect()
    }

    /// Each corner of each face is a place of its own, and an edge joins two pairs of them.
    fn joined_corners(&self, faces: &[[u32; 3]]) -> Joined {
        let mut fans = Joined::new(3 * faces.len());
        for edge in self.edges() {
            for side in &edge[1..] {
                for point in side.edge {
                    fans.join(corner(faces, edge[0].face, point), corner(faces, side.face, point));
                }
            }
        }
        fans
    }
}

/// The number of a corner of a face, over all faces.
fn corner(faces: &[[u32; 3]], face: u32, point: u32) -> u32 {
    let k = faces[face as usize].iter().position(|i| *i == point).unwrap_or(0);
    3 * face + k as u32
}

/// Things that are joined to one another; the smallest number stands for all.
#[derive(Clone, Debug)]
pub struct Joined(Vec<u32>);

impl Joined {
    /// So many things, each alone.
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// What stands for a thing.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            // Halving the way keeps it short.
            self.0[i as usize] = self.0[self.0[i as usize] as usize];
            i = self.0[i as usize];
        }
        i
    }

    /// Joins two things and all that is joined to either.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
