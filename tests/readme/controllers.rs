//! What the README says of congestion control is what the program has.

use spraysim::cc::CONTROLLERS;

use crate::{explains, hold, parameters, table};

#[test]
fn the_table_of_controllers_parameters_is_that_of_the_program() {
    let rows = parameters(CONTROLLERS.iter().map(|row| (row.name, (row.keys)())));
    let head = ["controller", "parameter", "allowed", "default", "meaning"];
    hold("controllers", &table(&head, rows));
}

#[test]
fn every_controller_has_its_paragraph() {
    explains(CONTROLLERS.iter().map(|row| row.name));
}
