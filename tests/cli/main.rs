//! The `spraysim` command from outside: what it prints and writes, what it refuses, and how it ends.

mod bad_files;
mod check;
mod context;
mod failures;
mod inspect;
mod interrupt;
mod keys;
mod matrices;
mod mice;
mod mixed;
mod out;
mod probes;
mod profiles;
mod run;
mod support;
mod sweep;
mod topologies;
mod usage;
