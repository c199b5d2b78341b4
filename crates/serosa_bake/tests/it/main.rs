//! Integration tests of the engine: bodies against theory, contacts against oracles, promises against runs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod balance;
mod bands;
mod boundary;
mod capacitance;
mod cholesky;
mod collide;
mod conformance;
mod contact;
mod counting;
mod elimination;
mod faces;
mod faults;
mod fill;
mod filled;
mod filter;
mod flexible;
mod flexible_contact;
mod growing;
mod guarantee;
mod lagrangian;
mod make;
mod misuse;
mod overlap;
mod programme;
mod qp;
mod qp_solids;
mod quadratic;
mod search;
mod settle;
mod shells;
mod solid;
mod solid_contact;
mod solid_faults;
mod solid_storms;
mod specimens;
mod statics;
mod strip;
mod theory;
mod tissue;
mod tissue_contact;
mod tissue_faults;
mod tracker;
mod yardstick;
