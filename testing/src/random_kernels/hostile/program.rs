//! Whole kernels.

use super::memory::{Memory, WORDS};
use super::{Callable, Maker, Number, whole};
use crate::random_kernels::ast::{
    Binary, Block, Expr, Function, INPUTS, Kind, Outside, Place, Program, Root, Scalar, Space, Step, Stmt, Type,
};

/// The index, among an invocation's words of `output`, of the word that holds the hash of all variables.
const HASH: u32 = 5;

/// The number of the variable of `main` that holds the invocation's index in the whole dispatch.
pub(super) const FLAT: usize = INPUTS.len();

pub(super) fn program(this: &mut Maker) -> Program {
    let sizes: [[u32; 3]; 6] = [[4, 1, 1], [8, 1, 1], [3, 2, 1], [16, 1, 1], [2, 2, 2], [1, 5, 1]];
    let grids: [[u32; 3]; 4] = [[1, 1, 1], [2, 1, 1], [3, 1, 1], [1, 2, 1]];
    if this.random.chance(45) {
        this.workgroup_size = *this.random.pick(&sizes);
        this.groups = *this.random.pick(&grids);
    }
    this.make_globals();
    for _ in 0..this.random.below(3) {
        function(this);
    }
    main_function(this);
    Program {
        structs: std::mem::take(&mut this.structs),
        constants: Vec::new(),
        globals: std::mem::take(&mut this.globals),
        functions: std::mem::take(&mut this.functions),
        callers_first: this.random.chance(30),
        workgroup_size: this.workgroup_size,
        groups: this.groups,
        buffers: std::mem::take(&mut this.buffers),
        outside: Outside::Defined,
    }
}

fn start(this: &mut Maker, main: bool, budget: usize) {
    this.numbers.clear();
    this.memories.clear();
    this.around.clear();
    (this.main, this.slots, this.depth, this.budget) = (main, 0, 0, budget);
    for (index, global) in this.globals.iter().enumerate() {
        if global.space == Space::Private && global.ty == Type::U32 {
            this.numbers.push(Number { root: Root::Global(index), scalar: Scalar::U32, mutable: true });
        }
    }
}

/// A function with parameters that are numbers, arrays as values, and pointers to whole variables.
fn function(this: &mut Maker) {
    start(this, false, this.size);
    let mut params = Vec::new();
    for _ in 0..this.random.between(1, 3) {
        let slot = this.slot();
        let scalar = this.scalar();
        let array = array_type(this);
        let ty = match this.random.below(10) {
            0..5 => Type::Scalar(scalar),
            5 => Type::Pointer(Space::Function, Box::new(Type::Scalar(scalar))),
            6..8 => Type::Pointer(Space::Function, Box::new(array)),
            8 => private_pointer(this).unwrap_or(Type::U32),
            _ => array,
        };
        match &ty {
            Type::Scalar(scalar) => this.numbers.push(Number::local(slot, *scalar, false)),
            Type::Pointer(_, of) if matches!(**of, Type::Scalar(_)) => {
                let scalar = of.numeric().map_or(Scalar::U32, |(scalar, _)| scalar);
                this.numbers.push(Number { root: Root::Deref(slot), scalar, mutable: true });
            }
            Type::Pointer(_, of) => {
                let (root, ty) = (Root::Deref(slot), (**of).clone());
                this.memories.push(Memory { root, ty, writable: true, atomic: false });
            }
            ty => {
                let (root, ty) = (Root::Slot(slot), ty.clone());
                this.memories.push(Memory { root, ty, writable: false, atomic: false });
            }
        }
        params.push((slot, ty));
    }
    let mut body = locals(this, 1);
    let count = this.random.between(1, 3);
    body.extend(this.statements(count));
    let result = this.number(Scalar::U32, 2, 8);
    body.push(Stmt::Return(Some(result)));
    this.callables.push(Callable { params: params.iter().map(|(_, ty)| ty.clone()).collect() });
    let (name, slots) = (format!("f{}", this.functions.len()), this.slots);
    this.functions.push(Function { name, params, result: Some(Type::U32), body, slots });
}

/// A pointer to a private variable. The function also sees the variable by its name: such aliases are not valid WGSL,
/// but no validator refuses them, and no access may go out of range because of them.
fn private_pointer(this: &mut Maker) -> Option<Type> {
    let privates = this.globals.iter().filter(|global| global.space == Space::Private);
    let types: Vec<Type> = privates.map(|global| global.ty.clone()).collect();
    if types.is_empty() {
        return None;
    }
    let ty = this.random.pick(&types).clone();
    Some(Type::Pointer(Space::Private, Box::new(ty)))
}

/// A random one of two array types; with so few types, several variables have the same type.
fn array_type(this: &mut Maker) -> Type {
    let (element, length) = *this.random.pick(&[(Scalar::U32, 4), (Scalar::I32, 5)]);
    Type::Array(Box::new(Type::Scalar(element)), length)
}

/// Declares the first numbers and arrays of a function.
fn locals(this: &mut Maker, count: usize) -> Block {
    let mut block = Vec::new();
    for _ in 0..this.random.between(count, count + 1) {
        let ty = if this.random.chance(50) { array_type(this) } else { this.indexed_type(false) };
        let slot = this.slot();
        let init = if matches!(ty, Type::Array(_, 1..=5)) && this.random.chance(60) { filled(this, &ty) } else { None };
        block.push(Stmt::Var(slot, ty.clone(), init));
        this.memories.push(Memory { root: Root::Slot(slot), ty, writable: true, atomic: false });
    }
    for scalar in [Scalar::U32, Scalar::I32] {
        let (slot, value) = (this.slot(), this.atom(scalar));
        block.push(Stmt::Var(slot, Type::Scalar(scalar), Some(value)));
        this.numbers.push(Number::local(slot, scalar, true));
    }
    block
}

/// An array of numbers that are only known at run time.
fn filled(this: &mut Maker, ty: &Type) -> Option<Expr> {
    let parts = ty.parts(&this.structs);
    let part = |part: &Type| match part {
        Type::Scalar(scalar @ (Scalar::U32 | Scalar::I32)) => Some(this.atom(*scalar)),
        _ => None,
    };
    let parts: Option<Vec<Expr>> = parts.iter().map(part).collect();
    Some(Expr::new(ty.clone(), Kind::Compose(parts?)))
}

fn main_function(this: &mut Maker) {
    start(this, true, this.size * 3);
    this.slots = INPUTS.len();
    let mut body = Vec::new();
    flat_index(this, &mut body);
    workgroup_memory(this, &mut body);
    body.extend(locals(this, 2));
    body.extend(this.statements(this.size));
    hash(this, &mut body);
    let slots = this.slots;
    this.functions.push(Function { name: "main".to_owned(), params: Vec::new(), result: None, body, slots });
}

/// Adds `let flat = workgroup * size + index`, the index of the invocation in the dispatch.
fn flat_index(this: &mut Maker, body: &mut Block) {
    let part = |slot: usize, axis: u8| {
        let place = Place { root: Root::Slot(slot), path: vec![Step::Component(axis)] };
        Expr::new(Type::U32, Kind::Load(place))
    };
    let line = Expr::binary(Binary::Mul, part(4, 1), part(3, 2));
    let row = Expr::binary(Binary::Mul, part(4, 0), Expr::binary(Binary::Add, part(3, 1), line));
    let group = Expr::binary(Binary::Add, part(3, 0), row);
    let size = this.workgroup_size.iter().product();
    let first = Expr::binary(Binary::Mul, group, Expr::u32(size));
    let slot = this.slot();
    body.push(Stmt::Let(slot, Expr::binary(Binary::Add, first, Expr::slot(2, Type::U32))));
    this.numbers.push(Number::local(slot, Scalar::U32, false));
}

/// Every invocation fills its element; after the barrier all only read.
fn workgroup_memory(this: &mut Maker, body: &mut Block) {
    let filled = |global: &crate::random_kernels::ast::Global| global.space == Space::Workgroup && !global.atomic;
    let Some(index) = this.globals.iter().position(filled) else { return };
    if !this.alone() {
        let place = Place { root: Root::Global(index), path: vec![Step::Index(Expr::slot(2, Type::U32))] };
        let value = this.number(Scalar::U32, 1, 8);
        body.push(Stmt::Assign(place, value));
        body.push(Stmt::WorkgroupBarrier);
    }
}

/// Adds the computation of a hash of every variable, and its store to the word `HASH` of the invocation's words of
/// `output`.
fn hash(this: &mut Maker, body: &mut Block) {
    let slot = this.slot();
    let place = Place { root: Root::Slot(slot), path: Vec::new() };
    body.push(Stmt::Var(slot, Type::U32, Some(Expr::u32(0x811c_9dc5))));
    let mut words = Vec::new();
    for number in &this.numbers {
        words.push((whole(number.root), number.scalar));
    }
    let own = |memory: &&Memory| match memory.root {
        Root::Slot(_) => true,
        Root::Global(index) => this.globals[index].space == Space::Private,
        Root::Deref(_) => false,
    };
    let memories: Vec<Memory> = this.memories.iter().chain(&this.global_memories()).filter(own).cloned().collect();
    for memory in memories {
        let mut all = Vec::new();
        flatten(this, Place { root: memory.root, path: Vec::new() }, &memory.ty, &mut all);
        while all.len() > 12 {
            let drop = this.random.below(all.len());
            all.swap_remove(drop);
        }
        words.extend(all);
    }
    for (from, scalar) in words {
        let word = this.loaded(from, scalar);
        let old = Expr::slot(slot, Type::U32);
        let mixed = Expr::binary(Binary::Mul, Expr::binary(Binary::Xor, old.clone(), word), Expr::u32(0x0100_0193));
        let turned = Expr::binary(Binary::Shr, old, Expr::u32(15));
        body.push(Stmt::Assign(place.clone(), Expr::binary(Binary::Add, mixed, turned)));
    }
    let output = this.globals.iter().position(|global| global.name == "output").unwrap_or_default();
    let first = Expr::binary(Binary::Mul, Expr::slot(FLAT, Type::U32), Expr::u32(WORDS));
    let index = Expr::binary(Binary::Add, first, Expr::u32(HASH));
    let target = Place { root: Root::Global(output), path: vec![Step::Index(index)] };
    body.push(Stmt::Assign(target, Expr::slot(slot, Type::U32)));
}

fn flatten(this: &Maker, place: Place, ty: &Type, words: &mut Vec<(Place, Scalar)>) {
    if let Type::Scalar(scalar) = ty {
        return words.push((place, *scalar));
    }
    for (at, part) in ty.parts(&this.structs).iter().enumerate() {
        let mut place = place.clone();
        place.path.push(match ty {
            Type::Struct(_) => Step::Member(at),
            Type::Vector(..) => Step::Component(at as u8),
            _ => Step::Index(Expr::u32(at as u32)),
        });
        flatten(this, place, part, words);
    }
}
