//! Output to the terminal.

use std::io::{ErrorKind, Write};
use std::time::Duration;

use comfy_table::{Table, presets};

use crate::failure::Failure;

/// Writes `text` and a newline to stdout. A closed pipe (`anywarp … | head`) is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::File(format!("stdout: {error}"))),
        _ => Ok(()),
    }
}

/// A table in the tool's style.
pub(crate) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// `1536` as `1.5 KiB`.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    // Rounded for reading; the JSON has the exact number.
    let mut scaled = count as f64 / 1024.0;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if scaled.fract() == 0.0 { format!("{scaled} {}", UNITS[unit]) } else { format!("{scaled:.1} {}", UNITS[unit]) }
}

/// A time in a readable unit.
pub(crate) fn duration(time: Duration) -> String {
    let us = time.as_secs_f64() * 1e6;
    if us < 1e3 {
        format!("{us:.1} µs")
    } else if us < 1e6 {
        format!("{:.2} ms", us / 1e3)
    } else {
        format!("{:.2} s", us / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_read_well() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(4 << 20), "4 MiB");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(u64::MAX), "16777216 TiB");
        assert_eq!(duration(Duration::from_nanos(12_340)), "12.3 µs");
        assert_eq!(duration(Duration::from_micros(1500)), "1.50 ms");
        assert_eq!(duration(Duration::from_secs(2)), "2.00 s");
    }
}
