//! Physics: what runs measure, against closed forms, conservation laws and the bounds of the Ofan paper.
//!
//! Nothing here is compared with a number that the simulator printed. Where a tolerance is needed it stands beside its reason.

mod conservation;
mod counters;
mod dctcp;
mod dependencies;
mod edge_uplinks;
mod equivalences;
mod exchange;
mod failures;
mod failures_timed;
mod freezing;
mod growth;
mod imperfection;
mod lone_flow;
mod losses;
mod lossless;
mod lower_bound;
mod mixed;
mod nscc;
mod observed;
mod pacing;
mod packet_size;
mod queues;
mod recovery;
mod setup;
mod splitting;
mod stickiness;
mod swift;
mod tcp;
mod utilization;
