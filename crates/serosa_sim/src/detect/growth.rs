//! Tubes that widen when a scene starts.

use crate::body::Substep;
use crate::filter;
use crate::params::Filter;
use crate::state::State;
use crate::{Real, Scratch};

/// How much of the gap to its nearest neighbour a primitive may grow in a substep. Both may grow.
const SHARE: Real = 0.2;
/// How much of what it may stray a primitive may grow: pairs that are not near stay apart.
pub(super) const OUTWARDS: Real = 0.05;
/// A tube that was held back catches up at most so many times as fast as it was meant to grow.
const HURRY: Real = 3.0;

/// How much each primitive grows in this substep, into `scratch.growth`; the gaps of pairs and rows found
/// before become those of the grown primitives. With the filter on, growth waits where there is no room: the target runs ahead, the
/// geometry does not.
pub(super) fn grow(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let Scratch { growth, finder, rows, reach, .. } = scratch;
    if sub.model.growths.is_empty() {
        return;
    }
    growth.fill(0.0);
    each_wish(sub, state, |p, wish| growth[p] = wish);
    if sub.params.filter != Filter::Off {
        growth.iter_mut().zip(&reach.prims).for_each(|(g, reach)| *g = g.min(OUTWARDS * reach));
        for pair in &finder.near {
            for p in pair.prims {
                growth[p.at()] = growth[p.at()].min(
                    SHARE
                        * (pair.gap
                            - filter::margin(sub.model, &state.radius, (pair.prims[0], pair.prims[1])))
                        .max(0.0),
                );
            }
        }
    }
    for pair in &mut finder.near {
        pair.prims.iter().for_each(|p| pair.gap -= growth[p.at()]);
    }
    if sub.params.response.looks_ahead() {
        for row in rows.iter_mut() {
            let more = growth[row.key.a.at()] + growth[row.key.b.at()];
            row.gap -= more;
            row.offset += more;
        }
    }
}

/// What grows should be free to stray far enough for it: growth is a share of its reach.
pub(super) fn make_room(sub: &Substep, state: &State, strays: &mut [Real]) {
    each_wish(sub, state, |p, wish| {
        for v in sub.model.prims[p].kind.vertices() {
            strays[v.at()] = strays[v.at()].max(wish / OUTWARDS);
        }
    });
}

/// Whether anything grows in this substep.
pub(super) fn grows(sub: &Substep, state: &State) -> bool {
    let mut grows = false;
    each_wish(sub, state, |_, wish| grows |= wish != 0.0);
    grows
}

/// How much each growing primitive would grow in this substep if there were room \[m\].
fn each_wish(sub: &Substep, state: &State, mut each: impl FnMut(usize, Real)) {
    let time = state.tick as Real * sub.params.dt_s;
    for grown in &sub.model.growths {
        let share = smooth((time + sub.h) / grown.duration_s);
        for p in grown.prims.start as usize..grown.prims.end as usize {
            let from = sub.model.prims[p].radius;
            let most = HURRY * (grown.to - from) / grown.duration_s * sub.h;
            each(p, (from + (grown.to - from) * share - state.radius[p]).clamp(0.0, most.max(0.0)));
        }
    }
}

/// From 0 to 1 with a soft start and a soft end.
fn smooth(t: Real) -> Real {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
