//! Integration tests of the engine: bodies against theory, contacts against oracles, promises against runs.

mod conformance;
mod contact;
mod counting;
mod faults;
mod make;
mod specimens;
mod theory;
