//! Arrays on the device, of a type that is known at run time.

use std::rc::Rc;

use anywarp::{Device, Element, UnifiedBuffer};
use anywarp_testing::onnx::{Tensor, type_name};
use anywarp_testing_devices::outcome::{Stop, TestResult};
use half::{bf16, f16};

/// An element type. Booleans are bytes of 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    F32,
    U8,
    I8,
    U16,
    I16,
    I32,
    I64,
    Bool,
    F16,
    F64,
    U32,
    U64,
    Bf16,
}

/// The number of each type in ONNX.
const NUMBERS: [(Type, u64); 13] = [
    (Type::F32, 1),
    (Type::U8, 2),
    (Type::I8, 3),
    (Type::U16, 4),
    (Type::I16, 5),
    (Type::I32, 6),
    (Type::I64, 7),
    (Type::Bool, 9),
    (Type::F16, 10),
    (Type::F64, 11),
    (Type::U32, 12),
    (Type::U64, 13),
    (Type::Bf16, 16),
];

impl Type {
    /// Returns the type with this number in ONNX; skips the case for types that no operator supports.
    pub(crate) fn of(number: u64) -> TestResult<Self> {
        let found = NUMBERS.iter().find(|(_, known)| *known == number);
        found.map(|(kind, _)| *kind).ok_or_else(|| Stop::Skip(format!("no type {}", type_name(number))))
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::F64 | Self::Bf16)
    }
}

/// A buffer with elements of any type.
pub(crate) enum Buffer {
    F32(UnifiedBuffer<f32>),
    F64(UnifiedBuffer<f64>),
    F16(UnifiedBuffer<f16>),
    Bf16(UnifiedBuffer<bf16>),
    I8(UnifiedBuffer<i8>),
    I16(UnifiedBuffer<i16>),
    I32(UnifiedBuffer<i32>),
    I64(UnifiedBuffer<i64>),
    U8(UnifiedBuffer<u8>),
    U16(UnifiedBuffer<u16>),
    U32(UnifiedBuffer<u32>),
    U64(UnifiedBuffer<u64>),
}

/// An element type of a [`Buffer`].
pub(crate) trait Number: Element {
    fn buffer(buffer: UnifiedBuffer<Self>) -> Buffer;
    fn of(buffer: &Buffer) -> Option<&UnifiedBuffer<Self>>;
}

macro_rules! numbers {
    ($($rust:ty, $variant:ident;)*) => {$(
        impl Number for $rust {
            fn buffer(buffer: UnifiedBuffer<Self>) -> Buffer {
                Buffer::$variant(buffer)
            }

            fn of(buffer: &Buffer) -> Option<&UnifiedBuffer<Self>> {
                if let Buffer::$variant(buffer) = buffer { Some(buffer) } else { None }
            }
        }
    )*};
}

numbers! {
    f32, F32; f64, F64; f16, F16; bf16, Bf16;
    i8, I8; i16, I16; i32, I32; i64, I64;
    u8, U8; u16, U16; u32, U32; u64, U64;
}

/// Evaluates an expression with `$T` as the type of the elements; skips the case for types that are not listed.
macro_rules! by_type {
    ($kind:expr, [$($variant:ident: $rust:ty),*], $T:ident => $body:expr) => {
        match $kind {
            $($crate::array::Type::$variant => { type $T = $rust; $body })*
            #[allow(unreachable_patterns, reason = "a list may have all types")]
            other => Err(anywarp_testing_devices::outcome::Stop::Skip(format!("the operator has no type {other:?}"))),
        }
    };
    ($kind:expr, $T:ident => $body:expr) => {
        $crate::array::by_type!($kind, [
            F32: f32, F64: f64, F16: half::f16, Bf16: half::bf16, I8: i8, I16: i16, I32: i32, I64: i64,
            U8: u8, Bool: u8, U16: u16, U32: u32, U64: u64
        ], $T => $body)
    };
}
pub(crate) use by_type;

/// An array of row-major elements. Clones share the buffer, because no operator writes an input.
#[derive(Clone)]
pub(crate) struct Array {
    pub(crate) kind: Type,
    pub(crate) shape: Vec<usize>,
    buffer: Rc<Buffer>,
}

impl Array {
    pub(crate) fn new<T: Number>(kind: Type, shape: impl Into<Vec<usize>>, buffer: UnifiedBuffer<T>) -> Self {
        Self { kind, shape: shape.into(), buffer: Rc::new(T::buffer(buffer)) }
    }

    /// Returns a new array whose elements are written by `write`.
    pub(crate) fn written<T: Number>(
        device: &Device,
        kind: Type,
        shape: impl Into<Vec<usize>>,
        write: impl FnOnce(&mut UnifiedBuffer<T>) -> TestResult,
    ) -> TestResult<Self> {
        let shape = shape.into();
        let mut buffer = device.buffer::<T>(shape.iter().product())?;
        write(&mut buffer)?;
        Ok(Self::new(kind, shape, buffer))
    }

    /// Returns an array of these elements, whose type is `kind`.
    pub(crate) fn from<T: Number>(
        device: &Device,
        kind: Type,
        shape: impl Into<Vec<usize>>,
        elements: &[T],
    ) -> TestResult<Self> {
        Ok(Self::new(kind, shape, device.buffer_from(elements)?))
    }

    /// Copies a tensor of a file to the device.
    pub(crate) fn upload(device: &Device, tensor: &Tensor) -> TestResult<Self> {
        let kind = Type::of(tensor.element)?;
        by_type!(kind, T => {
            let elements: Vec<T> = bytemuck::pod_collect_to_vec(&tensor.bytes);
            Self::from(device, kind, tensor.shape.clone(), &elements)
        })
    }

    /// The little-endian bytes of the elements.
    pub(crate) fn bytes(&self) -> TestResult<Vec<u8>> {
        by_type!(self.kind, T => Ok(bytemuck::cast_slice::<T, u8>(&self.get::<T>()?.read()?).to_vec()))
    }

    /// The buffer, whose element type must be that of the array.
    pub(crate) fn get<T: Number>(&self) -> TestResult<&UnifiedBuffer<T>> {
        match T::of(&self.buffer) {
            Some(buffer) => Ok(buffer),
            None => fail!("an array of {:?} is taken for one of {}", self.kind, std::any::type_name::<T>()),
        }
    }

    /// The array with the same elements in another shape.
    pub(crate) fn reshaped(&self, shape: impl Into<Vec<usize>>) -> TestResult<Self> {
        let shape = shape.into();
        if shape.iter().product::<usize>() != self.len() {
            return fail!("an array of shape {:?} cannot have the shape {shape:?}", self.shape);
        }
        Ok(Self { shape, ..self.clone() })
    }

    /// The array with the same elements as another type of the same representation.
    pub(crate) fn named(&self, kind: Type) -> Self {
        Self { kind, ..self.clone() }
    }

    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The elements as integers on the host, as parameters of an operator.
    pub(crate) fn integers(&self) -> TestResult<Vec<i64>> {
        match self.kind {
            Type::I64 => Ok(self.get::<i64>()?.read()?.to_vec()),
            Type::I32 => Ok(self.get::<i32>()?.read()?.iter().map(|number| i64::from(*number)).collect()),
            Type::Bool => Ok(self.get::<u8>()?.read()?.iter().map(|number| i64::from(*number)).collect()),
            other => fail!("integers are expected as parameters, not {other:?}"),
        }
    }

    /// The first element as a number on the host, as a parameter of an operator.
    pub(crate) fn number(&self) -> TestResult<f64> {
        let number = match self.kind {
            Type::F32 => self.get::<f32>()?.read()?.first().map(|number| f64::from(*number)),
            Type::F16 => self.get::<f16>()?.read()?.first().map(|number| f64::from(*number)),
            Type::Bf16 => self.get::<bf16>()?.read()?.first().map(|number| f64::from(*number)),
            Type::F64 => self.get::<f64>()?.read()?.first().copied(),
            _ => self.integers()?.first().map(|number| *number as f64),
        };
        number.map_or_else(|| fail!("a number is expected as a parameter, not an empty array"), Ok)
    }
}
