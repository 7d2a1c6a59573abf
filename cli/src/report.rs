//! The report of a run: as a table or as JSON.

use std::fmt::Write;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::terminal;

/// The report of one run of a kernel. The field names are those of the JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) device: Device,
    pub(crate) kernel: Kernel,
    pub(crate) grid: Grid,
    pub(crate) repeat: u32,
    /// The clock of the kernel's time: `device` or `host`.
    pub(crate) clock: &'static str,
    pub(crate) timings_us: Timings,
    pub(crate) bytes: Bytes,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) outputs: Vec<Written>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Device {
    pub(crate) selector: String,
    pub(crate) name: String,
    pub(crate) backend: &'static str,
    pub(crate) kind: String,
    pub(crate) driver: String,
    pub(crate) unified: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Kernel {
    pub(crate) file: String,
    pub(crate) entry_point: String,
    pub(crate) workgroup_size: [u32; 3],
}

#[derive(Debug, Serialize)]
pub(crate) struct Grid {
    /// Workgroups in x, y and z.
    pub(crate) groups: [u32; 3],
    /// The requested number of threads; absent with `--groups`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) threads: Option<[u32; 3]>,
}

/// Times in microseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Timings {
    /// From WGSL to a kernel that can be launched.
    #[serde(serialize_with = "microseconds")]
    pub(crate) compile: Duration,
    /// Reading files, and generating numbers, for the buffers.
    #[serde(serialize_with = "microseconds")]
    pub(crate) load: Duration,
    /// Creating the buffers and moving their contents to the device.
    #[serde(serialize_with = "microseconds")]
    pub(crate) upload: Duration,
    /// The kernel alone: the median of all runs.
    #[serde(serialize_with = "microseconds")]
    pub(crate) kernel: Duration,
    /// The time of the fastest run.
    #[serde(serialize_with = "microseconds")]
    pub(crate) kernel_min: Duration,
    /// Reading results back.
    #[serde(serialize_with = "microseconds")]
    pub(crate) download: Duration,
}

/// Bytes copied between host and device; zero where both share one memory.
#[derive(Debug, Serialize)]
pub(crate) struct Bytes {
    pub(crate) uploaded: u64,
    pub(crate) downloaded: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) group: u32,
    pub(crate) binding: u32,
    pub(crate) r#type: String,
    pub(crate) written: bool,
    pub(crate) bytes: u64,
    /// The first elements, as text; in JSON only with `--print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<String>,
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub(crate) struct Written {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) bytes: u64,
    /// The shape of a .npy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shape: Option<Vec<u64>>,
    /// The count of numbers outside of 0 to 1 that a .png could not represent.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) clamped: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

pub(crate) fn microseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_nanos() as f64 / 1e3)
}

impl Report {
    /// The report as a table.
    pub(crate) fn table(&self) -> String {
        let mut table = terminal::table();
        let device = &self.device;
        table.add_row(["device".to_owned(), format!("{} ({}, {})", device.name, device.selector, device.kind)]);
        table.add_row(["kernel".to_owned(), format!("{}, entry point {}", self.kernel.file, self.kernel.entry_point)]);
        table.add_row(["grid".to_owned(), self.grid_text()]);
        table.add_row(["compile".to_owned(), terminal::duration(self.timings_us.compile)]);
        table.add_row(["load".to_owned(), terminal::duration(self.timings_us.load)]);
        table.add_row(["upload".to_owned(), self.transfer(self.timings_us.upload, self.bytes.uploaded)]);
        table.add_row(["kernel time".to_owned(), self.kernel_text()]);
        table.add_row(["download".to_owned(), self.transfer(self.timings_us.download, self.bytes.downloaded)]);
        for binding in &self.bindings {
            if let Some(preview) = &binding.preview {
                table.add_row([binding.name.clone(), preview.clone()]);
            }
        }
        for written in &self.outputs {
            let size = terminal::bytes(written.bytes);
            let mut text = format!("{size} written to {}", written.file);
            if written.clamped > 0 {
                let _ = write!(text, "; {} numbers outside of 0 to 1 were clamped", written.clamped);
            }
            table.add_row([written.name.clone(), text]);
        }
        table.trim_fmt()
    }

    fn grid_text(&self) -> String {
        let text = |[x, y, z]: [u32; 3]| match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x}x{y}"),
            _ => format!("{x}x{y}x{z}"),
        };
        let groups = format!("{} workgroups of {}", text(self.grid.groups), text(self.kernel.workgroup_size));
        self.grid.threads.map_or(groups.clone(), |threads| format!("{groups}, for {} threads", text(threads)))
    }

    fn kernel_text(&self) -> String {
        let median = terminal::duration(self.timings_us.kernel);
        let clock = self.clock;
        match self.repeat {
            1 => format!("{median} ({clock} clock)"),
            runs => {
                let min = terminal::duration(self.timings_us.kernel_min);
                format!("{median} median, {min} least of {runs} runs ({clock} clock)")
            }
        }
    }

    fn transfer(&self, time: Duration, bytes: u64) -> String {
        let note = if bytes == 0 && self.device.unified { " copied: one memory" } else { " copied" };
        format!("{}, {}{note}", terminal::duration(time), terminal::bytes(bytes))
    }
}
