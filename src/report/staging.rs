//! Folders in which results wait until they are whole: hidden, inside the output folder, and named by the process that fills them,
//! so that a later run can tell which of them nobody will ever finish.

use std::path::{Path, PathBuf};
use std::{fs, io, process};

use tempfile::TempDir;

/// Where files that are being replaced wait meanwhile.
pub(super) const OLDER: &str = "older";

/// A new one in `folder`.
pub(super) fn create(folder: &Path) -> io::Result<TempDir> {
    let prefix = format!("{}{}-", prefix(), process::id());
    tempfile::Builder::new().prefix(&prefix).tempdir_in(folder)
}

/// Remove those in `folder` whose process is no more. Best effort: they are only in the way.
pub(super) fn remove_stale(folder: &Path) {
    // Process numbers mean nothing unless the system tells which ones there are.
    if !Path::new("/proc/self").exists() {
        return;
    }
    let prefix = prefix();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| process_of(name, &prefix));
        let is_dead = process.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists());
        if is_dead && !holds_older_files(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// How the names begin, up to the process number: with the machine and its set of process numbers, since a folder may be shared.
fn prefix() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let mut owner = host + &space.to_string_lossy();
    owner.retain(|c| c.is_ascii_alphanumeric());
    format!(".spraysim-{owner}-")
}

/// The process in a name with this prefix.
fn process_of(name: &str, prefix: &str) -> Option<u32> {
    let (process, _) = name.strip_prefix(prefix)?.split_once('-')?;
    process.parse().ok()
}

/// Whether a process died while it replaced files: these are nowhere else.
fn holds_older_files(staging: &Path) -> bool {
    fs::read_dir(staging.join(OLDER)).is_ok_and(|mut entries| entries.next().is_some())
}

/// What must go if results never become whole.
#[derive(Clone, Debug)]
pub struct Leftovers {
    pub(super) staging: PathBuf,
    /// Folders made for the results, deepest first.
    pub(super) created: Vec<PathBuf>,
}

impl Leftovers {
    /// Remove it all, as far as possible.
    pub fn remove(&self) {
        let _ = fs::remove_dir_all(&self.staging);
        for folder in &self.created {
            // Fails, rightly, if something else has been put there meanwhile.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No system has as many processes.
    const DEAD: u32 = u32::MAX;

    #[test]
    fn a_folder_names_its_process() {
        let temp = TempDir::new().expect("a temporary folder");
        let staging = create(temp.path()).expect("a folder");
        let name = staging.path().file_name().and_then(|name| name.to_str());
        let process = process_of(name.expect("ASCII"), &prefix());
        assert_eq!(process, Some(process::id()));
    }

    #[test]
    fn only_folders_of_dead_processes_of_this_machine_are_removed() {
        if !Path::new("/proc/self").exists() {
            return;
        }
        let temp = TempDir::new().expect("a temporary folder");
        let make = |name: String| {
            let path = temp.path().join(name);
            fs::create_dir_all(path.join("x")).expect("a folder");
            path
        };
        let own = prefix();
        let gone = make(format!("{own}{DEAD}-abc"));
        let kept = [
            make(format!("{own}{}-abc", process::id())),
            make(format!(".spraysim-elsewhere-{DEAD}-abc")),
            make(format!("{own}notes")),
            make("results".to_owned()),
        ];
        let replacing = make(format!("{own}{DEAD}-def"));
        fs::create_dir_all(replacing.join(OLDER).join("summary.csv")).expect("a folder");
        remove_stale(temp.path());
        assert!(!gone.exists());
        assert!(kept.iter().chain([&replacing]).all(|path| path.exists()));
    }
}
