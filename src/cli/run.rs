//! `spraysim run`: simulate every point and seed of a scenario.

mod tally;

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::input::{InputArgs, counted, point_name, whole};
use super::progress::Board;
use super::sinks::{Sinks, Targets};
use super::stderr::tell;
use super::{Failure, failures, interrupt};
use crate::experiment::{self, Run, Runs, Sharing, Stopped, Work, in_order};
use crate::report::{Keys, Subject, SweptColumns};
use crate::scenario::Plan;
use crate::sim::RunResult;
use crate::sim::estimate::{self, Memory};
use crate::sim::{self, Engine, RunOptions, Timings};
use crate::theory::{self, fabric_numbers};
use crate::workload;
use tally::Tally;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Threads to use, for runs side by side or inside a long run; results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads)]
    threads: Option<NonZeroUsize>,

    /// Event engine; results do not depend on it [default: windowed, or heap where link_latency_ns is 0]
    #[arg(long, value_enum, value_name = "ENGINE")]
    engine: Option<EngineArg>,

    /// Write summary.csv, flows.csv, queues.csv, links.csv and scenario.json to this folder (made if missing; files are replaced)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print the summary as CSV (a header and a row a run) instead of the table
    #[arg(long)]
    csv: bool,

    /// Refuse to begin if the runs at a time are estimated to need more memory than this, in GB (10^9 bytes)
    #[arg(long, value_name = "GB", value_parser = gigabytes)]
    max_memory: Option<f64>,

    /// Write trace.csv beside the other files: every packet, ACK, loss and timeout of the flow with this number in the column `flow` of
    /// flows.csv
    #[arg(long, value_name = "flow=ID", value_parser = traced, requires = "out")]
    trace: Option<u32>,

    /// Tell on stderr, a line a run, where all frames went that hosts sent; that they add up is checked with or without this
    #[arg(long)]
    audit: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short)]
    quiet: bool,
}

/// The engines as the command line names them.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineArg {
    /// Windows of one link latency: fast
    Windowed,
    /// One global event heap: the textbook reference
    Heap,
}

const EXAMPLES: &str = "\
Examples:
  spraysim run scenarios/quickstart.json
  spraysim run scenarios/quickstart.json --out results --threads 4
  for size in 65536 1048576; do
    spraysim run scenarios/quickstart.json --out results/$size \\
      --set workload.message_bytes=$size
  done

The table has a line for each point of the sweep: mean ± standard error over its
runs. CCT is the collective completion time, from the first bit sent to the last
ACK received; the bound is its lower bound (`spraysim check` says of which kind).";

/// What comes out of one run.
struct Done {
    run: Run,
    subject: Subject,
    result: RunResult,
    timings: Timings,
}

/// Why `run` stops before the last result.
enum Halt {
    /// The reader of stdout has left and nobody else is listening.
    Unheard,
    Failed(Failure),
}

/// Run the command.
pub(super) fn run(args: &RunArgs) -> Result<u8, Failure> {
    let plan = args.input.load()?;
    let job = Job::new(&plan, args)?;
    let threads = match args.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let largest = job.largest();
    let sharing = Sharing::of(threads, job.runs.count(), largest.work);
    if let Some(limit) = args.max_memory {
        largest.fits(sharing, limit)?;
    }
    interrupt::watch();
    let mut sinks = job.sinks(args)?;
    if !args.quiet {
        let points = counted(plan.points.len() as u64, "point");
        let runs = counted(job.runs.count(), "run");
        let at_a_time = counted(sharing.side_by_side.get() as u64, "run");
        let each = counted(sharing.inside as u64, "thread");
        tell(format_args!(
            "{}: {points}, {runs}; {at_a_time} at a time, {each} each",
            plan.name
        ));
        plan.notes.iter().for_each(tell);
    }
    job.board.show();
    let mut tally = Tally::new(args.audit);
    let work = |index| job.simulate(index, sharing.inside);
    let ended = in_order(
        job.runs.count(),
        sharing.side_by_side,
        work,
        |_, done: Done| {
            tally.add(&plan, &done);
            match sinks.take(done.run.point, &done.subject, &done.result) {
                Ok(true) => Ok(()),
                Ok(false) => Err(Halt::Unheard),
                Err(failure) => Err(Halt::Failed(failure)),
            }
        },
    );
    job.board.clear();
    match ended {
        Ok(()) => sinks.finish()?,
        Err(Stopped::Refused(Halt::Unheard)) => {}
        Err(Stopped::Refused(Halt::Failed(failure))) => return Err(failure),
        Err(Stopped::Panicked {
            job: index,
            message,
        }) => {
            let name = run_name(&plan, job.runs.get(index));
            return Err(Failure::internal(format!("internal: {name}: {message}")));
        }
    }
    if !args.quiet {
        tally.tell(sinks.writing);
    }
    Ok(tally.exit_code())
}

/// All that a worker needs.
struct Job<'a> {
    plan: &'a Plan,
    runs: Runs,
    columns: SweptColumns,
    /// One a point.
    engines: Vec<Engine>,
    /// The flow to trace.
    trace: Option<u32>,
    board: Board,
}

impl<'a> Job<'a> {
    fn new(plan: &'a Plan, args: &RunArgs) -> Result<Self, Failure> {
        let seeds = plan.points.iter().map(|point| point.seed).collect();
        let runs = Runs::new(seeds, plan.repeats).map_err(Failure::input)?;
        failures::foresee(&args.input.file(), plan, &runs)?;
        let asked = args.engine.map(|engine| match engine {
            EngineArg::Windowed => Engine::Windowed,
            EngineArg::Heap => Engine::Heap,
        });
        let engines = plan.points.iter().map(|point| {
            let latency = point.scenario.fabric.shortest_latency();
            experiment::engine(asked, latency).map_err(Failure::input)
        });
        let engines = engines.collect::<Result<_, _>>()?;
        if let Some(flow) = args.trace {
            exists_everywhere(flow, plan)?;
        }
        // Rows that scroll by are progress enough, and would tear the bar apart.
        let shows_rows = args.csv && std::io::stdout().is_terminal();
        Ok(Self {
            plan,
            columns: SweptColumns::new(&plan.swept),
            engines,
            trace: args.trace,
            board: Board::new(runs.count(), args.quiet || shows_rows),
            runs,
        })
    }

    /// Where results go, opened before the first event.
    fn sinks(&self, args: &RunArgs) -> Result<Sinks, Failure> {
        let targets = Targets {
            out: args.out.as_deref(),
            trace: args.trace.is_some(),
            csv: args.csv,
        };
        Sinks::open(self.plan, &self.columns, targets)
    }

    /// About what the largest of the runs takes.
    fn largest(&self) -> Needs {
        let points = self.plan.points.iter();
        points.fold(Needs::default(), |largest, point| {
            let traffic = workload::traffic(&point.scenario, point.seed);
            let outages = failures::outages(&point.scenario, point.seed, &traffic.flows);
            let packet_hops =
                fabric_numbers::packet_hops(&point.scenario, &traffic.flows, outages.as_ref());
            let memory = estimate::memory(&point.scenario, &traffic);
            let span = theory::lower_bound(&point.scenario, &traffic).span;
            let work = Work {
                packet_hops,
                windows: estimate::windows(&point.scenario, span, packet_hops),
            };
            Needs {
                work: largest.work.max(work),
                memory: largest.memory.max(memory),
            }
        })
    }

    /// One run, on a worker.
    fn simulate(&self, index: u64, threads: usize) -> Done {
        let run = self.runs.get(index);
        let point = &self.plan.points[run.point];
        let scenario = &point.scenario;
        let traffic = workload::traffic(scenario, run.seed);
        let lower_bound = theory::lower_bound(scenario, &traffic);
        let progress = self.board.begin(lower_bound.span);
        let options = RunOptions {
            trace: self.trace,
            ..RunOptions::new(self.engines[run.point], threads)
        };
        let (result, timings) = sim::run_flows(scenario, traffic, run.seed, options, &progress);
        self.board.end(&progress);
        let subject = Subject {
            keys: Keys::of(scenario, run.seed, &result),
            swept: self.columns.fields(&point.values),
            link_rate: scenario.fabric.host_rate(),
            lower_bound,
        };
        Done {
            run,
            subject,
            result,
            timings,
        }
    }
}

/// Whether every point has a flow of that number, whatever the seed.
fn exists_everywhere(flow: u32, plan: &Plan) -> Result<(), Failure> {
    for (index, point) in plan.points.iter().enumerate() {
        let flows = workload::traffic(&point.scenario, point.seed).flows.len();
        if flow as usize >= flows {
            let name = point_name(&plan.swept, index, &point.values);
            return Err(Failure::input(format!(
                "--trace flow={flow}: {name} has no such flow; allowed: flow=0 to flow={}",
                flows.saturating_sub(1)
            )));
        }
    }
    Ok(())
}

/// The number of a flow.
fn traced(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("flow=");
    let number = number.and_then(|number| number.parse().ok());
    number.ok_or_else(|| {
        "allowed: flow=ID, ID being a number of the column `flow` of flows.csv".to_owned()
    })
}

/// About what a run takes.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// That of the longest.
    work: Work,
    memory: Memory,
}

impl Needs {
    /// Whether the runs that go on at a time fit into `limit` GB.
    fn fits(self, sharing: Sharing, limit: f64) -> Result<(), Failure> {
        let runs = sharing.side_by_side.get() as u64;
        let needed = self.memory.with(sharing.inside) as f64 * runs as f64 / 1e9;
        if needed <= limit {
            return Ok(());
        }
        Err(Failure::input(format!(
            "--max-memory {limit}: {} at a time would take about {needed:.3} GB; allow more, use fewer --threads, or a smaller fabric",
            counted(runs, "run")
        )))
    }
}

/// A number of threads that a system may have.
fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = whole(text, 1..=1024)?;
    Ok(NonZeroUsize::new(number as usize).unwrap_or(NonZeroUsize::MIN))
}

/// A positive number of gigabytes.
fn gigabytes(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|gb: &f64| gb.is_finite() && *gb > 0.0);
    number.ok_or_else(|| "allowed: a number of GB above 0".to_owned())
}

/// A run as messages name it.
pub(super) fn run_name(plan: &Plan, run: Run) -> String {
    let values = &plan.points[run.point].values;
    let point = point_name(&plan.swept, run.point, values);
    format!("{point}, seed {}", run.seed)
}
