//! The output folder: five files, and a trace if one is asked for, that appear together, or not at all.
//!
//! Everything is written in a hidden folder inside the output folder, so that a bad path fails before the first event and the
//! final renames stay on one file system. [`Output::commit`] moves the files into place; dropping an [`Output`] removes every trace.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::flows::{self, FlowRow};
use super::keys::Subject;
use super::links::{self, LinkRow};
use super::queues::{self, QueueRow};
use super::staging::{self, Leftovers};
use super::summary::SummaryRow;
use super::table::Table;
use super::trace::{self, EventRow};

/// Name of the effective scenario in the output folder.
pub const SCENARIO_FILE: &str = "scenario.json";

/// Every file that a run leaves, in the order in which they are moved into place.
pub const FILE_NAMES: [&str; 5] = [
    "summary.csv",
    "flows.csv",
    "queues.csv",
    "links.csv",
    SCENARIO_FILE,
];

/// The file of a traced flow. One of an earlier run would belong to none of the other files, so it goes when they are replaced.
pub const TRACE_FILE: &str = "trace.csv";

/// An output folder that is being filled.
#[derive(Debug)]
pub struct Output {
    // Dropped in this order: files are closed before their folder goes, and that before its parents.
    summary: Table<SummaryRow, File>,
    flows: Table<FlowRow, File>,
    queues: Table<QueueRow, File>,
    links: Table<LinkRow, File>,
    trace: Option<Table<EventRow, File>>,
    staging: TempDir,
    folder: Folder,
}

impl Output {
    /// Create `folder` if it is missing, and in it, out of sight, all files: headers and the effective scenario; and a trace, if
    /// `is_traced`.
    ///
    /// # Errors
    /// If a file of this name cannot be put there.
    pub fn create(
        folder: &Path,
        swept: &[String],
        scenario: &str,
        is_traced: bool,
    ) -> io::Result<Self> {
        let folder = Folder::create(folder)?;
        for name in FILE_NAMES.into_iter().chain([TRACE_FILE]) {
            if folder.path.join(name).is_dir() {
                return Err(io::Error::other(format!("{name} is a folder there")));
            }
        }
        staging::remove_stale(&folder.path);
        let staging = staging::create(&folder.path)?;
        let file = |name: &str| File::create(staging.path().join(name));
        fs::write(staging.path().join(SCENARIO_FILE), scenario)?;
        Ok(Self {
            summary: Table::new(file("summary.csv")?, swept)?,
            flows: Table::new(file("flows.csv")?, swept)?,
            queues: Table::new(file("queues.csv")?, swept)?,
            links: Table::new(file("links.csv")?, swept)?,
            trace: match is_traced {
                true => Some(Table::new(file(TRACE_FILE)?, swept)?),
                false => None,
            },
            staging,
            folder,
        })
    }

    /// What is left if this process ends without dropping or committing this.
    #[must_use]
    pub fn leftovers(&self) -> Leftovers {
        Leftovers {
            staging: self.staging.path().to_owned(),
            created: self.folder.created.clone(),
        }
    }

    /// Append one run to all tables.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(
        &mut self,
        subject: &Subject,
        summary: &SummaryRow,
        result: &crate::sim::RunResult,
    ) -> io::Result<()> {
        self.summary.write(subject, summary)?;
        flows::rows(result).try_for_each(|row| self.flows.write(subject, &row))?;
        queues::rows(result).try_for_each(|row| self.queues.write(subject, &row))?;
        links::rows(result).try_for_each(|row| self.links.write(subject, &row))?;
        match &mut self.trace {
            Some(trace) => trace::rows(result).try_for_each(|row| trace.write(subject, &row)),
            None => Ok(()),
        }
    }

    /// Move all files into place, over older ones.
    ///
    /// # Errors
    /// Those of the file system; older files are then back where they were.
    pub fn commit(mut self) -> io::Result<()> {
        self.summary.flush()?;
        self.flows.flush()?;
        self.queues.flush()?;
        self.links.flush()?;
        self.trace.as_mut().map_or(Ok(()), Table::flush)?;
        swap_in(self.staging.path(), &self.folder.path)?;
        self.folder.keep();
        self.staging.close()
    }
}

/// Rename every file from `staging` into `folder`, or, if one fails, none.
fn swap_in(staging: &Path, folder: &Path) -> io::Result<()> {
    let older = staging.join(staging::OLDER);
    fs::create_dir(&older)?;
    let mut moved: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut rename = |from: PathBuf, to: PathBuf| {
        let done = fs::rename(&from, &to);
        if done.is_ok() {
            moved.push((from, to));
        }
        done
    };
    let names = FILE_NAMES.into_iter().chain([TRACE_FILE]);
    let all_moved = names.into_iter().try_for_each(|name| {
        let (new, place) = (staging.join(name), folder.join(name));
        if place.symlink_metadata().is_ok() {
            rename(place.clone(), older.join(name))?;
        }
        if name == TRACE_FILE && !new.exists() {
            return Ok(());
        }
        rename(new, place)
    });
    if all_moved.is_err() {
        for (from, to) in moved.iter().rev() {
            // Best effort: the first error is the one to report.
            let _ = fs::rename(to, from);
        }
    }
    all_moved
}

/// The output folder and those of its parents that did not exist before; they go again unless kept.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Deepest first.
    created: Vec<PathBuf>,
}

impl Folder {
    fn create(path: &Path) -> io::Result<Self> {
        if path.exists() && !path.is_dir() {
            return Err(io::Error::other("this is no folder"));
        }
        let is_missing = |dir: &&Path| !dir.as_os_str().is_empty() && !dir.exists();
        let missing = path.ancestors().take_while(is_missing);
        let folder = Self {
            path: path.to_owned(),
            created: missing.map(Path::to_owned).collect(),
        };
        fs::create_dir_all(path)?;
        Ok(folder)
    }

    fn keep(&mut self) {
        self.created.clear();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for dir in &self.created {
            // Fails, rightly, if something else has been put there meanwhile.
            let _ = fs::remove_dir(dir);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{result, subject};

    fn entries(dir: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.expect("a readable folder");
            entry.file_name().into_string().expect("ASCII names")
        };
        let mut names: Vec<_> = fs::read_dir(dir)
            .expect("the folder exists")
            .map(name)
            .collect();
        names.sort();
        names
    }

    fn filled(dir: &Path, swept: &[String]) -> Output {
        filled_with(dir, swept, false)
    }

    fn filled_with(dir: &Path, swept: &[String], is_traced: bool) -> Output {
        let output = Output::create(dir, swept, "{}\n", is_traced);
        let mut output = output.expect("a writable folder");
        let mut subject = subject();
        subject.swept = vec!["a,b".to_owned(); swept.len()];
        let (result, row) = (result(), SummaryRow::new(&subject, &result()));
        output.write(&subject, &row, &result).expect("space");
        output
    }

    #[test]
    fn all_five_files_appear_at_the_end_and_nothing_else() {
        let temp = TempDir::new().expect("a temporary folder");
        let dir = temp.path().join("new/out");
        let output = filled(&dir, &[]);
        assert!(!dir.join("summary.csv").exists(), "nothing in place yet");
        output.commit().expect("renames work");
        let mut expected = FILE_NAMES.map(str::to_owned);
        expected.sort();
        assert_eq!(entries(&dir), expected);
        let links = fs::read_to_string(dir.join("links.csv")).expect("written");
        assert_eq!(links.lines().count(), 9, "a header and eight links");
    }

    #[test]
    fn keys_come_first_then_swept_columns_then_the_row() {
        let temp = TempDir::new().expect("a temporary folder");
        let output = filled(temp.path(), &["fabric.buffer_bytes".to_owned()]);
        output.commit().expect("renames work");
        let queues = fs::read_to_string(temp.path().join("queues.csv")).expect("written");
        let mut lines = queues.lines();
        assert_eq!(
            lines.next().expect("a header"),
            "scenario,scheme,cca,levels,k,hosts,message_bytes,load,seed,fabric.buffer_bytes,stage,ports,\
             max_packets,max_bytes,mean_packets,mean_bytes,marked_packets,dropped_packets,\
             worst_link_overload_pct,lost_packets,trimmed_packets,pauses,paused_ps,paused_ports"
        );
        assert_eq!(
            lines.next().expect("a row"),
            "by hand,rps,none,2,2,2,,1.0,7,\"a,b\",nic,2,1,4158,0.500000,2000.000000,0,0,0.0000,0,0,0,0,0"
        );
    }

    #[test]
    fn an_abandoned_output_leaves_nothing_behind() {
        let temp = TempDir::new().expect("a temporary folder");
        drop(filled(&temp.path().join("a/b"), &[]));
        assert_eq!(entries(temp.path()), [""; 0]);
    }

    #[test]
    fn an_abandoned_output_leaves_older_files_alone() {
        let temp = TempDir::new().expect("a temporary folder");
        fs::write(temp.path().join("summary.csv"), "old").expect("space");
        drop(filled(temp.path(), &[]));
        assert_eq!(entries(temp.path()), ["summary.csv"]);
    }

    #[test]
    fn older_files_are_replaced() {
        let temp = TempDir::new().expect("a temporary folder");
        fs::write(temp.path().join("flows.csv"), "old").expect("space");
        filled(temp.path(), &[]).commit().expect("renames work");
        let flows = fs::read_to_string(temp.path().join("flows.csv")).expect("written");
        assert!(flows.starts_with("scenario,"));
    }

    #[test]
    fn a_trace_is_there_if_asked_for_and_that_of_an_earlier_run_is_not() {
        let temp = TempDir::new().expect("a temporary folder");
        let traced = filled_with(temp.path(), &[], true);
        traced.commit().expect("renames work");
        let trace = fs::read_to_string(temp.path().join(TRACE_FILE)).expect("written");
        assert!(trace.ends_with(
            ",seed,time_ps,event,psn,bytes,window_bytes,in_flight_bytes,rtt_ps,marked,path,decision\n"
        ));
        filled(temp.path(), &[]).commit().expect("renames work");
        let mut expected = FILE_NAMES.map(str::to_owned);
        expected.sort();
        assert_eq!(entries(temp.path()), expected);
    }

    #[test]
    fn a_failed_rename_restores_every_older_file() {
        let temp = TempDir::new().expect("a temporary folder");
        fs::write(temp.path().join("summary.csv"), "old").expect("space");
        let output = filled(temp.path(), &[]);
        fs::remove_file(output.staging.path().join("links.csv")).expect("it is there");
        output.commit().expect_err("links.csv is gone");
        assert_eq!(entries(temp.path()), ["summary.csv"]);
        let summary = fs::read_to_string(temp.path().join("summary.csv")).expect("kept");
        assert_eq!(summary, "old");
    }

    #[test]
    fn a_folder_in_a_files_place_fails_at_once() {
        let temp = TempDir::new().expect("a temporary folder");
        fs::create_dir(temp.path().join("links.csv")).expect("space");
        Output::create(temp.path(), &[], "", false).expect_err("links.csv is a folder");
        assert_eq!(entries(temp.path()), ["links.csv"]);
    }

    #[test]
    fn a_file_in_the_folders_place_fails_at_once() {
        let temp = TempDir::new().expect("a temporary folder");
        let file = temp.path().join("out");
        fs::write(&file, "").expect("space");
        Output::create(&file, &[], "", false).expect_err("a file is no folder");
    }
}
