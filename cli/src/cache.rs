//! `anywarp cache`: the compiled kernels on disk.

use std::time::{Duration, SystemTime};

use anywarp_host::cache::{Contents, DiskCache, KINDS, cache as of_this_user};
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal;

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Print the folder and its contents
    Show,
    /// Remove compiled kernels; they are compiled again when needed
    Clear {
        /// Remove only compiled kernels of this kind
        #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
        kind: Option<String>,
    },
}

/// Shows or clears the cache that `ANYWARP_CACHE` names.
pub(crate) fn cache(command: &CacheCommand, json: bool) -> Result<(), Failure> {
    match (of_this_user(), command) {
        (None, _) if json => terminal::print(&json!({ "folder": null }).to_string()),
        (None, _) => terminal::print("there is no cache: ANYWARP_CACHE is 'off', or no folder is known for it"),
        (Some(cache), CacheCommand::Show) => show(cache, json),
        (Some(cache), CacheCommand::Clear { kind }) => clear(cache, kind.as_deref(), json),
    }
}

fn show(cache: &DiskCache, json: bool) -> Result<(), Failure> {
    let contents = cache.contents();
    let bytes: u64 = contents.iter().map(|contents| contents.bytes).sum();
    if json {
        let kinds: Vec<Value> = contents.iter().map(as_json).collect();
        let folder = cache.folder().display().to_string();
        let object = json!({ "folder": folder, "limit": cache.limit(), "bytes": bytes, "kinds": kinds });
        return terminal::print(&format!("{object:#}"));
    }
    let mut table = terminal::table();
    table.set_header(["kind", "files", "size", "used last", "used first"]);
    let now = SystemTime::now();
    for of_kind in &contents {
        let [newest, oldest] = [of_kind.newest, of_kind.oldest].map(|time| age(now, time));
        let (files, size) = (of_kind.files.to_string(), terminal::bytes(of_kind.bytes));
        table.add_row([of_kind.kind.to_owned(), files, size, newest, oldest]);
    }
    let (folder, limit) = (cache.folder().display(), terminal::bytes(cache.limit()));
    terminal::print(&format!("{folder}: {} of {limit}\n\n{}", terminal::bytes(bytes), table.trim_fmt()))
}

fn clear(cache: &DiskCache, kind: Option<&str>, json: bool) -> Result<(), Failure> {
    let removed = cache.clear(kind);
    let folder = cache.folder().display();
    if json {
        let object = json!({ "folder": folder.to_string(), "files": removed.files, "bytes": removed.bytes, "left": removed.left });
        terminal::print(&format!("{object:#}"))?;
    } else {
        let plural = if removed.files == 1 { "" } else { "s" };
        terminal::print(&format!("{} file{plural} removed, {}", removed.files, terminal::bytes(removed.bytes)))?;
    }
    match removed.left {
        0 => Ok(()),
        left => Err(Failure::File(format!(
            "{folder}: expected to remove all of the cache's files, {left} could not be removed: permit writing, or \
             remove the folder"
        ))),
    }
}

fn as_json(contents: &Contents) -> Value {
    let seconds = |time: Option<SystemTime>| {
        time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).map(|since| since.as_secs())
    };
    json!({
        "kind": contents.kind,
        "files": contents.files,
        "bytes": contents.bytes,
        "oldest": seconds(contents.oldest),
        "newest": seconds(contents.newest),
    })
}

/// The time from `time` to `now`, in a readable unit.
fn age(now: SystemTime, time: Option<SystemTime>) -> String {
    let Some(time) = time else { return "-".to_owned() };
    // After the clock was set back, files can have times in the future.
    let seconds = now.duration_since(time).unwrap_or(Duration::ZERO).as_secs();
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_read_well() {
        let now = SystemTime::now();
        let before = |seconds| age(now, Some(now - Duration::from_secs(seconds)));
        assert_eq!([before(0), before(59), before(3599)], ["0 s ago", "59 s ago", "59 min ago"]);
        assert_eq!([before(86_399), before(200_000)], ["23 h ago", "2 d ago"]);
        assert_eq!(age(now, None), "-");
        assert_eq!(age(now, Some(now + Duration::from_secs(5))), "0 s ago");
    }
}
