//! Indexed memory: variables, buffers, and locations in them.

use super::Maker;
use super::number::literal;
use crate::random_kernels::ast::{Binary, Expr, Global, Kind, Place, Root, Scalar, Space, Step, Type, Value};
use crate::random_kernels::layout;

/// The number of words in the buffer of random words.
pub(super) const INPUT: u32 = 11;
/// The number of words of `output` that an invocation owns.
pub(super) const WORDS: u32 = 8;

/// A variable or buffer with elements that statements can index.
#[derive(Clone)]
pub(super) struct Memory {
    pub(super) root: Root,
    pub(super) ty: Type,
    pub(super) writable: bool,
    pub(super) atomic: bool,
}

impl Maker {
    /// A random type with elements that can be indexed.
    pub(super) fn indexed_type(&mut self, shareable: bool) -> Type {
        let integer = Type::Scalar(self.scalar());
        let vector = |scalar, width: usize| Type::Vector(scalar, width as u8);
        let length = *self.random.pick(&[1, 2, 3, 4, 4, 5, 7, 8, 8, 16]);
        match self.random.below(12) {
            0..5 => Type::Array(Box::new(integer), length),
            5 => {
                let width = self.random.between(2, 4);
                vector(self.scalar(), width)
            }
            6 => Type::Matrix(self.random.between(2, 4) as u8, self.random.between(2, 4) as u8),
            7 => Type::Array(Box::new(Type::F32), length),
            8 => {
                let inner = *self.random.pick(&[1, 2, 3, 4, 6]);
                Type::Array(Box::new(Type::Array(Box::new(integer), inner)), length.min(6))
            }
            9 => {
                let width = self.random.between(2, 4);
                Type::Array(Box::new(vector(Scalar::U32, width)), length.min(6))
            }
            10 if !shareable => Type::Array(Box::new(Type::BOOL), length),
            _ => Type::Array(Box::new(Type::Struct(1)), length.min(4)),
        }
    }

    /// `params`, the buffers, private and workgroup variables.
    pub(super) fn make_globals(&mut self) {
        self.structs.push(vec![Type::vector(Scalar::U32, 4), Type::vector(Scalar::I32, 4), Type::U32, Type::I32]);
        let length = self.random.between(1, 4) as u32;
        self.structs.push(vec![Type::U32, Type::Array(Box::new(Type::I32), length), Type::vector(Scalar::U32, 3)]);
        let invocations = self.workgroup_size.iter().chain(&self.groups).product::<u32>();
        let words = |length| Type::Array(Box::new(Type::U32), length);
        self.buffer("params", Type::Struct(0), Space::Uniform, false, false);
        self.buffer("input", words(INPUT), Space::Input, false, true);
        self.buffer("output", words(invocations * WORDS), Space::Output, false, true);
        let data = self.indexed_type(true);
        let unsized_array = matches!(data, Type::Array(..)) && self.random.chance(60);
        self.buffer("data", data, Space::Input, false, unsized_array);
        let sums = self.random.between(1, 8) as u32;
        let unsized_array = self.random.chance(50);
        self.buffer("sums", words(sums), Space::Output, true, unsized_array);
        if self.alone() {
            let cells = self.indexed_type(true);
            let unsized_array = matches!(cells, Type::Array(..)) && self.random.chance(60);
            self.buffer("cells", cells, Space::Output, false, unsized_array);
        }
        for _ in 0..self.random.below(3) {
            let ty = self.indexed_type(false);
            self.variable('p', ty, Space::Private, false);
        }
        if self.random.chance(50) {
            self.variable('n', Type::U32, Space::Private, false);
        }
        if self.random.chance(60) {
            // With several invocations, each one owns an element.
            let ty = if self.alone() { self.indexed_type(false) } else { words(self.workgroup_size.iter().product()) };
            self.variable('w', ty, Space::Workgroup, false);
        }
        if self.random.chance(40) {
            let (length, element) = (self.random.between(1, 6) as u32, Type::Scalar(self.scalar()));
            self.variable('a', Type::Array(Box::new(element), length), Space::Workgroup, true);
        }
    }

    fn buffer(&mut self, name: &str, ty: Type, space: Space, atomic: bool, unsized_array: bool) {
        let mut bytes = vec![0; layout::layout(&ty, &self.structs).1];
        if name != "output" {
            let value = self.initial(&ty);
            layout::write(&value, &ty, &self.structs, &mut bytes);
        }
        let binding = Some(self.buffers.len() as u32);
        self.buffers.push(bytes);
        self.globals.push(Global { name: name.to_owned(), ty, space, binding, atomic, unsized_array, init: None });
    }

    fn variable(&mut self, prefix: char, ty: Type, space: Space, atomic: bool) {
        let name = format!("{prefix}{}", self.globals.len());
        self.globals.push(Global { name, ty, space, binding: None, atomic, unsized_array: false, init: None });
    }

    /// The initial value of a buffer; more than half of the numbers look like indices.
    fn initial(&mut self, ty: &Type) -> Value {
        let word = if self.random.chance(60) { self.random.below(12) as u32 } else { self.random.interesting() };
        match ty {
            Type::Scalar(Scalar::F32) => Value::F32((word & 255) as f32),
            Type::Scalar(Scalar::I32) => Value::I32(word.cast_signed()),
            Type::Scalar(_) => Value::U32(word),
            _ => Value::Many(ty.parts(&self.structs).iter().map(|part| self.initial(part)).collect()),
        }
    }

    /// The module-scope memory that every function can index.
    pub(super) fn global_memories(&self) -> Vec<Memory> {
        let alone = self.alone();
        let memory = |(index, global): (usize, &Global)| {
            let writable = match global.space {
                Space::Private => true,
                Space::Output | Space::Workgroup => alone,
                _ => false,
            };
            // The words of `output` that an invocation owns are written by `store_own` only.
            let readable = alone || global.name != "output" && (global.name != "sums");
            let indexed = !matches!(global.ty, Type::Scalar(_) | Type::Struct(_));
            // Workgroup memory is either only read or only accumulated into.
            (indexed && (readable || global.atomic)).then(|| Memory {
                root: Root::Global(index),
                ty: global.ty.clone(),
                writable,
                atomic: global.atomic,
            })
        };
        self.globals.iter().enumerate().filter_map(memory).collect()
    }

    /// Memory that can be indexed at this point.
    pub(super) fn memory(&mut self, fits: impl Fn(&Memory) -> bool) -> Option<Memory> {
        let mut all = self.memories.clone();
        all.extend(self.global_memories());
        all.retain(fits);
        if all.is_empty() { None } else { Some(self.random.pick(&all).clone()) }
    }

    /// A random path down to a scalar, with indices of all kinds; `first` is the first index, where it is given.
    pub(super) fn place(&mut self, memory: &Memory, first: Option<Expr>) -> (Place, Scalar) {
        let (mut path, mut at, mut first) = (Vec::new(), memory.ty.clone(), first);
        loop {
            if let Type::Scalar(scalar) = at {
                return (Place { root: memory.root, path }, scalar);
            }
            let parts = at.parts(&self.structs);
            let way = self.random.below(parts.len());
            path.push(match &at {
                Type::Struct(_) => Step::Member(way),
                _ if first.is_some() => Step::Index(first.take().unwrap_or_else(|| Expr::u32(0))),
                Type::Vector(..) if self.random.chance(20) => Step::Component(way as u8),
                _ if self.random.chance(15) => Step::Index(Expr::u32(way as u32)),
                _ => Step::Index(self.index(parts.len() as u32)),
            });
            at = parts[way].clone();
        }
    }

    /// The word at a location, as an unsigned integer.
    pub(super) fn loaded(&mut self, place: Place, scalar: Scalar) -> Expr {
        let value = Expr::new(Type::Scalar(scalar), Kind::Load(place));
        match scalar {
            Scalar::U32 => value,
            Scalar::I32 => value.bitcast(Type::U32),
            Scalar::F32 | Scalar::Bool => value.convert(Type::U32),
        }
    }

    /// A random value of type `scalar` to store.
    pub(super) fn stored(&mut self, scalar: Scalar) -> Expr {
        match scalar {
            Scalar::U32 | Scalar::I32 => {
                let depth = self.random.below(3);
                self.number(scalar, depth, 8)
            }
            Scalar::F32 => {
                let number = self.number(Scalar::U32, 1, 8);
                Expr::binary(Binary::And, number, literal(Scalar::U32, 255)).convert(Type::F32)
            }
            Scalar::Bool => self.comparison(4),
        }
    }
}
