//! Pages of HTML about a run: timeline, kernels, advice, roofline and findings, in one file.

mod bars;
mod inspection;
mod roofline;
mod sums;
mod text;
mod timeline;

use std::fmt::Write as _;

use self::text::escaped;
use self::timeline::Classes;
use super::{Profile, Report};

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/timeline.js");

/// The start of each page. Its policy forbids the browser every request, so that no name of a kernel can cause one.
const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
script-src 'unsafe-inline'; img-src data:\">
<link rel=\"icon\" href=\"data:,\">
";

/// One page of HTML about a run, for a browser: it needs no other file, no network, and no scripts but its own.
///
/// A [`Profile`] gives the timeline, which mouse, touch and keyboard zoom and move, the division of the time, the
/// kernels by time, and the advice. A [`Report`] of the inspector gives the roofline, the findings beside their lines,
/// and the access sites. Both together are the whole report about a program; the profile may be that of a GPU, and the
/// report that of a run on `cpu:observed`.
///
/// The timeline is at most about 2 MB long: if there are more than 20 000 spans, neighbours are joined to one bar, and
/// the page says so. Without scripts, it is a still picture. Colours follow the browser's light or dark theme.
///
/// ```
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::Device;
/// use anywarp::insight::{self, Model, Page};
///
/// let device = Device::open("cpu:observed")?;
/// let double = device.kernel(
///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
///      @compute @workgroup_size(64)
///      fn double(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] *= 2.0; }",
/// )?;
/// let mut x = device.buffer_from(&vec![1.0f32; 1 << 12])?;
/// let (result, profile) =
///     insight::profile(&device, || double.launch().bind("x", &mut x).threads(1 << 12).map(drop))?;
/// result?;
/// let report = insight::inspect(&device.observations(), &Model::default());
///
/// let page = Page::new("Doubling").profile(&profile).report(&report).html();
/// assert!(page.contains("<h1>Doubling</h1>") && page.contains("kernel:double"));
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
/// # fn main() {}
/// ```
#[derive(Clone, Debug)]
pub struct Page<'a> {
    title: String,
    notes: Vec<String>,
    profile: Option<&'a Profile>,
    report: Option<&'a Report>,
}

impl<'a> Page<'a> {
    /// An empty page with a title, which is any text.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), notes: Vec::new(), profile: None, report: None }
    }

    /// Adds a sentence below the title, such as the name of the device; it is any text.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the profile.
    #[must_use]
    pub fn profile(self, profile: &'a Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    /// Sets the inspector's report.
    #[must_use]
    pub fn report(self, report: &'a Report) -> Self {
        Self { report: Some(report), ..self }
    }

    /// The page as text; save it as a `.html` file.
    #[must_use]
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut page = format!("{HEAD}<title>{title}</title>\n<style>\n{STYLE}</style>\n<main>\n<h1>{title}</h1>\n");
        for note in &self.notes {
            // Writing to a string succeeds.
            let _ = writeln!(page, "<p>{}</p>", escaped(note));
        }
        if let Some(profile) = self.profile {
            let classes = Classes::of(profile);
            timeline::write(&mut page, profile, &classes);
            sums::division(&mut page, profile);
            sums::kernels(&mut page, profile, &classes);
            sums::advice(&mut page, profile);
        }
        if let Some(report) = self.report {
            page.push_str(&roofline::svg(report));
            inspection::findings(&mut page, report);
            inspection::kernels(&mut page, report);
        }
        page.push_str("</main>\n");
        if self.profile.is_some() {
            let _ = writeln!(page, "<script>\n{SCRIPT}</script>");
        }
        page.push_str("</html>\n");
        page
    }
}

impl Profile {
    /// The profile as one page of HTML: timeline, division of the time, kernels and advice. [`Page`] sets another title,
    /// and adds the report of the inspector.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::{Device, insight};
    ///
    /// let device = Device::open("cpu")?;
    /// let (_, profile) = insight::profile(&device, || drop(insight::scope(&device, "step")))?;
    /// let page = profile.html(); // write it to a file, and open that with a browser
    /// assert!(page.starts_with("<!doctype html>") && page.contains("step"));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn html(&self) -> String {
        Page::new("Profile").profile(self).html()
    }
}

impl Report {
    /// The report as one page of HTML: roofline, findings beside their lines, and the access sites. [`Page`] sets another
    /// title, and adds the timeline of a profile.
    ///
    /// ```
    /// use anywarp::insight::{Model, inspect};
    ///
    /// let nothing = Default::default(); // usually `device.observations()` of `cpu:observed`
    /// let page = inspect(&nothing, &Model::default()).html();
    /// assert!(page.contains("<h1>Inspection for h100 (warps of 32)</h1>"));
    /// ```
    #[must_use]
    pub fn html(&self) -> String {
        Page::new(format!("Inspection for {} (warps of {})", self.model.name, self.model.warp)).report(self).html()
    }
}
