//! The derivatives of a norm by scale and bias.

use super::super::channels::launch::{Arrays, Derivatives, derivatives};
use super::super::choices::{InParts, Question};
use super::super::error::OperationError;
use super::super::moving::operands::{self, memory};
use super::super::rows::launch::{halves, target};
use super::super::rows::plan::Target;
use super::OPERATOR;
use super::run::Call;
use crate::buffer::cells::{reborrow, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/norm_weights.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/norm_weights.wgsl", root = "shaders", feature packed = true);

/// The parts of the rows, whose sums are joined afterwards, and the rows of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) parts: u64,
    pub(super) chunk: u64,
}

impl Parts {
    /// The parts without tuning.
    pub(super) fn default_for(rows: u64, length: u64, target: Target) -> Self {
        // Enough invocations for the device, as for `Choice::Lines` of rows; llvmpipe ends loops after 65 535
        // iterations.
        let wanted = if target.software {
            (4096 / length.max(1)).min(rows / 64).max(rows.div_ceil(1 << 15))
        } else {
            ((1 << 16) / length.max(1)).min(rows / 32).min(256)
        };
        Self::of(wanted, rows)
    }

    /// The parts for a device: see [`Question::decide`].
    pub(super) fn for_device(rows: u64, length: u64, halves: bool, device: &Device) -> Self {
        let target = target(device);
        let question = Question::new("norm_weights", &[rows, length]).form(if halves { "f16" } else { "f32" });
        let default = Self::default_for(rows, length, target);
        let is_possible = |parts: u64| !target.software || rows.div_ceil(parts) <= 1 << 15;
        let all = || InParts::all(2 * length, rows).into_iter().filter(|parts| is_possible(parts.0)).collect();
        let InParts(parts) = question.decide(device, InParts(default.parts), all, |parts| is_possible(parts.0));
        Self::of(parts, rows)
    }

    fn of(parts: u64, rows: u64) -> Self {
        let chunk = rows.div_ceil(parts.max(1)).max(1);
        Self { parts: rows.div_ceil(chunk).max(1), chunk }
    }
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) dy: Slice<'a, u8>,
    pub(super) means: Slice<'a, u8>,
    pub(super) inverses: Slice<'a, u8>,
    pub(super) by_scale: SliceMut<'a, u8>,
    pub(super) by_bias: SliceMut<'a, u8>,
}

impl Operands<'_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [
            ("x", self.x),
            ("dy", self.dy),
            ("means", self.means),
            ("inverses", self.inverses),
            ("dscale", self.by_scale.as_slice()),
            ("dbias", self.by_bias.as_slice()),
        ];
        operands::check(OPERATOR, &self.by_scale.core.device, &arrays, 2, destination)
    }

    /// Appends the commands for weights by channel, where an example has this many groups, each of this many channels.
    pub(super) fn run_by_channel(
        &self,
        arrays: Arrays,
        [groups, channels_of_row]: [usize; 2],
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if arrays.sizes.channels == 0 {
            return Ok(());
        }
        let call = Derivatives {
            x: self.x,
            dy: self.dy,
            means: self.means,
            inverses: self.inverses,
            by_scale: reborrow(&self.by_scale),
            by_bias: reborrow(&self.by_bias),
            rows_of_example: groups,
            channels_of_row,
        };
        derivatives(OPERATOR, arrays, &call, destination)
    }

    /// Appends the commands, which sum each part, and then add up the sums of the parts.
    pub(super) fn run(
        &self,
        call: Call,
        Parts { parts, chunk }: Parts,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let (rows, length) = (call.shape.rows, call.shape.length);
        if length == 0 {
            return Ok(());
        }
        let device = &Device::of(&self.by_scale.core.device);
        let (centred, bf16) = (call.centred, call.bf16);
        let count = usize::try_from(parts * length).unwrap_or(usize::MAX);
        let mut sums = device.scratch::<[f32; 2]>(count, destination).map_err(memory(OPERATOR))?;
        // Kernels need an element in each array, also without rows.
        let spare = device.scratch::<u8>(16, destination).map_err(memory(OPERATOR))?;
        let given = [self.x, self.dy, self.means, self.inverses];
        let [x, dy, means, inverses] = given.map(|slice| if slice.is_empty() { spare.slice(..) } else { slice });
        let (means, first_of_means) = whole_cells::<f32>(&means).map_err(OPERATOR.slice("means"))?;
        let (inverses, first_of_inverses) = whole_cells::<f32>(&inverses).map_err(OPERATOR.slice("inverses"))?;
        let (by_scale, first_of_scale) = whole_cells_mut::<f32>(&self.by_scale).map_err(OPERATOR.slice("dscale"))?;
        let (by_bias, first_of_bias) = whole_cells_mut::<f32>(&self.by_bias).map_err(OPERATOR.slice("dbias"))?;
        macro_rules! run {
            ($module:ident, $cells:expr $(, $bf16:ident)?) => {{
                let overrides = $module::Overrides { centred $(, $bf16)? };
                let sum_parts = $module::sum_parts_with(device, overrides)?;
                let join_parts = $module::join_parts_with(device, overrides)?;
                let (x, first_of_x) = $cells(&x).map_err(OPERATOR.slice("x"))?;
                let (dy, first_of_dy) = $cells(&dy).map_err(OPERATOR.slice("dy"))?;
                // The operator's limit keeps all of these within 32 bits.
                let [count, length_of_row, parts_of_rows, chunk] =
                    [rows, length, parts, chunk].map(|count| count as u32);
                let columns = $module::Columns {
                    count,
                    length: length_of_row,
                    parts: parts_of_rows,
                    chunk,
                    first_of_x,
                    first_of_dy,
                    first_of_means,
                    first_of_inverses,
                    first_of_scale,
                    first_of_bias,
                };
                let args = $module::SumPartsArgs { columns, x, dy, means, inverses, parts: &mut sums };
                sum_parts.launch(args).to(destination.reborrow()).threads(parts * length)?;
                let (by_scale, by_bias) = (reborrow(&by_scale), reborrow(&by_bias));
                let args = $module::JoinPartsArgs { columns, parts: &sums, by_scale, by_bias };
                join_parts.launch(args).to(destination.reborrow()).threads(length)?;
            }};
        }
        if call.shape.halves {
            run!(packed, halves, bf16);
        } else {
            run!(words, whole_cells::<f32>);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_rows() {
        for software in [false, true] {
            for rows in [0, 1, 31, 32, 8192, 100_003, 1 << 30] {
                for length in [1, 10, 4096, 1 << 20] {
                    let target = Target { software, strips: software };
                    let Parts { parts, chunk } = Parts::default_for(rows, length, target);
                    assert!(parts * chunk >= rows && (parts - 1) * chunk < rows.max(1), "{rows} {length}");
                    assert!(!software || chunk <= 1 << 15, "{rows} {length}");
                    assert!(parts == 1 || software || parts <= 256, "{rows} {length}");
                }
            }
        }
        let gpu = Target { software: false, strips: false };
        assert_eq!(Parts::default_for(8192, 4096, gpu), Parts { parts: 16, chunk: 512 });
    }
}
