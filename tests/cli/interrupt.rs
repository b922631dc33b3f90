//! Runs that are interrupted, or whose stderr takes nothing.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, SMALL, command};

/// A scenario of hours.
fn long() -> Folder {
    let text = SMALL.replace("20000", "1000000000");
    Folder::of(&text.replace("\"k\": 4", "\"k\": 16"))
}

/// Send `signal` to a long run as soon as `is_ready`; its exit code and stderr.
fn interrupted(
    folder: &Folder,
    args: &[&str],
    signal: &str,
    is_ready: impl Fn() -> bool,
) -> (Option<i32>, String) {
    let child = command()
        .current_dir(folder.path("."))
        .args([&["run", "x.json", "--quiet"], args].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    for _ in 0..500 {
        if is_ready() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    assert!(sent.expect("there is kill").success());
    let ended = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), err)
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_leaves_nothing_behind() {
    for signal in ["-INT", "-TERM"] {
        let folder = long();
        let begun = || folder.path("a/out").exists();
        let ended = interrupted(&folder, &["--out", "a/out"], signal, begun);
        assert_eq!(ended, (Some(130), "error: interrupted\n".to_owned()));
        assert_eq!(folder.entries("."), ["x.json"], "{signal}");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_leaves_older_files_alone() {
    let folder = long();
    folder.write("out/summary.csv", "old");
    let begun = || folder.entries("out").len() > 1;
    let (code, _) = interrupted(&folder, &["--out", "out"], "-INT", begun);
    assert_eq!(code, Some(130));
    assert_eq!(folder.entries("out"), ["summary.csv"]);
    assert_eq!(folder.read("out/summary.csv"), "old");
}

#[test]
#[cfg(unix)]
fn what_a_killed_run_left_goes_with_the_next_one() {
    if !fs::exists("/proc/self").expect("it can be looked up") {
        return;
    }
    let folder = long();
    let begun = || folder.path("out").exists() && !folder.entries("out").is_empty();
    let (code, _) = interrupted(&folder, &["--out", "out"], "-KILL", begun);
    assert_eq!(code, None, "a signal ended it");
    assert_eq!(folder.entries("out").len(), 1);
    folder.write("y.json", SMALL);
    folder
        .spraysim(&["run", "y.json", "--out", "out", "--quiet"])
        .done();
    folder.outputs("out");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_stderr_does_not_spoil_a_run() {
    let folder = Folder::of(SMALL);
    let full = || fs::File::options().write(true).open("/dev/full");
    for (args, code) in [
        (&["run", "x.json", "--out", "out"][..], 0),
        (&["run", "x.json", "--set", "horizon_us=2"], 3),
        (&["run", "x.json", "--set", "fabric.k=3"], 2),
    ] {
        let mut run = command();
        run.current_dir(folder.path(".")).args(args);
        let ended = run.stderr(full().expect("a device")).output();
        let ended = ended.expect("the command starts");
        assert_eq!(ended.status.code(), Some(code), "{args:?}");
        assert_eq!(ended.stdout.is_empty(), code == 2, "{args:?}");
    }
    folder.outputs("out");
}
