use super::*;

mod queries;
