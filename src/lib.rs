//! spraysim: a packet-level simulator of load balancing and congestion control in fat-tree fabrics.

pub mod cc;
pub mod cli;
pub mod engine;
pub mod experiment;
pub mod fields;
pub mod files;
pub mod host;
pub mod json;
pub mod lb;
pub mod link;
pub mod packet;
pub mod port;
pub mod prefetch;
pub mod probe;
pub mod report;
pub mod rng;
pub mod scenario;
pub mod settings;
pub mod sim;
pub mod switch;
pub mod theory;
pub mod topology;
pub mod units;
pub mod workload;
