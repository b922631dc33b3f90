//! The oracle: a second simulator, deliberately naive, against which the product is checked to the picosecond.
//!
//! It is written from the model page alone and shares no engine, port, switch, host or topology code with the product; only the
//! policies (but for those of `spraying`), their random streams (the order of ties among them) and the plain types (scenario, flow,
//! packet, stage) are common. It has one global ordered map of
//! events, one event an action, adjacency tables, routing by search, owned packets in plain queues and integrals by summing what
//! each frame spent in its queue. It is slow and meant to be read.

pub(crate) mod bench;
mod by_hand;
mod by_hand_pfc;
mod by_hand_ports;
mod by_hand_transport;
pub(crate) mod cases;
pub(crate) mod cases_lossy;
pub(crate) mod coins;
pub(crate) mod compare;
mod conservation;
pub(crate) mod dependencies;
pub(crate) mod events;
pub(crate) mod fabric;
pub(crate) mod failures;
mod faulty;
pub(crate) mod flows;
pub(crate) mod host;
pub(crate) mod imperfect;
pub(crate) mod mixed;
pub(crate) mod newreno;
pub(crate) mod nic;
pub(crate) mod pacer;
pub(crate) mod pfc;
pub(crate) mod policies;
pub(crate) mod ports;
pub(crate) mod receiver;
pub(crate) mod reliable;
pub(crate) mod rho_max;
pub(crate) mod rto;
pub(crate) mod schemes;
pub(crate) mod seen;
pub(crate) mod sender;
pub(crate) mod spraying;
pub(crate) mod switching;
pub(crate) mod tally;
pub(crate) mod triggers;
pub(crate) mod wiring;
pub(crate) mod world;
