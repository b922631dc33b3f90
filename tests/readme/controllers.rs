//! What the README says of congestion control is what the program has.

use spraysim::cc::CONTROLLERS;

use crate::{code, hold, read, table};

#[test]
fn the_table_of_controllers_parameters_is_that_of_the_program() {
    let mut rows: Vec<(Vec<String>, [&str; 4])> = Vec::new();
    for controller in CONTROLLERS {
        for param in controller.params {
            let row = [param.name, param.allowed, param.default, param.about];
            match rows.iter_mut().find(|(_, known)| *known == row) {
                Some((takers, _)) => takers.push(code(controller.name)),
                None => rows.push((vec![code(controller.name)], row)),
            }
        }
    }
    let rows = rows
        .iter()
        .map(|(takers, [name, allowed, default, about])| {
            vec![
                takers.join(", "),
                code(name),
                (*allowed).to_owned(),
                code(default),
                (*about).to_owned(),
            ]
        });
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
