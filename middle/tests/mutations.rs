//! Puts plausible mistakes into the middle end, one at a time, and looks whether its tests notice.
//!
//! ```text
//! cargo test --release -p anywarp-middle --test mutations -- [OPTION..]
//!
//! --all           tries every mistake of `mutations/*.txt`
//! --file NAME     tries those of one list, as in `--file domain`
//! --only TEXT     tries those whose file, reason or text holds TEXT; may stand several times
//! --sample COUNT  tries so many, chosen by --seed N (0 where absent)
//! --folder PATH   copies to this folder, so that two can run at a time
//! ```
//!
//! Without options it only looks whether each mistake can still be made: the text that it replaces has to stand in its
//! file exactly once. With one it copies the crate to `target/mutations`, and builds and tests it there with each
//! mistake. A mistake is caught if a test fails, crashes, hangs or takes too much memory; one that does not compile is
//! an error of the list. The exit code is 1 if a mistake survives, or cannot be tried.

#[path = "mutations/mod.rs"]
mod mutations;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use mutations::list::{self, Mutation};
use mutations::options::Options;
use mutations::trial::{Outcome, Trials};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => return refuse(&problem),
    };
    let all = match list::read() {
        Ok(all) => all,
        Err(problem) => return refuse(&problem),
    };
    let wrong: Vec<String> = all.iter().filter_map(Mutation::fault).collect();
    if !wrong.is_empty() {
        return refuse(&format!("{} of {} cannot be made:\n{}", wrong.len(), all.len(), wrong.join("\n")));
    }
    let chosen = options.choose(&all);
    if chosen.is_empty() {
        println!("{} mistakes can be made; --all tries them", all.len());
        return ExitCode::SUCCESS;
    }
    match attempt(&chosen, options.folder.as_deref()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => refuse(&problem),
    }
}

/// Tries some; whether all were caught.
fn attempt(chosen: &[&Mutation], folder: Option<&Path>) -> Result<bool, String> {
    let start = Instant::now();
    let trials = Trials::prepare(folder)?;
    println!("without a mistake: passed in {:.0} s", start.elapsed().as_secs_f32());
    let (mut caught, mut missed) = (0, Vec::new());
    for mutation in chosen {
        let start = Instant::now();
        let outcome = trials.attempt(mutation)?;
        println!("{mutation} ... {outcome} ({:.0} s)", start.elapsed().as_secs_f32());
        match outcome {
            Outcome::Caught(_) => caught += 1,
            other => missed.push(format!("{mutation} ... {other}")),
        }
    }
    for one in &missed {
        println!("NOT CAUGHT: {one}");
    }
    println!("{caught} caught, {} not; {:.0} s", missed.len(), start.elapsed().as_secs_f32());
    Ok(missed.is_empty())
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("mutations: {problem}");
    ExitCode::FAILURE
}
