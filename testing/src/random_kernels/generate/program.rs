//! Whole kernels.

use super::scope::Variable;
use super::{Callable, Generator};
use crate::random_kernels::ast::{
    Binary, Block, Builtin, Expr, Function, Global, INPUTS, Kind, Outside, Place, Program, Root, Scalar, Space, Step,
    Stmt, Type, Value,
};
use crate::random_kernels::layout;

/// The number of words that each invocation writes into `output`.
const WORDS: u32 = 8;

/// The number of words in the buffer of random words.
const INPUT: u32 = 37;

/// The number of elements of each buffer that all invocations accumulate into.
const SUMS: u32 = 12;

pub(super) fn program(this: &mut Generator) -> Program {
    let sizes: [[u32; 3]; 10] = [
        [1, 1, 1],
        [3, 1, 1],
        [8, 1, 1],
        [13, 1, 1],
        [32, 1, 1],
        [64, 1, 1],
        [4, 3, 2],
        [16, 2, 1],
        [7, 5, 1],
        [1, 1, 16],
    ];
    let grids: [[u32; 3]; 4] = [[1, 1, 1], [2, 1, 1], [3, 1, 1], [1, 2, 2]];
    this.workgroup_size = *this.random.pick(&sizes);
    let groups = *this.random.pick(&grids);
    this.make_structs();
    for _ in 0..this.random.between(1, 4) {
        let ty = this.any_type(false, 1);
        let constant = this.literal_of(&ty);
        this.constants.push(constant);
    }
    make_buffers(this, groups);
    for _ in 0..this.random.between(1, 3) {
        let ty = this.any_type(false, 2);
        let init = this.random.chance(60).then(|| this.literal_of(&ty));
        push_global(this, 'p', ty, Space::Private, init);
    }
    if this.random.chance(80) {
        this.make_shared_globals();
    }
    for _ in 0..this.random.between(0, 2) + this.size / 20 {
        let meets = this.random.chance(40);
        function(this, meets);
    }
    main_function(this);
    Program {
        structs: std::mem::take(&mut this.structs),
        constants: std::mem::take(&mut this.constants),
        globals: std::mem::take(&mut this.globals),
        functions: std::mem::take(&mut this.functions),
        callers_first: this.random.chance(30),
        workgroup_size: this.workgroup_size,
        groups,
        buffers: std::mem::take(&mut this.buffers),
        outside: Outside::Undefined,
    }
}

fn push_global(this: &mut Generator, prefix: char, ty: Type, space: Space, init: Option<Expr>) {
    let name = format!("{prefix}{}", this.globals.len());
    this.globals.push(Global { name, ty, space, binding: None, atomic: false, unsized_array: false, init });
}

fn make_buffers(this: &mut Generator, groups: [u32; 3]) {
    let invocations = this.size() * groups.iter().product::<u32>();
    let words = |length| Type::Array(Box::new(Type::U32), length);
    // This struct obeys the layout rules of both uniform and storage buffers.
    let uniform = Type::Struct(this.structs.len());
    this.structs.push(vec![
        Type::vector(Scalar::U32, 4),
        Type::vector(Scalar::I32, 3),
        Type::U32,
        Type::vector(Scalar::F32, 4),
        Type::Matrix(3, 3),
        Type::Array(Box::new(Type::vector(Scalar::I32, 4)), 3),
        Type::I32,
        Type::F32,
    ]);
    let data = Type::Struct(this.random.below(this.shareable));
    let state = Type::Struct(this.random.below(this.shareable));
    let state = Type::Array(Box::new(state), invocations);
    let (input, output, sums) = (words(INPUT), words(invocations * WORDS), words(SUMS));
    let add = |this: &mut Generator, name: &str, ty: Type, space: Space, atomic: bool, unsized_array: bool| {
        let mut bytes = vec![0; layout::layout(&ty, &this.structs).1];
        if name != "output" {
            let value = this.random_value(&ty);
            layout::write(&value, &ty, &this.structs, &mut bytes);
        }
        let (name, binding) = (name.to_owned(), Some(this.buffers.len() as u32));
        this.buffers.push(bytes);
        this.globals.push(Global { name, ty, space, binding, atomic, unsized_array, init: None });
    };
    add(this, "params", uniform, Space::Uniform, false, false);
    add(this, "input", input, Space::Input, false, true);
    add(this, "data", data, Space::Input, false, false);
    add(this, "output", output, Space::Output, false, true);
    add(this, "state", state, Space::Output, false, true);
    add(this, "sums", sums, Space::Output, true, false);
}

fn function(this: &mut Generator, meets: bool) {
    start(this);
    let mut params = Vec::new();
    if meets {
        let slot = this.slot();
        params.push((slot, Type::U32));
        this.variables.push(Variable::local(slot, Type::U32, false));
        this.index = Some(slot);
        this.uniform = true;
    }
    this.start_shared(false);
    for _ in 0..this.random.between(1, 3) {
        let slot = this.slot();
        let ty = this.any_type(false, 1);
        let ty = match this.random.below(10) {
            0..2 => Type::Pointer(Space::Function, Box::new(ty)),
            2 => Type::Pointer(Space::Private, Box::new(ty)),
            _ => ty,
        };
        let variable = match &ty {
            Type::Pointer(_, of) => {
                let mut variable = Variable::local(slot, (**of).clone(), true);
                (variable.root, variable.space) = (Root::Deref(slot), None);
                variable
            }
            ty => Variable::local(slot, ty.clone(), false),
        };
        this.variables.push(variable);
        params.push((slot, ty));
    }
    let result = this
        .random
        .chance(85)
        .then(|| if this.random.chance(60) { this.numeric(false) } else { this.any_type(false, 1) });
    this.result.clone_from(&result);
    let mut body = Vec::new();
    if meets {
        this.barrier(&mut body);
    }
    let count = this.random.between(2, 2 + this.size / 6);
    body.extend(this.statements(count));
    if let Some(ty) = &result {
        let value = this.value(ty, 3).expr;
        if meets {
            // Without a barrier, the code after the call would race with the body of the function.
            let slot = this.slot();
            body.push(Stmt::Let(slot, value));
            body.push(Stmt::WorkgroupBarrier);
            body.push(Stmt::Return(Some(Expr::slot(slot, ty.clone()))));
        } else {
            body.push(Stmt::Return(Some(value)));
        }
    } else if meets {
        body.push(Stmt::WorkgroupBarrier);
    }
    this.callables.push(Callable {
        params: params.iter().map(|(_, ty)| ty.clone()).collect(),
        result: result.clone(),
        cost: this.cost,
        private: this.private,
        effects: this.effects,
        meets,
    });
    let name = format!("f{}", this.functions.len());
    this.functions.push(Function { name, params, result, body, slots: this.slots });
}

fn start(this: &mut Generator) {
    this.variables.clear();
    this.loops.clear();
    (this.slots, this.index, this.uniform, this.only_uniform) = (0, None, false, false);
    (this.result, this.private, this.effects) = (None, false, false);
    (this.times, this.cost, this.depth) = (1, 0, 0);
}

fn main_function(this: &mut Generator) {
    start(this);
    let mut body = Vec::new();
    for (slot, (name, _, vector)) in INPUTS.iter().enumerate() {
        let ty = Type::vector(Scalar::U32, if *vector { 3 } else { 1 });
        let mut variable = Variable::local(this.slot(), ty, false);
        variable.uniform = matches!(*name, "wid" | "nwg");
        debug_assert_eq!(variable.root, Root::Slot(slot));
        this.variables.push(variable);
    }
    (this.index, this.uniform) = (Some(2), true);
    let flat = flat_index(this, &mut body);
    own_parts(this, flat);
    this.start_shared(true);
    body.extend(this.statements(this.size));
    hash(this, flat, &mut body);
    this.functions.push(Function {
        name: "main".to_owned(),
        params: Vec::new(),
        result: None,
        body,
        slots: this.slots,
    });
}

/// Adds `let flat = workgroup * size + index`, the index of the invocation in the dispatch.
fn flat_index(this: &mut Generator, body: &mut Block) -> usize {
    let part = |slot: usize, axis: u8| {
        let place = Place { root: Root::Slot(slot), path: vec![Step::Component(axis)] };
        Expr::new(Type::U32, Kind::Load(place))
    };
    let line = Expr::binary(Binary::Mul, part(4, 1), part(3, 2));
    let row = Expr::binary(Binary::Mul, part(4, 0), Expr::binary(Binary::Add, part(3, 1), line));
    let group = Expr::binary(Binary::Add, part(3, 0), row);
    let first = Expr::binary(Binary::Mul, group, Expr::u32(this.size()));
    let flat = this.slot();
    body.push(Stmt::Let(flat, Expr::binary(Binary::Add, first, Expr::slot(2, Type::U32))));
    this.variables.push(Variable::local(flat, Type::U32, false));
    flat
}

/// Adds, as variables, the elements of `output` and `state` that belong to the invocation.
fn own_parts(this: &mut Generator, flat: usize) {
    let globals = this.globals.clone();
    for (index, global) in globals.iter().enumerate() {
        let Type::Array(element, _) = &global.ty else { continue };
        let mut variable = Variable::global(index, (**element).clone());
        variable.mutable = true;
        if global.name == "state" {
            variable.prefix.push(Step::Index(Expr::slot(flat, Type::U32)));
            this.variables.push(variable);
        } else if global.name == "output" {
            for word in 0..WORDS / 2 {
                let mut variable = variable.clone();
                variable.prefix.push(Step::Index(output_index(flat, word)));
                this.variables.push(variable);
            }
        }
    }
}

fn output_index(flat: usize, word: u32) -> Expr {
    let first = Expr::binary(Binary::Mul, Expr::slot(flat, Type::U32), Expr::u32(WORDS));
    Expr::binary(Binary::Add, first, Expr::u32(word))
}

/// Adds the computation of a hash of all variables. The hash is stored in two of the invocation's words of `output`,
/// after half of the variables and after all.
fn hash(this: &mut Generator, flat: usize, body: &mut Block) {
    let slot = this.slot();
    body.push(Stmt::Var(slot, Type::U32, Some(Expr::u32(0x811c_9dc5))));
    let place = Place { root: Root::Slot(slot), path: Vec::new() };
    let output = this.globals.iter().position(|global| global.name == "output").unwrap_or_default();
    let store = |word: u32| {
        let place = Place { root: Root::Global(output), path: vec![Step::Index(output_index(flat, word))] };
        Stmt::Assign(place, Expr::slot(slot, Type::U32))
    };
    let mut variables = this.variables.clone();
    for (index, global) in this.globals.iter().enumerate() {
        if global.space == Space::Private {
            variables.push(Variable::global(index, global.ty.clone()));
        }
    }
    let half = variables.len() / 2;
    for (at, variable) in variables.into_iter().enumerate() {
        if at == half {
            body.push(store(WORDS / 2));
        }
        let whole = Place { root: variable.root, path: variable.prefix.clone() };
        let mut words = Vec::new();
        flatten(this, whole, &variable.ty, &mut words);
        // The hash reads at most 10 words of each variable, so that it does not dominate the kernel.
        while words.len() > 10 {
            let drop = this.random.below(words.len());
            words.swap_remove(drop);
        }
        for (place, scalar) in words {
            let value = Expr::new(Type::Scalar(scalar), Kind::Load(place));
            let word = as_word(value, scalar, variable.fraction);
            let old = Expr::slot(slot, Type::U32);
            let mixed = Expr::binary(Binary::Mul, Expr::binary(Binary::Xor, old.clone(), word), Expr::u32(0x0100_0193));
            let turned = Expr::binary(Binary::Shr, old, Expr::u32(15));
            body.push(Stmt::Assign(place_of(slot), Expr::binary(Binary::Add, mixed, turned)));
        }
    }
    debug_assert_eq!(place, place_of(slot));
    body.push(store(WORDS / 2 + 1));
}

fn place_of(slot: usize) -> Place {
    Place { root: Root::Slot(slot), path: Vec::new() }
}

fn as_word(value: Expr, scalar: Scalar, fraction: u32) -> Expr {
    match scalar {
        Scalar::U32 => value,
        Scalar::I32 => value.bitcast(Type::U32),
        Scalar::F32 => {
            let scale = Expr::f32((1u32 << fraction) as f32);
            let value = if fraction > 0 { Expr::binary(Binary::Mul, value, scale) } else { value };
            value.convert(Type::I32).bitcast(Type::U32)
        }
        Scalar::Bool => Expr::builtin(Type::U32, Builtin::Select, vec![Expr::u32(7), Expr::u32(99), value]),
    }
}

fn flatten(this: &Generator, place: Place, ty: &Type, words: &mut Vec<(Place, Scalar)>) {
    if let Type::Scalar(scalar) = ty {
        return words.push((place, *scalar));
    }
    for (at, part) in ty.parts(&this.structs).iter().enumerate().take(16) {
        let mut place = place.clone();
        place.path.push(match ty {
            Type::Struct(_) => Step::Member(at),
            Type::Vector(..) => Step::Component(at as u8),
            _ => Step::Index(Expr::u32(at as u32)),
        });
        flatten(this, place, part, words);
    }
}

impl Generator {
    /// A constant expression of type `ty` that consists of literals.
    fn literal_of(&mut self, ty: &Type) -> Expr {
        if let Type::Scalar(scalar) = ty {
            return self.literal(*scalar).expr;
        }
        let parts = ty.parts(&self.structs);
        let parts = parts.iter().map(|part| self.literal_of(part)).collect();
        Expr::new(ty.clone(), Kind::Compose(parts))
    }

    fn random_value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Scalar(Scalar::F32) => Value::F32(self.random.small_float()),
            Type::Scalar(Scalar::I32) => Value::I32(self.random.interesting().cast_signed()),
            Type::Scalar(_) => Value::U32(self.random.interesting()),
            _ => Value::Many(ty.parts(&self.structs).iter().map(|part| self.random_value(part)).collect()),
        }
    }
}
