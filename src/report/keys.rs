//! The columns that say which run a row belongs to: first in every CSV.

use super::columns;
use crate::json::{Json, Value};
use crate::scenario::Scenario;
use crate::sim::RunResult;
use crate::theory::LowerBound;
use crate::topology::FatTree;
use crate::units::Rate;

columns! {
    /// What every row starts with.
    pub struct Keys of (scenario: &Scenario, seed: u64, result: &RunResult) {
        /// `name` of the scenario
        scenario[""]: String = scenario.name.clone(),
        /// `load_balancing.scheme`; in a mixed fabric with `+scheme@where` for each override, e.g. `ar+pofan@edge`
        scheme[""]: String = scenario.scheme_label(),
        /// `congestion_control.scheme`
        cca[""]: String = scenario.congestion_control.controller.name().to_owned(),
        /// `fabric.levels`
        levels[""]: u8 = scenario.fabric.shape.levels,
        /// `fabric.k`: ports a switch; empty if switches differ
        k["ports"]: Option<u32> = scenario.fabric.shape.k(),
        /// hosts of the fabric
        hosts[""]: u64 = FatTree::of(scenario.fabric.shape).hosts().into(),
        /// payload of each flow but the mice; empty if flows differ in size
        message_bytes["B"]: Option<u64> = common_size(result),
        /// `congestion_control.load`: offered load as a fraction of `rho_max`
        load[""]: f64 = scenario.congestion_control.load.as_f64(),
        /// seed of the run
        seed[""]: u64 = seed,
    }
}

/// Scenario paths that the keys show already.
const SHOWN: &[&str] = &[
    "name",
    "load_balancing.scheme",
    "congestion_control.scheme",
    "fabric.levels",
    "fabric.k",
    "workload.message_bytes",
    "congestion_control.load",
    "seed",
];

/// What reports must know of a run beside its result.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The columns of every table.
    pub keys: Keys,
    /// Values of the swept columns, in the order of [`SweptColumns::names`].
    pub swept: Vec<String>,
    /// Rate of the hosts' links.
    pub link_rate: Rate,
    /// Lower bound of the completion time.
    pub lower_bound: LowerBound,
}

/// The swept keys of a scenario that are no column yet, and so become one.
#[derive(Clone, Debug, Default)]
pub struct SweptColumns {
    indices: Vec<usize>,
    names: Vec<String>,
}

impl SweptColumns {
    /// From the swept paths, in file order.
    #[must_use]
    pub fn new(swept: &[String]) -> Self {
        let indices: Vec<usize> = (0..swept.len())
            .filter(|&i| !SHOWN.contains(&swept[i].as_str()))
            .collect();
        let names = indices.iter().map(|&i| swept[i].clone()).collect();
        Self { indices, names }
    }

    /// The columns' names: their paths.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A point's fields in these columns, from its value for each swept path.
    #[must_use]
    pub fn fields(&self, values: &[Json]) -> Vec<String> {
        self.indices.iter().map(|&i| plain(&values[i])).collect()
    }
}

/// The name of a swept path as a column: a key's if one shows it, else the path.
#[must_use]
pub fn column_name(path: &str) -> &str {
    match path {
        "name" => "scenario",
        "congestion_control.scheme" => "cca",
        _ if SHOWN.contains(&path) => path.rsplit('.').next().unwrap_or(path),
        _ => path,
    }
}

/// A value as text: strings bare, anything else as compact JSON.
#[must_use]
pub fn plain(json: &Json) -> String {
    match &json.value {
        Value::Text(text) => text.clone(),
        _ => compact(json).to_string(),
    }
}

fn common_size(result: &RunResult) -> Option<u64> {
    let mut sizes = result.collective().map(|flow| flow.spec.bytes);
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

/// Displays JSON without blanks, keys in the order of the file.
fn compact(json: &Json) -> Compact<'_> {
    Compact(json)
}

struct Compact<'a>(&'a Json);

impl std::fmt::Display for Compact<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match &self.0.value {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{}", serde_json::Value::from(*value)),
            Value::Text(text) => f.write_str(&quoted(text)),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { "," } else { "" }, compact(item))?;
                }
                f.write_str("]")
            }
            Value::Object(members) => {
                f.write_str("{")?;
                for (i, (key, value)) in members.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    write!(f, "{comma}{}:{}", quoted(key), compact(value))?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Origin;
    use crate::report::table::header_of;
    use crate::report::testing::names;

    fn json(value: Value) -> Json {
        Json {
            value,
            origin: Origin(0),
        }
    }

    #[test]
    fn the_column_table_is_the_header() {
        assert_eq!(names(COLUMNS), header_of::<Keys>());
    }

    #[test]
    fn only_swept_keys_that_no_column_shows_become_columns() {
        let swept = ["load_balancing.scheme", "fabric.buffer_bytes", "seed"].map(str::to_owned);
        let columns = SweptColumns::new(&swept);
        let values = [
            json(Value::Text("rps".into())),
            json(Value::Integer(9)),
            json(Value::Integer(1)),
        ];
        assert_eq!(columns.names(), ["fabric.buffer_bytes"]);
        assert_eq!(columns.fields(&values), ["9"]);
    }

    #[test]
    fn a_swept_object_is_compact_json_in_file_order() {
        let pipes = ("ports_per_pipe".to_owned(), json(Value::Integer(4)));
        let scheme = ("a\"b".to_owned(), json(Value::Float(1.0)));
        let list = json(Value::List(vec![
            json(Value::Null),
            json(Value::Bool(true)),
        ]));
        let object = json(Value::Object(vec![pipes, scheme, ("l".to_owned(), list)]));
        assert_eq!(
            plain(&object),
            r#"{"ports_per_pipe":4,"a\"b":1.0,"l":[null,true]}"#
        );
    }

    #[test]
    fn swept_paths_have_short_names_where_a_key_shows_them() {
        assert_eq!(column_name("load_balancing.scheme"), "scheme");
        assert_eq!(column_name("congestion_control.scheme"), "cca");
        assert_eq!(column_name("load_balancing"), "load_balancing");
    }
}
