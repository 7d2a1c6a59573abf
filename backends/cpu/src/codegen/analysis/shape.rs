//! The relation between the values that one instruction has in the lanes of a group.

use crate::ir::{BinaryOp, Class, Convert, Function, Input, Inst, SubgroupOp, UnaryOp, Value};

/// The relation between the values of the lanes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing is known yet.
    Unknown,
    /// The same value in all active lanes.
    Uniform,
    /// Lane n has lane 0's value plus n times this stride, wrapping; only for 32-bit integers.
    Linear(i32),
    /// No known relation.
    Varying,
}

/// The known facts about a value: its form across lanes, its alignment and its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The form across lanes.
    pub(crate) form: Form,
    /// The exponent of a power of two that divides lane 0's value.
    pub(crate) align: u8,
    /// An upper bound of all lanes' values, as unsigned integers.
    pub(crate) bound: u32,
    /// The likely difference between neighbouring lanes for a value that is linear only under a condition at run time,
    /// such as a clamped linear value; 0 for all other values.
    pub(crate) near: i32,
}

impl Shape {
    /// The shape of a value about which the analysis knows nothing yet.
    pub(crate) const UNKNOWN: Self = Self { form: Form::Unknown, align: 32, bound: 0, near: 0 };

    fn new(form: Form) -> Self {
        Self { form, align: 0, bound: u32::MAX, near: 0 }
    }

    /// Whether all lanes have the same value.
    pub(crate) fn is_uniform(self) -> bool {
        matches!(self.form, Form::Uniform | Form::Unknown)
    }

    /// The difference between neighbouring lanes, if it is known.
    pub(crate) fn stride(self) -> Option<i32> {
        match self.form {
            Form::Unknown | Form::Uniform => Some(0),
            Form::Linear(stride) => Some(stride),
            Form::Varying => None,
        }
    }

    /// The facts about a value that equals either `self` or `other`, the same of the two in all lanes.
    pub(crate) fn or(self, other: Self) -> Self {
        let form = match (self.form, other.form) {
            (Form::Unknown, form) | (form, Form::Unknown) => form,
            (a, b) if a == b => a,
            _ => Form::Varying,
        };
        Self { form, align: self.align.min(other.align), bound: self.bound.max(other.bound), near: 0 }
    }

    /// The certain or likely difference between neighbouring lanes, if it is positive.
    pub(crate) fn likely_stride(self) -> Option<i32> {
        match self.form {
            Form::Linear(stride) => (stride > 0).then_some(stride),
            Form::Varying => (self.near > 0).then_some(self.near),
            Form::Unknown | Form::Uniform => None,
        }
    }

    /// The greatest m such that lane 0's value is a multiple of 2^m and all lanes are within the following 2^m.
    fn window(self, lanes: usize) -> Option<u8> {
        let stride = i64::from(self.stride()?);
        let align = self.align.min(31);
        (stride >= 0 && span(lanes) * stride < (1 << align)).then_some(align)
    }

    /// The smallest m such that all lanes are within 2^m of lane 0's value, if [`window`](Self::window) has a result.
    fn min_window(self, lanes: usize) -> Option<u8> {
        self.window(lanes)?;
        let reach = span(lanes) * i64::from(self.stride()?);
        Some((64 - reach.leading_zeros()) as u8)
    }
}

/// The distance between lane 0 and the last lane, in strides.
fn span(lanes: usize) -> i64 {
    lanes as i64 - 1
}

fn linear(stride: i64) -> Form {
    match i32::try_from(stride) {
        Ok(0) => Form::Uniform,
        Ok(stride) => Form::Linear(stride),
        Err(_) => Form::Varying,
    }
}

/// The shape of an instruction's value, given the shapes of all earlier values and of the variables.
pub(crate) fn of_inst(function: &Function, value: Value, shapes: &[Shape], vars: &[Shape], lanes: usize) -> Shape {
    let shape = of_lanes(function, value, shapes, vars, lanes);
    // A single invocation is lane 0 of its group: where lanes would differ, this lane's value is the only one.
    if function.is_serial() { Shape { form: Form::Uniform, near: 0, ..shape } } else { shape }
}

fn of_lanes(function: &Function, value: Value, shapes: &[Shape], vars: &[Shape], lanes: usize) -> Shape {
    let shape = |value: &Value| shapes[value.0 as usize];
    let inst = function.inst(value);
    match inst {
        Inst::Const(class, bits) => constant(*class, *bits),
        Inst::Input(input) => of_input(function, *input, lanes),
        // The calls of the function determine the shape of an argument before the analysis.
        Inst::Argument(_) => shape(&value),
        Inst::Read(var) => vars[var.0 as usize],
        Inst::Part { of, .. } => shape(of),
        Inst::Binary(op, a, b) if function.class(value) == Class::I32 => {
            let known = |value: &Value| match function.inst(*value) {
                Inst::Const(_, bits) => Some(*bits as u32),
                _ => None,
            };
            of_integers(*op, (shape(a), shape(b)), known(a), known(b), lanes)
        }
        Inst::Unary(UnaryOp::Neg, a) if function.class(value) == Class::I32 => {
            let of = shape(a);
            let form = of.stride().map_or(Form::Varying, |stride| linear(-i64::from(stride)));
            Shape { form, align: of.align, bound: u32::MAX, near: 0 }
        }
        Inst::Select(c, a, b) => {
            let (condition, either) = (shape(c), shape(a).or(shape(b)));
            let form = if condition.is_uniform() { either.form } else { Form::Varying };
            Shape { form, ..either }
        }
        Inst::Convert(Convert::BoolToI32, a) => Shape { bound: 1, ..all_uniform([shape(a)]) },
        Inst::Load(place, ..) => {
            let indices = place.indices.iter().map(|index| shapes[index.value.0 as usize]);
            if place.space.is_private() { Shape::new(Form::Varying) } else { all_uniform(indices) }
        }
        Inst::Atomic { .. } => Shape::new(Form::Varying),
        Inst::Subgroup(op, _, lane) => match op {
            SubgroupOp::InclusiveAdd
            | SubgroupOp::InclusiveMul
            | SubgroupOp::ExclusiveAdd
            | SubgroupOp::ExclusiveMul => Shape::new(Form::Varying),
            SubgroupOp::Shuffle => all_uniform(lane.iter().map(shape)),
            _ => Shape::new(Form::Uniform),
        },
        _ => all_uniform(super::outline::operands(inst).iter().map(shape)),
    }
}

fn all_uniform(shapes: impl IntoIterator<Item = Shape>) -> Shape {
    let uniform = shapes.into_iter().all(Shape::is_uniform);
    Shape::new(if uniform { Form::Uniform } else { Form::Varying })
}

fn constant(class: Class, bits: u64) -> Shape {
    let bound = if class == Class::I32 { bits as u32 } else { u32::MAX };
    Shape { form: Form::Uniform, align: (bits as u32).trailing_zeros() as u8, bound, near: 0 }
}

/// Whether all lanes of a group are neighbours in x: the rows of a workgroup of this size divide into whole groups.
pub(crate) fn rows_divide(size: [u32; 3], lanes: usize) -> bool {
    size[0].is_multiple_of(lanes as u32)
}

fn of_input(function: &Function, input: Input, lanes: usize) -> Shape {
    let size = function.workgroup_size;
    let group = lanes.trailing_zeros() as u8;
    let last = |count: u32| count.max(1) - 1;
    let row = rows_divide(size, lanes);
    let (form, align, bound) = match input {
        // The last group of a workgroup may extend beyond its invocations.
        Input::LocalIndex => (Form::Linear(1), group, last(function.invocations().next_multiple_of(lanes as u32))),
        Input::LocalId(0) if row || (size[1] == 1 && size[2] == 1) => {
            (Form::Linear(1), group, last(size[0].next_multiple_of(lanes as u32)))
        }
        Input::LocalId(axis) if size[usize::from(axis)] == 1 => (Form::Uniform, 32, 0),
        Input::LocalId(axis) if row => (Form::Uniform, 0, last(size[usize::from(axis)])),
        Input::LocalId(_) => (Form::Varying, 0, u32::MAX),
        Input::Lane => (Form::Linear(1), 32, lanes as u32 - 1),
        Input::SubgroupId => (Form::Uniform, 0, last(function.invocations().div_ceil(lanes as u32))),
        Input::WorkgroupId(_) | Input::NumWorkgroups(_) | Input::ArrayLength(_) => (Form::Uniform, 0, u32::MAX),
    };
    Shape { form, align, bound, near: 0 }
}

fn of_integers(
    op: BinaryOp,
    (a, b): (Shape, Shape),
    known_a: Option<u32>,
    known_b: Option<u32>,
    lanes: usize,
) -> Shape {
    let strides = a.stride().zip(b.stride());
    let by_strides =
        |of: fn(i64, i64) -> i64| strides.map_or(Form::Varying, |(x, y)| linear(of(i64::from(x), i64::from(y))));
    let wide = |bound: u64| u32::try_from(bound).unwrap_or(u32::MAX);
    let near = likely(op, a, b, known_a.or(known_b));
    let plain = {
        let form = if a.is_uniform() && b.is_uniform() { Form::Uniform } else { Form::Varying };
        Shape { form, align: 0, bound: u32::MAX, near: 0 }
    };
    match op {
        BinaryOp::Add => Shape {
            form: by_strides(|x, y| x + y),
            align: a.align.min(b.align),
            bound: wide(u64::from(a.bound) + u64::from(b.bound)),
            near,
        },
        BinaryOp::Sub => Shape { form: by_strides(|x, y| x - y), align: a.align.min(b.align), bound: u32::MAX, near },
        BinaryOp::Mul => {
            let factor = known_b.map(|c| (a, c)).or(known_a.map(|c| (b, c)));
            let form = match factor.and_then(|(of, c)| Some((of.stride()?, c.cast_signed()))) {
                Some((stride, c)) => linear(i64::from(stride) * i64::from(c)),
                None => plain.form,
            };
            let align = a.align.saturating_add(b.align).min(32);
            Shape { form, align, bound: wide(u64::from(a.bound) * u64::from(b.bound)), near }
        }
        BinaryOp::Shl => match known_b {
            Some(by) if by < 32 => {
                let form = a.stride().map_or(Form::Varying, |stride| linear(i64::from(stride) << by));
                let align = a.align.saturating_add(by as u8).min(32);
                Shape { form, align, bound: wide(u64::from(a.bound) << by), near: 0 }
            }
            _ => plain,
        },
        BinaryOp::ShrU => match known_b {
            Some(by) if by < 32 => {
                let same = a.min_window(lanes).is_some_and(|window| u32::from(window) <= by && window <= a.align);
                let form = if same { Form::Uniform } else { plain.form };
                Shape { form, align: a.align.saturating_sub(by as u8), bound: a.bound >> by, near: 0 }
            }
            _ => plain,
        },
        BinaryOp::DivU => match known_b {
            Some(by) if by > 0 => {
                let form = if splits_evenly(a, by, lanes) { Form::Uniform } else { plain.form };
                Shape { form, align: 0, bound: a.bound / by, near: 0 }
            }
            _ => plain,
        },
        BinaryOp::RemU => match known_b {
            Some(by) if by > 0 => {
                let form =
                    if splits_evenly(a, by, lanes) { linear(i64::from(a.stride().unwrap_or(0))) } else { plain.form };
                let align = a.align.min(by.trailing_zeros() as u8);
                Shape { form, align, bound: a.bound.min(by - 1), near: 0 }
            }
            _ => plain,
        },
        BinaryOp::And => {
            let (of, mask) = match (known_a, known_b) {
                (_, Some(mask)) => (a, mask),
                (Some(mask), _) => (b, mask),
                _ => return Shape { bound: a.bound.min(b.bound), align: a.align.max(b.align), ..plain },
            };
            let form = if of.is_uniform() { Form::Uniform } else { masked(of, mask, lanes) };
            let align = of.align.max(mask.trailing_zeros() as u8).min(32);
            Shape { form, align, bound: of.bound.min(mask), near: 0 }
        }
        BinaryOp::MinU => Shape { bound: a.bound.min(b.bound), align: a.align.min(b.align), near, ..plain },
        BinaryOp::MaxU => Shape { bound: a.bound.max(b.bound), align: a.align.min(b.align), near, ..plain },
        BinaryOp::MinS | BinaryOp::MaxS => {
            Shape { bound: signed_bound(op, a, b), align: a.align.min(b.align), near, ..plain }
        }
        _ => plain,
    }
}

/// The likely difference between neighbouring lanes of the result of `op`, which may not be linear; 0 if there is none.
///
/// A factor that is known only at run time, such as the number of channels of an image or the stride of a matrix, is
/// assumed to be 1.
fn likely(op: BinaryOp, a: Shape, b: Shape, known: Option<u32>) -> i32 {
    let (of_a, of_b) = (a.likely_stride(), b.likely_stride());
    let (one, other) = match (of_a, of_b) {
        (Some(stride), _) => (stride, b),
        (None, Some(stride)) if op != BinaryOp::Sub => (stride, a),
        _ => return 0,
    };
    match op {
        BinaryOp::MinS | BinaryOp::MaxS | BinaryOp::MinU | BinaryOp::MaxU if other.is_uniform() => one,
        BinaryOp::Add => other
            .likely_stride()
            .map_or(if other.is_uniform() { one } else { 0 }, |stride| one.checked_add(stride).unwrap_or(0)),
        BinaryOp::Sub if other.is_uniform() => one,
        BinaryOp::Mul if other.is_uniform() => match known {
            Some(by) => {
                let stride = i32::try_from(by).ok().and_then(|by| one.checked_mul(by));
                stride.filter(|stride| *stride > 0).unwrap_or(0)
            }
            None => one,
        },
        _ => 0,
    }
}

/// The unsigned bound of a signed minimum or maximum: `u32::MAX` unless both operands are non-negative.
fn signed_bound(op: BinaryOp, a: Shape, b: Shape) -> u32 {
    let positive = |shape: Shape| shape.bound <= i32::MAX as u32;
    if !positive(a) || !positive(b) {
        return u32::MAX;
    }
    if op == BinaryOp::MinS { a.bound.min(b.bound) } else { a.bound.max(b.bound) }
}

/// Whether a division of `of` by `by` has the same quotient in all lanes, and remainders with the stride of `of`.
fn splits_evenly(of: Shape, by: u32, lanes: usize) -> bool {
    of.min_window(lanes).is_some_and(|window| window <= of.align && u32::from(window) <= by.trailing_zeros())
}

fn masked(of: Shape, mask: u32, lanes: usize) -> Form {
    let Some(window) = of.min_window(lanes).filter(|window| *window <= of.align) else { return Form::Varying };
    let low = (1u32 << window) - 1;
    match mask & low {
        0 => Form::Uniform,
        kept if kept == low => of.form,
        _ => Form::Varying,
    }
}
