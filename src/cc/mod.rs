//! Congestion control: how much a connection may have in flight, and at what pace. One file an algorithm, one row an algorithm in the table at the end.
//!
//! A controller sees what it is told and nothing else: an ACK, a loss, a timeout. It knows no packets, queues or timers; sending,
//! recovery and acknowledging are the transport's (`host`), and nothing of them is repeated here.

pub mod dctcp;
pub mod dctcp_stock;
pub mod fixed_window;
pub mod lswift;
pub mod mnscc;
pub mod mswift;
pub mod none;
pub mod nscc;
mod recent;
pub mod swift;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::fields::{Fields, Row, Section, Tables};
use crate::units::{Rate, Span, Time};

/// What a controller is built from.
#[derive(Clone, Copy, Debug)]
pub struct CcEnv {
    /// RTT of a full data frame and its ACK on the idle fabric, between hosts as far apart as any.
    pub base_rtt: Span,
    /// The same between this connection's hosts.
    pub path_rtt: Span,
    /// Links from one of them to the other.
    pub path_hops: u32,
    /// Bytes that the host's link carries in `base_rtt`, gaps included.
    pub bdp_bytes: u64,
    /// A full data frame.
    pub frame_bytes: u32,
    /// Its payload.
    pub payload_bytes: u32,
    /// Rate of the host's link.
    pub rate: Rate,
    /// Whether full queues trim packets, so that losses are told at once.
    pub trims: bool,
}

/// What an ACK brings. Bytes are frame bytes.
#[derive(Clone, Copy, Debug)]
pub struct AckInfo {
    /// When it arrived.
    pub now: Time,
    /// The data packet that it answers.
    pub psn: u32,
    /// Bytes that were not known to have arrived before it: those of the packets that it names, or those by which the receiver's count has
    /// grown, as the transport counts.
    pub acked_bytes: u64,
    /// Packets of them.
    pub acked_packets: u32,
    /// Whether that packet was marked.
    pub marked: bool,
    /// From the sending of that packet to now, if it is clear which sending is answered and it was not acknowledged before.
    pub rtt: Option<Span>,
    /// Whether it answers a probe, a small frame: then `rtt` is that of the last one.
    pub probe: bool,
    /// Whether the lowest missing packet is another than before.
    pub advanced: bool,
    /// Where a transport stands that repairs one hole after another; others recover without telling.
    pub recovery: Recovery,
    /// Packets that have arrived above the lowest missing one.
    pub out_of_order: u32,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// Whether all that the connection has to send has been sent.
    pub all_sent: bool,
}

impl AckInfo {
    /// The RTT, unless it is that of a probe.
    #[inline]
    #[must_use]
    pub fn rtt_of_data(&self) -> Option<Span> {
        self.rtt.filter(|_| !self.probe)
    }
}

/// Where a recovery stands after an ACK. A window does not grow while one goes on, as what is acknowledged had been sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// There is none, or the ACK begins it: a loss follows.
    None,
    /// It goes on.
    Ongoing,
    /// The ACK has ended it: all that had been sent at its start is acknowledged.
    Ended,
}

/// Why a packet is taken for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// A NACK came back.
    Nack,
    /// Packets sent later have arrived.
    Reordering,
}

/// A packet is taken for lost, but not for want of an answer.
#[derive(Clone, Copy, Debug)]
pub struct LossInfo {
    /// When that became clear.
    pub now: Time,
    /// The packet.
    pub psn: u32,
    /// Its frame bytes.
    pub bytes: u32,
    /// Why.
    pub cause: LossCause,
    /// From its last sending to the arrival of the NACK; none without a NACK.
    pub rtt: Option<Span>,
    /// Bytes in flight without it.
    pub in_flight: u64,
    /// One more than the last packet sent so far.
    pub next_psn: u32,
}

/// A packet is taken for lost because no answer came.
#[derive(Clone, Copy, Debug)]
pub struct TimeoutInfo {
    /// When the timer expired.
    pub now: Time,
    /// The packet.
    pub psn: u32,
    /// Its frame bytes.
    pub bytes: u32,
    /// Timeouts in a row without anything new acknowledged, this one included.
    pub in_a_row: u32,
    /// Bytes in flight without it.
    pub in_flight: u64,
    /// One more than the last packet sent so far.
    pub next_psn: u32,
}

/// How much a connection may have in flight. One value a connection.
pub trait CongestionControl {
    /// Called once per ACK, after the transport has taken it in.
    fn on_ack(&mut self, _ack: &AckInfo) {}
    /// Called once per packet that is taken for lost because of what came back.
    fn on_loss(&mut self, _loss: &LossInfo) {}
    /// Called once per packet that is taken for lost because a timer expired.
    fn on_timeout(&mut self, _timeout: &TimeoutInfo) {}
    /// Frame bytes that may be in flight. Asked before each packet.
    fn window(&self) -> u64;
    /// The least time from the start of one packet of the connection to that of the next; zero: only the window counts.
    fn pacing(&self) -> Span {
        Span::ZERO
    }
    /// What the last call did to the window, in a word or words of the algorithm joined by `+`, for traces; empty: nothing.
    fn decision(&self) -> &'static str {
        ""
    }
}

/// A controller that scenarios may name.
pub type ControllerRow = Row<Controller>;

/// Reads `scheme`, by default `none`, then that controller's parameters; those of others are a problem.
#[must_use]
pub fn read(fields: &mut Fields<'_>) -> Controller {
    let (_, controller) = fields.one_of("scheme", Some("none"), Tables::of(CONTROLLERS));
    controller.unwrap_or_default()
}

/// The table of controllers: from `Variant(state) => module` it makes the enums of parameters and of controllers, and what users see. States of
/// more than a few bytes stand in a box, lest connections without them be as large.
macro_rules! controllers {
    ($($(#[$doc:meta])* $name:literal, $variant:ident($state:ty) => $module:ident,)*) => {
        /// A controller and its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Controller {
            $($(#[$doc])* $variant($module::Params),)*
        }

        /// A controller at work on one connection.
        #[derive(Clone, Debug)]
        pub enum Control {
            $($(#[$doc])* $variant($state),)*
        }

        /// All controllers.
        pub const CONTROLLERS: &[ControllerRow] = &[
            $(ControllerRow {
                name: $name,
                about: $module::ABOUT,
                keys: || $module::Params::keys(None),
                read: |fields| Controller::$variant($module::Params::read(fields, None)),
            },)*
        ];

        impl Controller {
            /// Its name in scenarios.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// One connection's controller.
            #[must_use]
            pub fn build(&self, env: &CcEnv) -> Control {
                match self {
                    $(Self::$variant(params) => Control::$variant(params.build(env).into()),)*
                }
            }
        }

        impl CongestionControl for Control {
            #[inline]
            fn on_ack(&mut self, ack: &AckInfo) {
                match self {
                    $(Self::$variant(control) => control.on_ack(ack),)*
                }
            }

            #[inline]
            fn on_loss(&mut self, loss: &LossInfo) {
                match self {
                    $(Self::$variant(control) => control.on_loss(loss),)*
                }
            }

            #[inline]
            fn on_timeout(&mut self, timeout: &TimeoutInfo) {
                match self {
                    $(Self::$variant(control) => control.on_timeout(timeout),)*
                }
            }

            #[inline]
            fn window(&self) -> u64 {
                match self {
                    $(Self::$variant(control) => control.window(),)*
                }
            }

            #[inline]
            fn pacing(&self) -> Span {
                match self {
                    $(Self::$variant(control) => control.pacing(),)*
                }
            }

            fn decision(&self) -> &'static str {
                match self {
                    $(Self::$variant(control) => control.decision(),)*
                }
            }
        }
    };
}

controllers! {
    /// None: hosts send at the offered load.
    "none", None(none::Unlimited) => none,
    /// A window that never changes.
    "fixed_window", FixedWindow(fixed_window::FixedWindow) => fixed_window,
    /// NSCC of Ultra Ethernet.
    "nscc", Nscc(Box<nscc::Nscc>) => nscc,
    /// NSCC by the median of recent delays.
    "mnscc", Mnscc(Box<mnscc::Mnscc>) => mnscc,
    /// Swift.
    "swift", Swift(Box<swift::Swift>) => swift,
    /// Swift that waits for several delayed ACKs in a row.
    "lswift", Lswift(Box<swift::Swift>) => lswift,
    /// That by the median of recent delays.
    "mswift", Mswift(Box<mswift::Mswift>) => mswift,
    /// TCP's window, cut by the fraction of marks.
    "dctcp", Dctcp(Box<dctcp::Dctcp>) => dctcp,
    /// DCTCP as htsim ships it.
    "dctcp_stock", DctcpStock(Box<dctcp::Dctcp>) => dctcp_stock,
}

impl Controller {
    /// Whether it stands for the whole of htsim's TCP, so that the transport must be that.
    #[must_use]
    pub const fn is_stock_tcp(&self) -> bool {
        matches!(self, Self::DctcpStock(_))
    }
}

impl Default for Controller {
    fn default() -> Self {
        Self::None(none::Params)
    }
}
