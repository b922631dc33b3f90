//! The table of schemes: one row a scheme. Each macro that is handed the table makes its part of the program of it.
//!
//! A row of `hosts`: the scheme's name, its variant and policy, what switches do under it (a row of `parts`), and whether it learns from ACKs,
//! so that a scenario without them cannot use it. A row of `switches`: name, variant and policy; hosts have no part in such a scheme. `parts`
//! are no schemes by themselves. A scheme's file has its `ABOUT`, its `Params` and its policy.

/// Hands the table to a macro.
macro_rules! schemes {
    ($then:ident) => {
        $then! {
            hosts {
                "ecmp", Ecmp => ecmp::Ecmp, switches: Hash, needs_acks: false;
                "rps", Rps => rps::Rps, switches: Hash, needs_acks: false;
                "reps", Reps => reps::Reps, switches: Hash, needs_acks: true;
                "bitmap", Bitmap => bitmap::Bitmap, switches: Hash, needs_acks: true;
                "mixed", Mixed => mixed::Mixed, switches: Hash, needs_acks: true;
                "drb", Drb => drb::Drb, switches: Explicit, needs_acks: false;
                "ethereal", Ethereal => ethereal::Ethereal, switches: Explicit, needs_acks: false;
            }
            switches {
                "simple_rr", SimpleRr => simple_rr::SimpleRr;
                "rsq", Rsq => rsq::Rsq;
                "jsq", Jsq => jsq::Jsq;
                "ar", Ar => ar::Ar;
                "ofan", Ofan => ofan::Ofan;
                "pofan", Pofan => pofan::Pofan;
            }
            parts {
                Hash => hash::Hash;
                Explicit => explicit::Explicit;
            }
        }
    };
}

pub(super) use schemes;
