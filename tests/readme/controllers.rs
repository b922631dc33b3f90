//! What the README says of congestion control is what the program has.

use spraysim::cc::CONTROLLERS;

use crate::{hold, parameters, read, table};

#[test]
fn the_table_of_controllers_parameters_is_that_of_the_program() {
    let rows = parameters(CONTROLLERS.iter().map(|row| (row.name, (row.keys)())));
    let head = ["controller", "parameter", "allowed", "default", "meaning"];
    hold("controllers", &table(&head, rows));
}

#[test]
fn every_controller_has_its_paragraph() {
    let readme = read("README.md");
    for controller in CONTROLLERS {
        let start = format!("\n- **`{}`**", controller.name);
        assert!(readme.contains(&start), "{}", controller.name);
    }
}
