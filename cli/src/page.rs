//! `--html`: pages about runs, for a browser.

use std::path::Path;

use anywarp::insight::{self, Model, Page, Profile, Report};
use anywarp::{Device, Kernel};

use crate::failure::Failure;
use crate::run;

/// Writes the page about a run. On `cpu:observed`, it has the findings of the inspector for the default model.
pub(crate) fn of_run(path: &Path, device: &Device, kernel: &Kernel, profile: &Profile) -> Result<(), Failure> {
    let page = Page::new(kernel.name()).note(on(device)).profile(profile);
    let observations = device.observations();
    if observations.is_empty() {
        return write(path, &page);
    }
    let report = insight::inspect(&observations, &Model::default());
    let note = "The device counts each access, so that the times of its timeline are longer than those of other devices. \
                anywarp inspect chooses the GPU of the estimates, and lists the checks that remain.";
    write(path, &page.note(note).report(&report))
}

/// Writes the page about an inspection, with the timeline of a run on another device if there is one.
pub(crate) fn of_inspection(path: &Path, report: &Report, timeline: Option<&(Device, Profile)>) -> Result<(), Failure> {
    let title = format!("Inspection for {} (warps of {})", report.model.name, report.model.warp);
    let mut page = Page::new(title).report(report);
    if let Some((device, profile)) = timeline {
        page = page.note(format!("The timeline is that of one run {}.", on(device))).profile(profile);
    }
    write(path, &page)
}

/// The device in words.
fn on(device: &Device) -> String {
    let device = run::describe_device(device);
    format!("on {}: {}, {} ({})", device.selector, device.name, device.driver, device.backend)
}

fn write(path: &Path, page: &Page<'_>) -> Result<(), Failure> {
    std::fs::write(path, page.html()).map_err(|error| Failure::File(format!("--html {}: {error}", path.display())))
}
