//! Load balancing: which path each packet takes. One file a scheme, one row a scheme in `table`.
//!
//! A scheme's scenario name is a pair underneath: a host part (what the sender writes into a packet) and a switch part (which uplink a
//! switch gives a northbound packet). Policies are leaves: what they need from a device is a small view that the device fills.
//!
//! To add a scheme: its file in `switch/` or `host/`, its `mod` line there, and its row in `table`.

mod table;

pub mod host;
pub mod mixed;
pub mod switch;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::fields::{Fields, Row, Section, Tables};
use host::HostScheme;
use switch::SwitchScheme;

/// A scheme of the scenario: its name and its two parts with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// The scenario's name for it.
    pub name: &'static str,
    /// What switches do.
    pub switch: SwitchScheme,
    /// What hosts do.
    pub host: HostScheme,
}

/// A scheme that scenarios may name.
pub type SchemeRow = Row<Scheme>;

/// From the table of schemes: what users see, how each is read, and what else rows say.
macro_rules! scheme_rows {
    (
        hosts { $($host:literal, $host_variant:ident => $host_module:ident::$host_policy:ident, switches: $switches:ident, needs_acks: $acks:literal;)* }
        switches { $($switch:literal, $switch_variant:ident => $switch_module:ident::$switch_policy:ident;)* }
        parts { $($part:ident => $part_module:ident::$part_policy:ident;)* }
    ) => {
        /// All schemes.
        pub const SCHEMES: &[SchemeRow] = &[
            $(Row {
                name: $host,
                about: host::$host_module::ABOUT,
                keys: || host::$host_module::Params::keys(None),
                read: |fields| Scheme {
                    name: $host,
                    switch: SwitchScheme::$switches(Default::default()),
                    host: HostScheme::$host_variant(host::$host_module::Params::read(fields, None)),
                },
            },)*
            $(Row {
                name: $switch,
                about: switch::$switch_module::ABOUT,
                keys: || switch::$switch_module::Params::keys(None),
                read: |fields| Scheme {
                    name: $switch,
                    switch: SwitchScheme::$switch_variant(switch::$switch_module::Params::read(fields, None)),
                    host: HostScheme::None(host::none::Params),
                },
            },)*
        ];

        /// Every scheme with the defaults of its parts.
        #[cfg(test)]
        fn by_parts() -> Vec<Scheme> {
            vec![
                $(Scheme {
                    name: $host,
                    switch: SwitchScheme::$switches(Default::default()),
                    host: HostScheme::$host_variant(Default::default()),
                },)*
                $(Scheme {
                    name: $switch,
                    switch: SwitchScheme::$switch_variant(Default::default()),
                    host: HostScheme::None(host::none::Params),
                },)*
            ]
        }

        impl Scheme {
            /// Whether it learns from ACKs, so that a scenario without them cannot use it.
            #[must_use]
            pub const fn needs_acks(&self) -> bool {
                match self.host {
                    $(HostScheme::$host_variant(_) => $acks,)*
                    HostScheme::None(_) => false,
                }
            }
        }
    };
}

table::schemes!(scheme_rows);

/// Reads the required `scheme`, then that scheme's parameters.
#[must_use]
pub fn read(fields: &mut Fields<'_>) -> Scheme {
    let (row, scheme) = fields.one_of("scheme", None, Tables::of(SCHEMES));
    scheme.unwrap_or_else(|| row.usual())
}

/// The same for a scheme that switches run whatever hosts do: one with a host part is a problem.
#[must_use]
pub fn read_for_switches(fields: &mut Fields<'_>) -> Scheme {
    let rows: Vec<_> = SCHEMES.iter().filter(|row| row.is_of_switches()).collect();
    let named = fields.word("scheme");
    let refused = SCHEMES
        .iter()
        .find(|row| Some(row.name) == named && !row.is_of_switches());
    let Some(refused) = refused else {
        let all = SCHEMES.iter().collect();
        let (row, scheme) = fields.one_of("scheme", None, Tables { rows, all });
        return scheme.unwrap_or_else(|| row.usual());
    };
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let text = format!(
        "\"{}\" has a host part, and hosts run the scenario's own scheme; allowed: {}",
        refused.name,
        names.join(", ")
    );
    fields.problem("scheme", text);
    fields.skip("scheme");
    for row in SCHEMES {
        (row.keys)().iter().for_each(|key| fields.skip(key.name));
    }
    rows[0].usual()
}

impl SchemeRow {
    /// Whether it learns from ACKs, so that a scenario without them cannot use it.
    #[must_use]
    pub fn needs_acks(&self) -> bool {
        self.usual().needs_acks()
    }

    /// Whether switches run it whatever hosts do: it has no host part.
    #[must_use]
    pub fn is_of_switches(&self) -> bool {
        self.usual().is_of_switches()
    }
}

impl Scheme {
    /// The scheme of that name with the default of every parameter, if there is one.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        SCHEMES
            .iter()
            .find(|row| row.name == name)
            .map(SchemeRow::usual)
    }

    /// Whether switches run it whatever hosts do: it has no host part.
    #[must_use]
    pub const fn is_of_switches(&self) -> bool {
        matches!(self.host, HostScheme::None(_))
    }

    /// Whether hosts name the path of every packet, so that switches only obey.
    #[must_use]
    pub const fn is_source_routed(&self) -> bool {
        matches!(self.switch, SwitchScheme::Explicit(_))
    }
}
