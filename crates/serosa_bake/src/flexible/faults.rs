//! Which nodes control elements move, and what is wrong with a flexible body.

use crate::Fault;
use crate::raw::{Place, RawFlexible, RawTets};
use crate::select::{names, select};
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::Hand;

/// The nodes of a control element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    /// Ascending.
    pub nodes: Vec<u32>,
    /// Their middle \[m\].
    pub origin: Vec3,
}

/// The nodes that are moved and held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    /// For each control element its own.
    pub elements: Vec<Own>,
    /// Those that are fixed in the world, ascending.
    pub held: Vec<u32>,
    /// Pieces that hang together.
    pub pieces: usize,
    /// For each node whether it is neither.
    free: Vec<bool>,
}

impl Chosen {
    /// Of some elements and held nodes in a mesh of so many.
    pub fn of(nodes: usize, elements: Vec<Own>, held: Vec<u32>) -> Self {
        let mut free = vec![true; nodes];
        elements.iter().flat_map(|e| &e.nodes).chain(&held).for_each(|v| free[*v as usize] = false);
        Self { elements, held, pieces: 1, free }
    }

    /// Whether a node is neither moved nor held.
    pub fn free(&self, node: u32) -> bool {
        self.free.get(node as usize).copied().unwrap_or(false)
    }
}

/// Finds the nodes of the control elements of a body of tetrahedra: see [`choose_nodes`].
pub fn choose(
    raw: &RawTets,
    flexible: &RawFlexible,
    held: &[u32],
    place: Place,
) -> Result<Chosen, Vec<Fault>> {
    choose_nodes(&raw.mesh, &mut joined(raw), flexible, held, place)
}

/// Pairs of nodes that tetrahedra join.
fn joined(raw: &RawTets) -> impl Iterator<Item = [u32; 2]> {
    raw.tets
        .iter()
        .enumerate()
        .flat_map(|(t, tet)| tet.iter().chain(raw.middles.get(t).into_iter().flatten()).map(|v| [tet[0], *v]))
}

/// Finds the nodes of all control elements, `held` being those of attachments; or says all that is wrong with them. What
/// hangs together is told by pairs of nodes that are `joined`.
///
/// Every piece of the body must be held so that it can neither move nor turn: by three nodes, not in line, that are moved
/// or held. O(tetrahedra).
pub fn choose_nodes(
    mesh: &Mesh,
    joined: &mut dyn Iterator<Item = [u32; 2]>,
    flexible: &RawFlexible,
    held: &[u32],
    place: Place,
) -> Result<Chosen, Vec<Fault>> {
    let (elements, mut faults) = own_nodes(mesh, flexible, held, place);
    if flexible.controls.is_empty() && held.is_empty() {
        let help = "write control = [{ name = \"…\", … }], or attach = [{ name = \"…\" }]";
        faults.push(Fault::new(place, "nothing moves or holds this flexible body", help));
    }
    let alone = held.is_empty() && flexible.controls.len() == 1;
    if let Some(control) = flexible.controls.iter().find(|c| c.by_force && alone) {
        let message =
            format!("forces lead the control element \"{}\", and nothing else holds the body", control.name);
        faults.push(Fault::new(
            place,
            message,
            "write attach, another control element, or input = \"position\"",
        ));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut chosen = Chosen::of(mesh.points.len(), elements, held.to_vec());
    let pieces = pieces(mesh.points.len(), joined);
    chosen.pieces = pieces.len();
    let loose: Vec<&Vec<u32>> =
        pieces.iter().filter(|piece| !is_bound(piece, &mesh.points, &chosen)).collect();
    if let Some(piece) = loose.first() {
        let message = format!(
            "{} pieces of this body hang on nothing that moves or holds them, one of {} nodes near {}",
            loose.len(),
            piece.len(),
            crate::scene::show(mesh.points[piece[0] as usize])
        );
        let help = "join them to the rest, or let a control element or an attachment hold three nodes of each, not in line";
        return Err(vec![Fault::new(place, message, help)]);
    }
    if chosen.free.iter().all(|free| !free) {
        let message =
            "control elements and attachments hold every node of this body: nothing is left to bend";
        return Err(vec![Fault::new(place, message, "make them smaller")]);
    }
    Ok(chosen)
}

/// The nodes of each control element, and what is wrong with them.
fn own_nodes(mesh: &Mesh, flexible: &RawFlexible, held: &[u32], place: Place) -> (Vec<Own>, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut elements = Vec::new();
    let mut owner: Vec<Option<Option<&str>>> = vec![None; mesh.points.len()];
    held.iter().for_each(|v| owner[*v as usize] = Some(None));
    let mut seen = std::collections::BTreeSet::new();
    for control in &flexible.controls {
        let name = &control.name;
        let mut say = |message: String, help: String| faults.push(Fault::new(place, message, help));
        if !seen.insert(name) {
            say(format!("two control elements are called \"{name}\""), "choose another name".into());
        }
        let Some(nodes) = select(mesh, &control.which).filter(|n| !n.is_empty()) else {
            let help = format!("this body has the sets: {}", names(mesh));
            say(format!("the control element \"{name}\" holds no node"), help);
            continue;
        };
        if let Some((v, other)) = nodes.iter().find_map(|v| Some((*v, owner[*v as usize]?))) {
            let both = nodes.iter().filter(|v| owner[**v as usize].is_some()).count();
            let at = mesh.points[v as usize];
            let other = other.map_or("the attachments".to_owned(), |other| format!("\"{other}\""));
            say(
                format!(
                    "the control element \"{name}\" and {other} both hold {both} nodes, one at {}",
                    crate::scene::show(at)
                ),
                "make them smaller: a node is moved by one of them".into(),
            );
        }
        nodes.iter().for_each(|v| owner[*v as usize] = Some(Some(name)));
        let origin = nodes.iter().map(|v| mesh.points[*v as usize]).sum::<Vec3>() / nodes.len() as f64;
        let reach = Hand::REACH;
        let within = |shift: Vec3| (origin + shift).abs().max_element() <= reach;
        if !within(Vec3::ZERO) || !control.moves.iter().all(|m| within(m.shift)) {
            say(
                format!(
                    "the control element \"{name}\" begins or is led farther than {reach} m from the origin"
                ),
                "hands reach no farther: put the body nearer to the origin, or mind its unit".into(),
            );
        }
        elements.push(Own { nodes, origin });
    }
    (elements, faults)
}

/// The nodes of each piece that hangs together.
fn pieces(nodes: usize, joined: &mut dyn Iterator<Item = [u32; 2]>) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..nodes as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for [a, b] in joined {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut pieces = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for v in 0..parent.len() as u32 {
        let r = root(&mut parent, v);
        pieces.entry(r).or_default().push(v);
    }
    pieces.into_values().collect()
}

/// Whether a piece can neither move nor turn as a whole without resistance.
fn is_bound(piece: &[u32], points: &[Vec3], chosen: &Chosen) -> bool {
    let bound: Vec<Vec3> = piece.iter().filter(|v| !chosen.free(**v)).map(|v| points[*v as usize]).collect();
    let Some(first) = bound.first() else { return false };
    let far = bound.iter().map(|p| *p - *first).max_by(|a, b| a.length().total_cmp(&b.length()));
    let far = far.unwrap_or_default();
    bound.iter().any(|p| (*p - *first).cross(far).length() > 1e-6 * far.length_squared())
}
