//! Load balancing: which path each packet takes. One file a scheme, one table each for switches and hosts.
//!
//! A scheme's scenario name is a pair underneath: a host part (what the sender writes into a packet) and a switch part (which uplink a
//! switch gives a northbound packet). Policies are leaves: what they need from a device is a small view that the device fills.

pub mod host;
pub mod switch;

/// A scheme of the scenario: its name and its two parts with their parameters.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The scenario's name for it.
    pub name: &'static str,
}
