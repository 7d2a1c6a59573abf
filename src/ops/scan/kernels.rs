//! The kernel of each pass of a scan.

use super::super::scanning::kernel::{Description, kernel_file, shared_file};
use super::super::scanning::sizes::items;
use super::plan::{Pass, Shape};
use super::run::{Call, Heads};

impl Call<'_> {
    /// Returns the kernel of a pass; `None` for passes that clear memory, set marks, or are windows of other passes.
    pub(super) fn description(&self, shape: Shape, pass: Pass) -> Option<Description<'static>> {
        let (chained, tiles) = (kernel_file!("scan_chained.wgsl"), kernel_file!("scan_tiles.wgsl"));
        let (lines, vectors) = (kernel_file!("scan_lines.wgsl"), kernel_file!("scan_vectors.wgsl"));
        let (walks, walked) = (kernel_file!("scan_walks.wgsl"), kernel_file!("scan_walks_vectors.wgsl"));
        let (file, entry, in_tiles) = match pass {
            Pass::ClearMarks | Pass::ClearStates | Pass::Marks { .. } | Pass::Window { .. } => return None,
            Pass::Chained { .. } => (chained, "scan_chained", true),
            Pass::Tile => (tiles, "scan_tile", true),
            Pass::SumTiles { .. } => (tiles, "sum_tiles", true),
            Pass::ScanTileSums => (tiles, "scan_sums", true),
            Pass::ScanTiles { .. } => (tiles, "scan_tiles", true),
            Pass::ChainedVectors { .. } => (vectors, "scan_chained_vectors", true),
            Pass::SumVectors { .. } => (vectors, "sum_vectors", true),
            Pass::ScanVectors { .. } => (vectors, "scan_vectors", true),
            Pass::Lines { .. } => (lines, "scan_lines", false),
            Pass::SumParts { .. } => (lines, "sum_parts", false),
            Pass::ScanPartSums { .. } => (lines, "scan_sums", false),
            Pass::ScanParts { .. } => (lines, "scan_parts", false),
            Pass::Rows { vectors: false, .. } => (walks, "scan_rows", false),
            Pass::SumWalks { vectors: false, .. } => (walks, "sum_walks", false),
            Pass::ScanWalkSums { .. } => (walks, "scan_walk_sums", false),
            Pass::ScanWalks { vectors: false, .. } => (walks, "scan_walks", false),
            Pass::Rows { .. } => (walked, "scan_row_of_vectors", false),
            Pass::SumWalks { .. } => (walked, "sum_walked_vectors", false),
            Pass::ScanWalks { .. } => (walked, "scan_walked_vectors", false),
        };
        let of_vectors = pass.vectors().map(|each| 4 * each);
        let monoid = self.monoid.text(self.element, of_vectors.unwrap_or(items(shape.value)));
        let mut kernel = Description::new(file, entry)
            .replace("shared::scan_monoid", monoid)
            .set("reverse", self.reverse.into())
            .set("exclusive", self.exclusive.into());
        if of_vectors.is_some() {
            kernel = kernel.set("lanes", self.vectors.unwrap_or_default().into());
        }
        if self.in_place {
            kernel = if pass.in_vectors() {
                kernel.replace("shared::scan_vector_input", shared_file!("scan_vector_input_in_place"))
            } else {
                kernel.replace("shared::scan_input", shared_file!("scan_input_in_place"))
            };
        }
        kernel = match pass {
            Pass::Chained { .. } => kernel.chained(self.chain, shared_file!("scan_other_tile")),
            Pass::ChainedVectors { .. } => kernel.chained(self.chain, shared_file!("scan_other_vectors")),
            _ => kernel,
        };
        if let Some((_, key)) = &self.heads.keys {
            let extension = key.extension().map(|name| format!("enable {name};\n")).unwrap_or_default();
            kernel = kernel.replace("shared::scan_keys", format!("{extension}alias K = {key};"));
        }
        let Heads { flags, offsets, keys } = self.heads;
        let heads = match (flags, offsets, keys) {
            (_, _, Some(_)) => shared_file!("scan_heads_keys"),
            (Some(_), Some(_), _) => shared_file!("scan_heads_both"),
            (Some(_), None, _) => shared_file!("scan_heads_flags"),
            (None, Some(_), _) => shared_file!("scan_heads_marks"),
            (None, None, None) if in_tiles && shape.lines > 1 => shared_file!("scan_heads_rows"),
            (None, None, None) => return Some(kernel),
        };
        Some(kernel.replace("shared::scan_heads", heads))
    }
}
