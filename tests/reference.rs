//! Agreement with uet-htsim (commit 40ccb05) under the profile `configs/uet.json`.
//!
//! `closed_form`: two cases without a random draw that matters end at the picosecond that a hand calculation gives, which is
//! what uet-htsim prints.
//!
//! `agreement`: eight cases as distributions. Random draws differ, so flows are never compared one by one. A case agrees if
//! the means over seeds of a run's mean and median FCT differ by at most the larger of 2 % and two standard errors of
//! uet-htsim's seeds, those of the largest FCT by the larger of 5 % and two standard errors, and those of a run's
//! retransmissions, NACKs and ACKs by at most 10 %. Ours are means over 30 seeds (5 where a packet's ACK each makes runs
//! long). uet-htsim has three seeds in three cases; in the others it has one, so that its spread is unknown and only the
//! percentages count.
//!
//! `scenarios/reference/uet/agreement.csv` holds the numbers; `UPDATE_README=1 cargo test --test reference` rewrites it (always
//! with 30 seeds). uet-htsim's runs and most of its inputs stay out of this repository: `SPRAYSIM_INPUTS` and
//! `SPRAYSIM_REFERENCE`, or `../shared/inputs` and `../shared/reference` beside it. Without them, the cases whose inputs are
//! scenarios of this repository are still held to the CSV, and the others say that they are skipped.
//!
//! Not compared: single queues, windows over time and CPU time. The runs have no link failures and no timeouts.

#[path = "reference/agreement.rs"]
mod agreement;
#[path = "reference/cases.rs"]
mod cases;
#[path = "reference/closed_form.rs"]
mod closed_form;
#[path = "reference/runs.rs"]
mod runs;
