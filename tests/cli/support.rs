//! Running the command in a folder of its own, and looking at what came out.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The files of `--out`, sorted by name.
pub(crate) const FILES: [&str; 5] = [
    "flows.csv",
    "links.csv",
    "queues.csv",
    "scenario.json",
    "summary.csv",
];

/// A scenario of 16 hosts that takes a moment.
pub(crate) const SMALL: &str = r#"{
  "repeats": 2,
  "fabric": {"k": 4},
  "load_balancing": {"scheme": "rps"},
  "workload": {"kind": "permutation", "message_bytes": 20000}
}"#;

/// A folder with scenarios.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// With these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// With `x.json`.
    pub(crate) fn of(scenario: &str) -> Self {
        Self::new(&[("x.json", scenario)])
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(file, bytes).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names of what lies in it, sorted.
    pub(crate) fn entries(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).expect("a folder");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Run the command here.
    pub(crate) fn spraysim(&self, args: &[&str]) -> Ended {
        spraysim_in(self.0.path(), args)
    }

    /// The bytes of `--out` in folder `name`, file by file.
    pub(crate) fn outputs(&self, name: &str) -> Vec<(String, String)> {
        let names = self.entries(name);
        assert_eq!(names, FILES);
        let read = |file: String| {
            let text = self.read(&format!("{name}/{file}"));
            (file, text)
        };
        names.into_iter().map(read).collect()
    }
}

/// How the command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the command writes UTF-8");
        Self {
            code: output.status.code().expect("no signal ends it"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// It did what it should.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.err);
        self
    }

    /// It refused its input, with nothing on stdout; the lines of stderr.
    #[track_caller]
    pub(crate) fn refused(self) -> Vec<String> {
        assert_eq!(self.code, 2, "{}{}", self.out, self.err);
        assert_eq!(self.out, "");
        self.err.lines().map(str::to_owned).collect()
    }
}

/// Run the command in `dir`.
pub(crate) fn spraysim_in(dir: &Path, args: &[impl AsRef<OsStr>]) -> Ended {
    let output = command().current_dir(dir).args(args).output();
    Ended::of(output.expect("the command starts"))
}

/// The command, yet to be run.
pub(crate) fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_spraysim"))
}

/// The header and the rows of a CSV.
pub(crate) fn table(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let fields = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
    let header = fields(reader.headers().expect("a header"));
    let rows = reader.records();
    let rows = rows.map(|row| fields(&row.expect("as many fields as the header")));
    (header, rows.collect())
}

/// Some columns of a CSV, row by row.
pub(crate) fn columns(text: &str, names: &[&str]) -> Vec<Vec<String>> {
    let (header, rows) = table(text);
    let place = |name: &&str| {
        let at = header.iter().position(|column| column == name);
        at.unwrap_or_else(|| panic!("no column {name} in {header:?}"))
    };
    let places: Vec<usize> = names.iter().map(place).collect();
    let pick = |row: &Vec<String>| places.iter().map(|&at| row[at].clone()).collect();
    rows.iter().map(pick).collect()
}

/// One column of a CSV.
pub(crate) fn column(text: &str, name: &str) -> Vec<String> {
    columns(text, &[name]).into_iter().flatten().collect()
}

/// Files that others wrote stay out of this repository: `SPRAYSIM_INPUTS`, or `../shared/inputs` beside it.
pub(crate) fn input(path: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/inputs");
    let root = std::env::var_os("SPRAYSIM_INPUTS").map_or_else(beside, PathBuf::from);
    let file = root.join(path);
    if file.exists() {
        return Some(file.canonicalize().expect("it exists"));
    }
    println!("skipped: no {}", file.display());
    None
}
