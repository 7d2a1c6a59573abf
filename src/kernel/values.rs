//! Values of uniforms and immediates: the offset of each field, and which fields were set.

use std::ops::Range;

use anywarp_backend::{BindingClass, Layout, Program, Shape};
use smallvec::SmallVec;

use super::passes::reads::Reads;

/// The alignment, in bytes, of each uniform within the values of a launch.
const ALIGNMENT: u32 = 16;

/// The layout of a launch's uniform and immediate values, one after the other.
pub(crate) struct Values {
    /// The binding slot of each uniform, and the range of its bytes in the values.
    uniforms: Vec<(usize, Range<u32>)>,
    /// The range of the immediate's bytes in the values, after all uniforms.
    pub(crate) immediate: Range<u32>,
    /// The fields that the kernel reads, and which a launch must therefore set: their bytes and their path.
    fields: Vec<(Range<u32>, String)>,
}

/// The uniform, immediate or field that a path names.
pub(crate) struct Place<'a> {
    /// The offset in the launch's values, in bytes.
    pub(crate) offset: u32,
    pub(crate) layout: &'a Layout,
    /// The binding slot of the uniform; `None` for the immediate.
    pub(crate) slot: Option<usize>,
}

/// The ranges of bytes that were set, in the values of a launch.
pub(crate) type Covered = SmallVec<[Range<u32>; 8]>;

impl Values {
    pub(crate) fn of(program: &Program, reads: &Reads) -> Self {
        let mut at = 0u32;
        let (mut uniforms, mut fields) = (Vec::new(), Vec::new());
        let mut collect = |layout: &Layout, name: &str, at: u32, of: Option<[u32; 2]>| {
            let mut all = Vec::new();
            collect_fields(layout, 0, name, &mut all);
            let read = all.into_iter().filter(|(bytes, _)| reads.any(of, bytes));
            fields.extend(read.map(|(bytes, path)| (at + bytes.start..at + bytes.end, path)));
        };
        for (slot, info) in program.bindings.iter().enumerate() {
            if info.class == BindingClass::Uniform {
                let place = [info.resource.group, info.resource.binding];
                collect(&info.layout, &info.name, at, Some(place));
                let end = at + info.layout.size.next_multiple_of(ALIGNMENT);
                uniforms.push((slot, at..end));
                at = end;
            }
        }
        let mut immediate = at..at;
        if let Some((name, layout)) = &program.immediate {
            collect(layout, name, at, None);
            immediate.end += layout.size.next_multiple_of(4);
        }
        Self { uniforms, immediate, fields }
    }

    /// The size of all values, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.immediate.end as usize
    }

    /// The bytes of the uniform in binding `slot`.
    pub(crate) fn uniform(&self, slot: usize) -> Option<Range<u32>> {
        self.uniforms.iter().find(|(at, _)| *at == slot).map(|(_, range)| range.clone())
    }

    /// Follows a path such as `params.weights[3]`. The error names the part that does not exist.
    pub(crate) fn find<'a>(&self, program: &'a Program, path: &str) -> Result<Place<'a>, String> {
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (root, mut rest) = path.split_at(end);
        let uniform = self.uniforms.iter().find(|(slot, _)| program.bindings[*slot].name == root);
        let mut place = match (uniform, &program.immediate) {
            (Some((slot, range)), _) => {
                Place { offset: range.start, layout: &program.bindings[*slot].layout, slot: Some(*slot) }
            }
            (None, Some((name, layout))) if name == root => Place { offset: self.immediate.start, layout, slot: None },
            _ => {
                let names: Vec<&str> = self
                    .uniforms
                    .iter()
                    .map(|(slot, _)| program.bindings[*slot].name.as_str())
                    .chain(program.immediate.iter().map(|(name, _)| name.as_str()))
                    .collect();
                let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(format!("no uniform or immediate `{root}`; the kernel has {known}"));
            }
        };
        while !rest.is_empty() {
            let whole = &path[..path.len() - rest.len()];
            let (offset, layout, left) = step(place.layout, whole, rest)?;
            place = Place { offset: place.offset + offset, layout, slot: place.slot };
            rest = left;
        }
        Ok(place)
    }

    /// The fields that the kernel reads and that have no value. `bound` returns whether a binding slot has a buffer.
    pub(crate) fn missing(&self, covered: &mut Covered, bound: impl Fn(usize) -> bool) -> Vec<String> {
        join(covered);
        let is_bound =
            |field: &Range<u32>| self.uniforms.iter().any(|(slot, range)| range.contains(&field.start) && bound(*slot));
        self.fields
            .iter()
            .filter(|(field, _)| {
                !covered.iter().any(|set| set.start <= field.start && field.end <= set.end) && !is_bound(field)
            })
            .map(|(_, path)| path.clone())
            .collect()
    }
}

/// Sorts the ranges and joins adjacent ones.
fn join(ranges: &mut Covered) {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Covered = SmallVec::new();
    for range in ranges.drain(..) {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    *ranges = joined;
}

/// Follows one `.field` or `[index]`, the first of `rest`. Returns its offset in bytes, its layout, and the path after
/// it.
///
/// `whole` is the path before `rest`, and `layout` the layout of what that path names.
fn step<'a, 'p>(layout: &'a Layout, whole: &str, rest: &'p str) -> Result<(u32, &'a Layout, &'p str), String> {
    let name = &layout.name;
    if let Some(rest) = rest.strip_prefix('[') {
        let (index, after) = rest.split_once(']').ok_or_else(|| format!("`]` is missing in `{whole}[{rest}`"))?;
        let number: u32 = index
            .trim()
            .parse()
            .map_err(|_| format!("`{index}` in `{whole}[{index}]` is not an index; use a number from 0"))?;
        let Shape::Array { element, count, stride } = &layout.shape else {
            return Err(format!("no element `{whole}[{number}]`; `{whole}` is {name}, not an array"));
        };
        if let Some(count) = count.filter(|count| number >= *count) {
            return Err(format!("no element `{whole}[{number}]`; `{whole}` has {count} elements"));
        }
        return Ok((number * stride, element, after));
    }
    let rest = rest
        .strip_prefix('.')
        .ok_or_else(|| format!("`{rest}` after `{whole}` is not a part of a path; use `.field` or `[index]`"))?;
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let wanted = &rest[..end];
    let Shape::Struct { fields } = &layout.shape else {
        return Err(format!("no field `{whole}.{wanted}`; `{whole}` is {name}, which has no fields"));
    };
    let field = fields.iter().find(|field| field.name == wanted).ok_or_else(|| {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        format!("no field `{whole}.{wanted}`; `{whole}` has {}", names.join(", "))
    })?;
    Ok((field.offset, &field.layout, &rest[end..]))
}

fn collect_fields(layout: &Layout, at: u32, path: &str, out: &mut Vec<(Range<u32>, String)>) {
    match &layout.shape {
        Shape::Struct { fields } => {
            for field in fields {
                collect_fields(&field.layout, at + field.offset, &format!("{path}.{}", field.name), out);
            }
        }
        Shape::Array { element, count: Some(count), stride } if *stride > settable(element) => {
            // Elements may be set one by one, and there is padding between or within them.
            for index in 0..*count {
                collect_fields(element, at + index * stride, &format!("{path}[{index}]"), out);
            }
        }
        _ => out.push((at..at + layout.size, format!("{path}: {}", layout.name))),
    }
}

/// The number of bytes that are set by setting each part of `layout` by its path: all but the padding.
fn settable(layout: &Layout) -> u32 {
    match &layout.shape {
        Shape::Struct { fields } => fields.iter().map(|field| settable(&field.layout)).sum(),
        Shape::Array { element, count: Some(count), .. } => count * settable(element),
        _ => layout.size,
    }
}
