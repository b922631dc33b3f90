//! spraysim: a packet-level simulator of load balancing and congestion control in fat-tree fabrics.

pub mod fields;
pub mod json;
pub mod lb;
pub mod packet;
pub mod rng;
pub mod scenario;
pub mod sim;
pub mod theory;
pub mod topology;
pub mod units;
pub mod workload;
