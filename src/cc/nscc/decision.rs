//! What NSCC did at its last call, for traces.

/// What the last call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// There was none.
    Nothing,
    /// The window was set to what has arrived.
    QuickAdapt,
    /// A marked ACK of a packet that was sent before that changed nothing.
    Ignore,
    FastIncrease,
    ProportionalIncrease,
    FairIncrease,
    Decrease,
    /// A mark without a decrease: delay or average are below target, or the last decrease was less than a base RTT ago.
    Hold,
    /// A NACK took its packet's bytes off the window, or did as the others.
    Nack,
    NackQuickAdapt,
    NackIgnore,
    /// A timeout took its packet's bytes off the window.
    Timeout,
}

impl Decision {
    /// The same of a NACK.
    pub(super) fn of_nack(self) -> Self {
        match self {
            Self::QuickAdapt => Self::NackQuickAdapt,
            Self::Ignore => Self::NackIgnore,
            other => other,
        }
    }

    /// In words, and whether pending increases were fulfilled as well.
    pub(super) fn name(self, is_fulfilled: bool) -> &'static str {
        match (self, is_fulfilled) {
            (Self::Nothing, _) => "",
            (Self::QuickAdapt, _) => "quick_adapt",
            (Self::Ignore, _) => "ignore",
            (Self::FastIncrease, false) => "fast_increase",
            (Self::FastIncrease, true) => "fast_increase+fulfil",
            (Self::ProportionalIncrease, false) => "proportional_increase",
            (Self::ProportionalIncrease, true) => "proportional_increase+fulfil",
            (Self::FairIncrease, false) => "fair_increase",
            (Self::FairIncrease, true) => "fair_increase+fulfil",
            (Self::Decrease, false) => "decrease",
            (Self::Decrease, true) => "decrease+fulfil",
            (Self::Hold, false) => "hold",
            (Self::Hold, true) => "hold+fulfil",
            (Self::Nack, _) => "nack",
            (Self::NackQuickAdapt, _) => "nack+quick_adapt",
            (Self::NackIgnore, _) => "nack+ignore",
            (Self::Timeout, _) => "timeout",
        }
    }
}
