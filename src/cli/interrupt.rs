//! Ctrl-C and SIGTERM: `run` ends at once and takes away what it has half written.
//!
//! SIGHUP is left alone, so that `nohup` works. Where there are no Unix signals the system ends the process as it likes, and the next
//! run into the same folder clears up.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::report::Leftovers;

/// What must go if `run` is interrupted now.
static LEFTOVERS: Mutex<Option<Leftovers>> = Mutex::new(None);

/// What must go on an interruption; none takes place while this is held.
pub(super) fn leftovers() -> MutexGuard<'static, Option<Leftovers>> {
    // Whoever panicked with it has replaced it whole or not at all.
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, end on a signal. If that cannot be arranged, signals do what they did.
#[cfg(unix)]
pub(super) fn watch() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use std::sync::Once;

    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
            return;
        };
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                end();
            }
        });
    });
}

/// There are no such signals here.
#[cfg(not(unix))]
pub(super) const fn watch() {}

#[cfg(unix)]
fn end() -> ! {
    // Held to the end, so that the other threads cannot put files into place any more.
    let leftovers = leftovers();
    if let Some(leftovers) = &*leftovers {
        leftovers.remove();
    }
    super::stderr::tell("error: interrupted");
    std::process::exit(super::exit::INTERRUPTED.into())
}
