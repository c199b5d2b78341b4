//! `Scratch`: derived in every step, grown once, never saved.

use crate::body::band::BandWork;
use crate::body::flexible::FlexibleWork;
use crate::body::solid::SolidWork;
use crate::body::springs::{NetWork, SpringWork};
use crate::body::system::System;
use crate::body::tissue::TissueWork;
use crate::detect::{Finder, Reach, Shells};
use crate::filter::Planes;
use crate::guard::Start;
use crate::ledger::Tally;
use crate::model::{Model, Pose};
use crate::respond::augmented_lagrangian::momentum::Settling;
use crate::respond::augmented_lagrangian::{Links, Memory, Passes, Touching};
use crate::respond::carried::Carried;
use crate::respond::displacement_velocity::RowWork;
use crate::respond::grip::GripWork;
use crate::respond::penetration::Share;
use crate::respond::qp::Programme;
use crate::row::Row;
use crate::state::{Kept, State, Twist};
use crate::{Real, Vec3};

/// Everything a step computes on its way.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Positions where the step will end \[m\]. Written by Predict, Respond and Filter.
    pub pos: Vec<Vec3>,
    /// Velocities where the step will end \[m/s\]. Written by Predict and Respond.
    pub vel: Vec<Vec3>,
    /// Poses where the step will end. Written by Predict, Respond and Filter.
    pub pose: Vec<Pose>,
    /// Twists where the step will end. Written by Predict and Respond.
    pub twist: Vec<Twist>,
    /// 1/mass in this step: 0 for vertices fixed or frozen \[1/kg\].
    pub inv_mass: Vec<Real>,
    /// Mobility in this step, one per rigid frame: 0 when fixed or frozen.
    pub rigid_mobility: Vec<Mobility>,
    /// Where vertices would be without forces \[m\]. Written by Predict, for bands, tissue and solids.
    pub target: Vec<Vec3>,
    /// Where frames would be without contacts. Written by Respond.
    pub target_pose: Vec<Pose>,
    /// How frames would move without contacts. Written by Respond.
    pub target_twist: Vec<Twist>,
    /// One per body; empty but for bands. Written by Predict and Respond.
    pub bands: Vec<BandWork>,
    /// One per body; empty but for tissue. Written by Predict and Respond.
    pub tissues: Vec<TissueWork>,
    /// One per body; empty but for solids. Written by Predict.
    pub solids: Vec<SolidWork>,
    /// One per body; empty but for flexible ones. Written by Predict.
    pub flexibles: Vec<FlexibleWork>,
    /// How much radii grow in this substep \[m\], one per primitive. Written by Detect.
    pub growth: Vec<Real>,
    /// How far things may go in this substep. Written by Detect.
    pub reach: Reach,
    /// The rows as the augmented Lagrangian works on them. Written by Respond.
    pub touching: Vec<Touching>,
    /// Which of them hold a vertex or a body. Written by Respond.
    pub links: Links,
    /// Impulses that explain what bodies did. Written by Respond.
    pub settling: Settling,
    /// What rows hand on within a substep. Written by Respond.
    pub kept: Vec<Kept>,
    /// One per body; empty but for springs that descend with rows. Written by Respond.
    pub nets: Vec<NetWork>,
    /// What rows knew that are gone. Written by Respond.
    pub(crate) memory: Memory,
    /// Certificates of the filter. Written by Detect, Respond and Filter.
    pub planes: Planes,
    /// What the last passes changed. Written by Respond.
    pub(crate) passes: Passes,
    /// One per spring. Written by Predict.
    pub springs: Vec<SpringWork>,
    /// The contacts of the last substep, sorted by key. Written by Detect, answered by Respond.
    pub rows: Vec<Row>,
    /// The rows of an earlier search of the substep. Written by Detect.
    pub spare_rows: Vec<Row>,
    /// The rows as Respond works on them. Written by Respond.
    pub row_work: Vec<RowWork>,
    /// How those rows share depth. Written by Respond.
    pub shares: Vec<Share>,
    /// How bodies pass impulses on, one per body. Written by Respond.
    pub carried: Vec<Carried>,
    /// 1/mass as a push feels it \[1/kg\]. Written by Respond.
    pub felt_inv_mass: Vec<Real>,
    /// All that moves as one linear system, where the response asks for it. Made by the first Predict, written by each.
    pub system: Option<System>,
    /// The rows as the quadratic programme works on them. Written by Respond.
    pub programme: Programme,
    /// What jaws hold, as Respond works on it. Written by Respond.
    pub grip_work: Vec<GripWork>,
    /// Positions at which the rows were made \[m\], for the audit. Written by Detect.
    pub found_pos: Vec<Vec3>,
    /// Poses at which the rows were made, for the audit. Written by Detect.
    pub found_pose: Vec<Pose>,
    /// Radii with which the rows were made, for the audit. Written by Detect.
    pub found_radius: Vec<Real>,
    /// Whether near pairs were looked for, not overlaps alone, for the audit. Written by Detect.
    pub found_near: bool,
    /// Working arrays of Detect.
    pub finder: Finder,
    /// Working arrays of Detect for surfaces.
    pub shells: Shells,
    /// What the step did to energy and momentum, where the ledger asks. Written by the frame.
    pub tally: Tally,
    /// One per body: its motion in this step could not be computed. Written by Predict, Respond and Filter.
    pub lost: Vec<bool>,
    /// One per body: the filter has stopped some of it. Written by Filter.
    pub stopped: Vec<bool>,
    /// Which part of the step this is, from 0. Written by the frame.
    pub substep: u32,
    /// The state before the step. Written by the frame.
    pub before: State,
    /// Where the substep began, to begin it again. Written by the frame.
    pub start: Start,
    /// Contact force on each body in the last step \[N\]. Written by Finish.
    pub contact_force: Vec<Vec3>,
    /// Force of the hand on each tool in the last step \[N\]. Written by Finish.
    pub hand_force: Vec<Vec3>,
}

/// How a rigid frame answers impulses: 1/mass and 1/inertia in its own axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mobility {
    /// \[1/kg\]
    pub inv_mass: Real,
    /// \[1/(kg m²)\]
    pub inv_inertia: Vec3,
}

impl Scratch {
    /// Arrays of the right length for a model.
    pub fn for_model(model: &Model) -> Self {
        let state = State::start(model);
        Self {
            pos: state.pos.clone(),
            vel: state.vel.clone(),
            pose: state.pose.clone(),
            twist: state.twist.clone(),
            inv_mass: model.inv_mass.clone(),
            rigid_mobility: vec![Mobility::default(); model.rigids.len()],
            springs: vec![SpringWork::default(); model.springs.len()],
            target: state.pos.clone(),
            target_pose: state.pose.clone(),
            target_twist: state.twist.clone(),
            bands: vec![BandWork::default(); model.bodies.len()],
            tissues: vec![TissueWork::default(); model.bodies.len()],
            solids: vec![SolidWork::default(); model.bodies.len()],
            flexibles: vec![FlexibleWork::default(); model.bodies.len()],
            growth: vec![0.0; model.prims.len()],
            reach: Reach::of(model),
            touching: Vec::new(),
            links: Links::default(),
            settling: Settling::default(),
            kept: Vec::new(),
            nets: vec![NetWork::default(); model.bodies.len()],
            planes: Planes::default(),
            passes: Passes::default(),
            memory: Memory::default(),
            found_radius: state.radius.clone(),
            found_near: false,
            rows: Vec::new(),
            spare_rows: Vec::new(),
            row_work: Vec::new(),
            shares: Vec::new(),
            carried: Vec::new(),
            felt_inv_mass: Vec::new(),
            system: None,
            programme: Programme::default(),
            grip_work: Vec::new(),
            found_pos: state.pos.clone(),
            found_pose: state.pose.clone(),
            finder: Finder::default(),
            shells: Shells::default(),
            tally: Tally::default(),
            lost: vec![false; model.bodies.len()],
            stopped: vec![false; model.bodies.len()],
            substep: 0,
            before: state,
            start: Start::default(),
            contact_force: vec![Vec3::ZERO; model.bodies.len()],
            hand_force: vec![Vec3::ZERO; model.tools.len()],
        }
    }

    /// Takes over the state before a step and what may move in it.
    pub(crate) fn begin(&mut self, model: &Model, state: &State) {
        self.before.copy_from(state);
        self.lost.fill(false);
        self.contact_force.fill(Vec3::ZERO);
        self.free(model, state);
    }

    /// What may move, and how.
    pub(crate) fn free(&mut self, model: &Model, state: &State) {
        for (b, body) in model.bodies.iter().enumerate() {
            for v in body.vertex_range() {
                self.inv_mass[v] = if state.frozen[b] { 0.0 } else { model.inv_mass[v] };
            }
        }
        for (mobility, rigid) in self.rigid_mobility.iter_mut().zip(&model.rigids) {
            *mobility = if state.frozen[rigid.body.at()] {
                Mobility::default()
            } else {
                Mobility { inv_mass: rigid.inv_mass, inv_inertia: rigid.inv_inertia }
            };
        }
    }
}
