//! Checks that the arguments of a launch fit the kernel. No state is changed here.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{Access, BindingClass, BindingInfo, Caps, Layout, Shape};

use super::bind::BoundBuffer;
use super::handle::Kernel;
use crate::buffer::uses::Use;
use crate::element::{elements_agree, is_raw, values_agree};
use crate::error::LaunchError;

/// Whether the grid has an invocation that could access the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    Something,
    Nothing,
}

/// The treatment of the end of a binding that is only a part of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Partial {
    Refused,
    Ignored,
}

/// Checks one binding and returns the bytes to bind.
pub(super) fn check_binding(
    kernel: &Kernel,
    slot: usize,
    info: &BindingInfo,
    bound: &BoundBuffer<'_>,
    runs: Runs,
    partial: Partial,
) -> Result<Range<u64>, LaunchError> {
    let name = || kernel.name().to_owned();
    let binding = || info.name.clone();
    if !Arc::ptr_eq(&bound.core.device, &kernel.device) {
        return Err(LaunchError::OtherDevice {
            kernel: name(),
            what: format!("the buffer bound to '{}'", info.name),
            ours: kernel.device.selector.clone(),
            theirs: bound.core.device.selector.clone(),
        });
    }
    let failed = |error: Box<_>| LaunchError::Slice { kernel: name(), binding: binding(), error: *error };
    let bytes = bound.bytes.clone().map_err(failed)?;
    let wanted = if info.class == BindingClass::Uniform { Use::Uniform } else { Use::Storage };
    bound.core.allows(wanted, "be bound to this variable").map_err(|error| failed(Box::new(error)))?;
    if info.access == Access::Write && !bound.mutable {
        return Err(LaunchError::NotMutable { kernel: name(), binding: binding() });
    }
    if !kernel.inner.fits(bound.element, slot, || fits(&(bound.layout)(), &info.layout)) {
        let layouts = both(&info.layout, &(bound.layout)());
        return Err(LaunchError::Layout { kernel: name(), binding: binding(), layouts });
    }
    let length = bytes.end - bytes.start;
    if length == 0 && runs == Runs::Nothing {
        return Ok(bytes);
    }
    if let Some(expected) = length_problem(info, length, partial) {
        return Err(LaunchError::Length { kernel: name(), binding: binding(), got: length, expected });
    }
    let bytes = if info.class == BindingClass::Uniform {
        bytes.start..bytes.start + u64::from(info.layout.size)
    } else {
        bytes
    };
    check_place(kernel, info, &bytes)?;
    Ok(bytes)
}

/// Whether a buffer with elements of the layout `rust` can be bound to a variable of the layout `wgsl`.
fn fits(rust: &Layout, wgsl: &Layout) -> bool {
    if is_raw(rust) {
        return true;
    }
    match &wgsl.shape {
        Shape::Array { element, stride, .. } => elements_agree(rust, element, *stride) || values_agree(rust, wgsl),
        // A struct that ends in an unsized array is not an array itself: only a buffer of the single scalar type that
        // the struct consists of can stand for it.
        Shape::Struct { .. } if wgsl.unsized_tail().is_some() => {
            matches!(rust.shape, Shape::Scalar(scalar) if wgsl.uniform_scalar() == Some(scalar))
        }
        _ => elements_agree(rust, wgsl, wgsl.size.next_multiple_of(wgsl.align)) || values_agree(rust, wgsl),
    }
}

/// Describes both layouts, for an error.
pub(super) fn both(wgsl: &Layout, rust: &Layout) -> String {
    let mut text = String::from("  the WGSL type\n");
    wgsl.describe(&mut text, 4);
    if let Shape::Array { element, stride, .. } = &wgsl.shape {
        text.push_str(&format!("    one element every {stride} bytes, each\n"));
        element.describe(&mut text, 6);
    }
    text.push_str("  the argument\n");
    rust.describe(&mut text, 4);
    text.truncate(text.trim_end().len());
    text
}

fn length_problem(info: &BindingInfo, length: u64, partial: Partial) -> Option<String> {
    let (layout, size) = (&info.layout, u64::from(info.layout.size));
    if length == 0 && layout.unsized_tail().is_some() {
        // A WGSL array has at least one element: `arrayLength` would count an element that does not exist.
        return Some(format!(
            "{} needs at least one element, {size} bytes (a launch with a grid of 0 needs none)",
            layout.name
        ));
    }
    if length < size {
        let least = if layout.unsized_tail().is_some() { "at least one element, " } else { "" };
        return Some(format!("{} needs {least}{size} bytes", layout.name));
    }
    if partial == Partial::Ignored {
        // Backends divide the length by the stride and drop the remainder.
    } else if let Shape::Array { element, count: None, stride } = &layout.shape {
        if !length.is_multiple_of(u64::from(*stride)) {
            return Some(format!("it must be a multiple of {stride} bytes, the stride of {}", element.name));
        }
    } else if let Some((offset, stride)) = layout.unsized_tail() {
        // The size of a struct is rounded up to its alignment, so a remainder below the alignment is valid.
        let rest = (length - u64::from(offset)) % u64::from(stride);
        if rest >= u64::from(layout.align) {
            return Some(format!("it must be {offset} bytes plus a multiple of {stride} bytes"));
        }
    }
    (info.class != BindingClass::Uniform && !length.is_multiple_of(4))
        .then(|| "devices bind multiples of 4 bytes, so add an element of padding".to_owned())
}

fn check_place(kernel: &Kernel, info: &BindingInfo, bytes: &Range<u64>) -> Result<(), LaunchError> {
    let limits = &kernel.device.caps().limits;
    let (limit, alignment) = match info.class {
        BindingClass::Uniform => (limits.uniform_binding_size, limits.uniform_offset_alignment),
        _ => (limits.storage_binding_size, limits.storage_offset_alignment),
    };
    if bytes.end - bytes.start > limit {
        return Err(LaunchError::AboveLimit {
            kernel: kernel.name().to_owned(),
            what: format!("the size of '{}' in bytes (bind slices of the buffer)", info.name),
            wanted: bytes.end - bytes.start,
            limit,
            device: kernel.device.caps().name.clone(),
        });
    }
    let alignment = u64::from(alignment.max(1));
    if !bytes.start.is_multiple_of(alignment) {
        return Err(LaunchError::Offset {
            kernel: kernel.name().to_owned(),
            binding: info.name.clone(),
            offset: bytes.start,
            alignment,
        });
    }
    Ok(())
}

/// The memory bound to one binding, for the check that no two bindings conflict.
pub(super) struct Placed<'a> {
    pub(super) name: &'a str,
    pub(super) core: &'a Arc<crate::buffer::core::Core>,
    pub(super) bytes: Range<u64>,
    pub(super) class: BindingClass,
    pub(super) access: Access,
}

/// Checks that no two bindings share memory in a way that the device or the kernel's semantics forbid.
pub(super) fn check_pairs(kernel: &str, caps: &Caps, placed: &[Placed<'_>]) -> Result<(), LaunchError> {
    for (index, first) in placed.iter().enumerate() {
        for second in &placed[index + 1..] {
            if !Arc::ptr_eq(first.core, second.core) {
                continue;
            }
            let overlap = first.bytes.start < second.bytes.end && second.bytes.start < first.bytes.end;
            let written = first.access == Access::Write || second.access == Access::Write;
            let of_one_class = (first.class == BindingClass::Storage) == (second.class == BindingClass::Storage);
            let problem = if overlap && written {
                "overlap, and the kernel writes to the overlap; bind slices that do not overlap"
            } else if !of_one_class && !caps.aliased_bindings {
                "are in one buffer, and one of them is `read_write`; use separate buffers on this device"
            } else {
                continue;
            };
            return Err(LaunchError::Conflict {
                kernel: kernel.to_owned(),
                first: first.name.to_owned(),
                second: second.name.to_owned(),
                problem,
            });
        }
    }
    Ok(())
}
