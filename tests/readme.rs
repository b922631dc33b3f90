//! The README, the scenarios and the change log: what they say is what the program does.
//!
//! `UPDATE_README=1 cargo test --test readme` rewrites the README's generated blocks and the quickstart's reference result.

#[path = "readme/controllers.rs"]
mod controllers;
#[path = "readme/figure12.rs"]
mod figure12;
#[path = "readme/profiles.rs"]
mod profiles;
#[path = "readme/references.rs"]
mod references;
#[path = "readme/skew.rs"]
mod skew;
#[path = "readme/targets.rs"]
mod targets;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use spraysim::fields::{KeyDoc, PathDoc};
use spraysim::lb::SCHEMES;
use spraysim::report::{self, Column};
use spraysim::scenario::keys;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_spraysim");

const TEST_COMMAND: &str = "cargo test";
const QUICKSTART_COMMAND: &str = "cargo run --release -- run scenarios/quickstart.json";
const REFERENCE: &str = "scenarios/reference/quickstart/summary.csv";

/// Profiles that leave fabric, scheme and workload to the scenarios that take them, and such a rest.
const PARTS: [&str; 2] = ["uet.json", "fork.json"];
const REST: [&str; 4] = [
    "fabric.k=4",
    "load_balancing.scheme=rps",
    "workload.kind=permutation",
    "workload.message_bytes=1048576",
];

/// Held while the README is rewritten.
static README: Mutex<()> = Mutex::new(());

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README, not while it is rewritten.
fn readme() -> String {
    let _guard = README.lock().unwrap_or_else(PoisonError::into_inner);
    read("README.md")
}

/// The README has a paragraph that begins with each of these names.
fn explains<'a>(names: impl IntoIterator<Item = &'a str>) {
    let readme = readme();
    for name in names {
        let start = format!("\n- **`{name}`**");
        assert!(readme.contains(&start), "README.md has no item{start}");
    }
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

fn is_update() -> bool {
    std::env::var_os("UPDATE_README").is_some()
}

/// The README's generated block `name` must be `text`; an update makes it so.
fn hold(name: &str, text: &str) {
    let guard = README.lock().unwrap_or_else(PoisonError::into_inner);
    let readme = read("README.md");
    let (begin, end) = (
        format!("<!-- begin: {name} -->\n"),
        format!("<!-- end: {name} -->\n"),
    );
    let (before, rest) = readme
        .split_once(&begin)
        .unwrap_or_else(|| panic!("the README has no block {name}"));
    let (block, after) = rest
        .split_once(&end)
        .unwrap_or_else(|| panic!("the README's block {name} has no end"));
    if is_update() {
        let updated = format!("{before}{begin}{text}{end}{after}");
        fs::write(root().join("README.md"), updated).expect("the README can be written");
        return;
    }
    drop(guard);
    assert_eq!(
        block, text,
        "the README's block {name}; UPDATE_README=1 cargo test --test readme rewrites it"
    );
}

/// The README's fenced blocks of one language, each with its last line break.
fn fenced(language: &str) -> Vec<String> {
    let (readme, mut blocks, mut open) = (readme(), Vec::new(), None);
    for line in readme.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => open = Some((info == language, String::new())),
            (None, Some((_, text))) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    let wanted = blocks.into_iter().filter(|(wanted, _)| *wanted);
    wanted.map(|(_, text)| text).collect()
}

/// A Markdown table.
fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<_> = row
            .iter()
            .map(|cell| cell.replace('|', "\\|").replace('*', "\\*"))
            .collect();
        writeln!(text, "| {} |", cells.join(" | ")).expect("a String takes everything");
    }
    format!("\n{text}\n")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn columns_table(columns: &[Column]) -> String {
    let row = |column: &Column| {
        let (unit, definition) = (column.unit.to_owned(), column.definition.to_owned());
        vec![code(column.name), unit, definition]
    };
    table(&["column", "unit", "definition"], columns.iter().map(row))
}

/// Every `.json` file of a folder of the repository.
fn scenarios(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has scenarios");
    paths
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("space");
    for entry in fs::read_dir(from).expect("the folder exists") {
        let path = entry.expect("a readable folder").path();
        let place = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &place);
        } else {
            fs::copy(&path, &place).expect("space");
        }
    }
}

/// A temporary folder with what the README's commands read.
fn workplace() -> TempDir {
    let temp = TempDir::new().expect("a temporary folder");
    for folder in ["scenarios", "configs"] {
        copy_folder(&root().join(folder), &temp.path().join(folder));
    }
    temp
}

/// Run `script` in `dir` with the built binary first on the path.
fn shell(script: &str, dir: &Path) -> Output {
    let bin = Path::new(BINARY).parent().expect("a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&others)));
    let mut command = Command::new("sh");
    command.args(["-e", "-c", script]).current_dir(dir);
    command.env("PATH", path.expect("no colon in the path of the build"));
    command.output().expect("sh runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn assert_done(output: &Output) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
}

#[test]
fn the_first_block_is_the_two_commands_and_the_checks_run_the_second() {
    assert_eq!(
        fenced("console").first().map(String::as_str),
        Some(format!("{QUICKSTART_COMMAND}\n{TEST_COMMAND}\n").as_str())
    );
    let readme = readme();
    let line = readme.lines().position(|line| line.starts_with("```"));
    assert!(line < Some(8), "the commands stand at the top");
    let checks = read(".ci/run");
    let steps: Vec<_> = checks.lines().collect();
    assert!(steps.contains(&format!("step {TEST_COMMAND}").as_str()));
    assert!(read(".github/workflows/ci.yml").contains("run: bash .ci/run\n"));
}

#[test]
fn the_quickstart_gives_the_printed_table_and_the_reference() {
    let block = fenced("sh").pop().expect("a block with diff");
    let run = QUICKSTART_COMMAND.replace("cargo run --release --", "spraysim");
    assert!(block.starts_with(&format!("{run} --out out/quickstart\n")));
    assert!(block.ends_with(&format!(" {REFERENCE}\n")));
    let temp = workplace();
    if is_update() {
        let (first, _) = block.split_once('\n').expect("two lines");
        assert_done(&shell(first, temp.path()));
        for to in [root(), temp.path()] {
            let from = temp.path().join("out/quickstart/summary.csv");
            fs::copy(from, to.join(REFERENCE)).expect("space");
        }
    }
    let output = shell(&block, temp.path());
    assert_done(&output);
    let table = text(&output.stdout);
    hold("quickstart", &format!("\n```text\n{table}```\n\n"));
}

#[test]
fn the_shell_loop_works_as_printed() {
    let blocks = fenced("sh");
    assert_eq!(blocks.len(), 2, "the loop, then the diff");
    let temp = workplace();
    assert_done(&shell(&blocks[0], temp.path()));
    let all = fs::read_to_string(temp.path().join("out/loop.csv")).expect("the loop wrote it");
    let schemes = 10;
    assert_eq!(all.lines().count(), 1 + 3 * 3 * schemes * 2);
    let points: BTreeSet<_> = all
        .lines()
        .map(|line| line.split(',').skip(1).take(8).collect::<Vec<_>>())
        .collect();
    assert_eq!(points.len(), all.lines().count(), "no row twice");
}

#[test]
fn every_scenario_passes_check_and_the_readme_knows_its_size() {
    let readme = readme();
    for folder in ["scenarios", "configs"] {
        for path in scenarios(folder) {
            let file = path.file_name().and_then(|name| name.to_str());
            let file = file.expect("an ASCII name");
            let mut command = Command::new(BINARY);
            command.arg("check").arg(&path);
            if PARTS.contains(&file) {
                command.args(REST.iter().flat_map(|set| ["--set", set]));
            }
            let output = command.output().expect("the binary runs");
            assert_done(&output);
            let link = format!("[`{file}`]({folder}/{file})");
            if folder == "configs" {
                assert!(readme.contains(&format!("({folder}/{file})")), "{file}");
                continue;
            }
            let (runs, hops) = size(text(&output.stdout));
            let row = readme
                .lines()
                .find(|line| line.starts_with(&format!("| {link} |")))
                .unwrap_or_else(|| panic!("the README's table has no {file}"));
            let ending = format!("| {runs} | {:.0} M |", hops / 1e6);
            assert!(row.ends_with(&ending), "{file}: {ending}");
        }
    }
}

/// Runs and packet-hops, from the first line of `check`.
fn size(checked: &str) -> (u64, f64) {
    let line = checked.lines().next().expect("a line");
    let number = |after: &str| {
        let (_, rest) = line.split_once(after).expect("check's first line");
        let digits = rest.split(' ').next().expect("a word");
        digits.parse().expect("a number")
    };
    (number(" = "), number("about ") as f64)
}

#[test]
fn the_table_of_keys_is_that_of_the_program() {
    let rows = keys().iter().map(|PathDoc { path, key }| {
        let default = match (key.default_json(), key.unset) {
            (Some(json), _) => code(&json),
            (None, "") => "–".to_owned(),
            (None, unset) => unset.to_owned(),
        };
        vec![code(path), key.allowed(), default, key.explained()]
    });
    hold(
        "keys",
        &table(&["key", "allowed", "default", "meaning"], rows),
    );
}

/// A row for each parameter of `tables` (name and keys), with all that have the very same one.
fn parameters<'a>(
    tables: impl Iterator<Item = (&'a str, Vec<KeyDoc>)>,
) -> impl Iterator<Item = Vec<String>> {
    let mut rows: Vec<(Vec<String>, [String; 4])> = Vec::new();
    for (name, keys) in tables {
        for key in keys {
            let default = key.default_json().expect("a parameter has a default");
            let row = [
                code(key.name),
                key.allowed(),
                code(&default),
                key.about.to_owned(),
            ];
            match rows.iter_mut().find(|(_, known)| *known == row) {
                Some((takers, _)) => takers.push(code(name)),
                None => rows.push((vec![code(name)], row)),
            }
        }
    }
    rows.into_iter()
        .map(|(takers, row)| [vec![takers.join(", ")], row.to_vec()].concat())
}

#[test]
fn the_table_of_parameters_is_that_of_the_program() {
    let rows = parameters(SCHEMES.iter().map(|row| (row.name, (row.keys)())));
    let head = ["scheme", "parameter", "allowed", "default", "meaning"];
    hold("parameters", &table(&head, rows));
}

#[test]
fn every_scheme_has_its_paragraph() {
    explains(SCHEMES.iter().map(|row| row.name));
}

#[test]
fn the_tables_of_columns_are_those_of_the_files() {
    hold("run keys", &columns_table(report::keys::COLUMNS));
    for (file, columns) in report::FILES {
        hold(file, &columns_table(columns));
    }
}

#[test]
fn every_link_and_path_of_the_readme_exists() {
    let readme = readme();
    let anchors: BTreeSet<String> = readme
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| slug(line.trim_start_matches(['#', ' '])))
        .collect();
    for (_, rest) in readme
        .match_indices("](")
        .map(|(at, _)| readme.split_at(at + 2))
    {
        let target = rest.split(')').next().expect("a link has an end");
        match target.strip_prefix('#') {
            Some(anchor) => assert!(anchors.contains(anchor), "#{anchor}"),
            None if target.starts_with("http") => {}
            None => assert!(root().join(target).exists(), "{target}"),
        }
    }
    let is_end = |c: char| c.is_whitespace() || "`()[]\",;<*".contains(c);
    let folders = [
        "src/",
        "scenarios/",
        "configs/",
        "tests/",
        ".ci/",
        ".github/",
    ];
    for word in readme.split(is_end) {
        if folders.iter().any(|folder| word.starts_with(folder)) {
            assert!(root().join(word).exists(), "{word}");
        }
    }
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

#[test]
fn the_closest_exchange_is_as_far_above_the_bound_as_the_readme_says() {
    let mut command = Command::new(BINARY);
    command.args(["run", "scenarios/appendix_a_exchange.json", "--csv", "-q"]);
    let output = command.current_dir(root()).output();
    let output = output.expect("the binary runs");
    assert_done(&output);
    let mut rows = text(&output.stdout).lines().map(|row| row.split(','));
    let header: Vec<_> = rows.next().expect("a header").collect();
    let at = |name| header.iter().position(|&column| column == name);
    let (cct, bound) = (at("cct_ps"), at("lower_bound_ps"));
    let number = |row: &[&str], at: Option<usize>| -> u64 {
        row[at.expect("a column")].parse().expect("a number")
    };
    let rows = rows.map(|row| row.collect::<Vec<_>>());
    let least = rows.map(|row| (number(&row, cct), number(&row, bound)));
    let (cct, bound) = least.min().expect("runs");
    let (tenths, above) = ((cct + 50) / 100, (cct - bound + 50) / 100);
    let (us, ns, tenth) = (tenths / 10_000, tenths / 10 % 1000, tenths % 10);
    let (nanoseconds, rest) = (above / 10, above % 10);
    let told = format!(
        "{us},{ns:03}.{tenth} ns at k = 12 with `ofan`, {nanoseconds}.{rest} ns above the bound"
    );
    let words: Vec<_> = told.split(' ').collect();
    let readme = readme();
    let all: Vec<_> = readme.split_whitespace().collect();
    let holds = all.windows(words.len()).any(|part| {
        std::iter::zip(part, &words).all(|(said, word)| said.trim_end_matches('.') == *word)
    });
    assert!(holds, "the README should say: {told}");
}

#[test]
fn the_change_log_has_this_version() {
    let heading = format!("\n## [{}]", env!("CARGO_PKG_VERSION"));
    let changelog = read("CHANGELOG.md");
    assert!(changelog.contains("\n## [Unreleased]\n"));
    assert!(changelog.contains(&heading), "{heading}");
}
