//! Tests of scenarios as a whole.
