//! The command line: one file a subcommand. Data goes to stdout, everything said about it to stderr.

mod check;
mod derived;
mod failures;
mod input;
mod interrupt;
mod list;
mod progress;
mod run;
mod sinks;
mod stderr;
mod stdout;
mod table;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit codes: a contract.
pub mod exit {
    /// Done.
    pub const DONE: u8 = 0;
    /// Bad input or usage (clap uses the same).
    pub const BAD_INPUT: u8 = 2;
    /// Some run ended with unfinished flows; its rows are written.
    pub const UNFINISHED: u8 = 3;
    /// An internal error, or results that could not be written once the runs had begun.
    pub const INTERNAL: u8 = 4;
    /// Ended by Ctrl-C or SIGTERM; nothing is left of `--out`.
    pub const INTERRUPTED: u8 = 130;
}

/// Packet-level simulator of load balancing in the fat-tree fabrics of AI clusters.
///
/// A scenario (a JSON file) says what fabric, scheme and traffic to simulate; every packet is simulated, to the picosecond. The same
/// scenario, seed and version give the same bytes in every CSV.
#[derive(Debug, Parser)]
#[command(name = "spraysim", version, after_help = EXAMPLES, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scenario: all points of its sweep, each with several seeds
    Run(run::RunArgs),
    /// Validate a scenario and show what follows from it, without simulating
    Check(check::CheckArgs),
    /// List schemes, congestion control, workloads and the other keys of a scenario
    List(list::ListArgs),
}

const EXAMPLES: &str = "\
A first scenario, first.json (`spraysim list` shows all keys and their defaults):
  {
    \"fabric\": { \"k\": 4 },
    \"load_balancing\": { \"scheme\": \"ofan\" },
    \"workload\": { \"kind\": \"permutation\", \"message_bytes\": 1048576 },
    \"sweep\": { \"load_balancing.scheme\": [\"rps\", \"ofan\"] }
  }

Examples:
  spraysim check first.json                 is it right, how large, what bounds it?
  spraysim run first.json                   a table: one line a point of the sweep
  spraysim run first.json --out results     five files, e.g. results/summary.csv
  spraysim run first.json --set fabric.k=8 --repeats 3 --csv > summary.csv

Exit codes: 0 done; 2 bad input or usage; 3 some flow did not finish (rows are
written all the same); 4 internal error, or results could not be written;
130 interrupted (no files are written).";

/// Why the command failed.
#[derive(Debug)]
struct Failure {
    code: u8,
    /// For stderr: one `error: ` a line.
    text: String,
}

impl Failure {
    fn input(error: impl std::fmt::Display) -> Self {
        Self {
            code: exit::BAD_INPUT,
            text: error.to_string(),
        }
    }

    fn internal(error: impl std::fmt::Display) -> Self {
        Self {
            code: exit::INTERNAL,
            text: error.to_string(),
        }
    }
}

/// Run the command with `args` (the program's name first) and say how it ended.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let ended = catch_unwind(AssertUnwindSafe(|| command(args)));
    // The panic hook has told about a panic already.
    ExitCode::from(ended.unwrap_or(exit::INTERNAL))
}

fn command(args: Vec<OsString>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Nobody is left to be told if this fails, and `--help | head` is no failure.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(exit::BAD_INPUT);
        }
    };
    let ended = match &cli.command {
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::check(args).map(|()| exit::DONE),
        Command::List(args) => list::list(args).map(|()| exit::DONE),
    };
    ended.unwrap_or_else(|failure| {
        for line in failure.text.lines() {
            stderr::tell(format_args!("error: {line}"));
        }
        failure.code
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn ends_with(args: &[&str]) -> u8 {
        command(args.iter().map(OsString::from).collect())
    }

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn bad_usage_is_bad_input() {
        assert_eq!(ends_with(&["spraysim", "fly"]), exit::BAD_INPUT);
        let no_threads = ["spraysim", "run", "x.json", "--threads", "0"];
        assert_eq!(ends_with(&no_threads), exit::BAD_INPUT);
        let no_repeats = ["spraysim", "run", "x.json", "--repeats", "0"];
        assert_eq!(ends_with(&no_repeats), exit::BAD_INPUT);
    }

    #[test]
    fn help_and_version_are_no_failures() {
        assert_eq!(ends_with(&["spraysim", "--version"]), exit::DONE);
        assert_eq!(ends_with(&["spraysim", "run", "--help"]), exit::DONE);
    }

    #[test]
    fn a_missing_scenario_is_bad_input() {
        let missing = ["spraysim", "run", "no/such/file.json"];
        assert_eq!(ends_with(&missing), exit::BAD_INPUT);
    }
}
