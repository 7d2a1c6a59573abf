//! The variables that can be read and written at a point of the kernel.

use super::Generator;
use super::expr::Made;
use crate::random_kernels::ast::{Binary, Expr, Kind, Place, Root, Space, Step, Type};

/// The largest magnitude of a float that kernels store in memory; all stored floats are whole numbers.
pub(super) const STORED: f64 = 2047.0;

/// A readable and perhaps writable value: a variable, a `let`, or those elements of a module-scope variable that belong
/// to the invocation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) root: Root,
    pub(super) prefix: Vec<Step>,
    pub(super) ty: Type,
    pub(super) mutable: bool,
    pub(super) uniform: bool,
    /// The address space of pointers to the variable; `None` if its address may not be passed on.
    pub(super) space: Option<Space>,
    pub(super) bound: f64,
    pub(super) fraction: u32,
}

/// An enclosing loop or switch.
pub(super) struct Loop {
    pub(super) switch: bool,
    /// Whether all invocations enter the loop together, and so also leave the loop together.
    pub(super) uniform: bool,
    /// The state of the workgroup's memory at the start of the loop.
    pub(super) shared: Vec<super::Shared>,
}

impl Variable {
    pub(super) fn local(slot: usize, ty: Type, mutable: bool) -> Self {
        let space = mutable.then_some(Space::Function);
        let root = Root::Slot(slot);
        Self { root, prefix: Vec::new(), ty, mutable, uniform: false, space, bound: STORED, fraction: 0 }
    }

    pub(super) fn global(index: usize, ty: Type) -> Self {
        let root = Root::Global(index);
        let (bound, fraction) = (STORED, 0);
        Self { root, prefix: Vec::new(), ty, mutable: false, uniform: false, space: None, bound, fraction }
    }
}

impl Generator {
    /// All readable variables.
    fn readable(&mut self) -> Vec<Variable> {
        let mut all = self.variables.clone();
        for (index, global) in self.globals.iter().enumerate() {
            let mut variable = Variable::global(index, global.ty.clone());
            match global.space {
                Space::Private => {
                    (variable.mutable, variable.space) = (true, Some(Space::Private));
                    all.push(variable);
                }
                Space::Uniform | Space::Input => {
                    variable.uniform = true;
                    all.push(variable);
                }
                _ => {}
            }
        }
        for (index, constant) in self.constants.iter().enumerate() {
            let mut variable = Variable::global(crate::random_kernels::print::CONSTANTS + index, constant.ty.clone());
            variable.uniform = true;
            all.push(variable);
        }
        all.extend(self.shared_variables());
        if self.only_uniform {
            all.retain(|variable| variable.uniform);
        }
        all
    }

    /// A location of type `ty` in a writable variable.
    pub(super) fn target(&mut self, ty: &Type) -> Option<Place> {
        let structs = self.structs.clone();
        let mut all = self.readable();
        all.retain(|variable| variable.mutable && reaches(&variable.ty, ty, &structs));
        if all.is_empty() {
            return None;
        }
        let variable = self.random.pick(&all).clone();
        self.used(&variable, true);
        Some(self.path(variable, ty).0)
    }

    /// A writable variable, or a component, element or member of one, with its type.
    pub(super) fn any_target(&mut self) -> Option<(Place, Type)> {
        let mut all = self.readable();
        all.retain(|variable| variable.mutable);
        if all.is_empty() {
            return None;
        }
        let variable = self.random.pick(&all).clone();
        let mut ty = variable.ty.clone();
        while !matches!(ty, Type::Scalar(_)) && self.random.chance(70) {
            let parts = ty.parts(&self.structs);
            ty = self.random.pick(&parts).clone();
        }
        self.used(&variable, true);
        Some((self.path(variable, &ty).0, ty))
    }

    /// A variable whose address can be passed as a pointer to `ty`, except those in `taken`.
    pub(super) fn addressable(&mut self, space: Space, ty: &Type, taken: &[Root]) -> Option<Place> {
        let mut all = self.readable();
        all.retain(|variable| {
            variable.space == Some(space)
                && variable.ty == *ty
                && variable.prefix.is_empty()
                && !taken.contains(&variable.root)
        });
        if all.is_empty() {
            return None;
        }
        let variable = self.random.pick(&all).clone();
        self.used(&variable, true);
        Some(Place { root: variable.root, path: variable.prefix })
    }

    /// An expression that reads a value of type `ty` from a variable; `None` if no variable contains such a value.
    pub(super) fn read(&mut self, ty: &Type, runtime: bool) -> Option<Made> {
        let structs = self.structs.clone();
        let mut all = self.readable();
        all.retain(|variable| reaches(&variable.ty, ty, &structs) && !(runtime && is_constant(variable)));
        if all.is_empty() {
            return None;
        }
        // Locals are rarer than globals, and more likely to find faults.
        let own: Vec<Variable> =
            all.iter().filter(|variable| matches!(variable.root, Root::Slot(_) | Root::Deref(_))).cloned().collect();
        let from = if !own.is_empty() && self.random.chance(60) { own } else { all };
        let variable = self.random.pick(&from).clone();
        self.used(&variable, false);
        let (bound, fraction, constant) = (variable.bound, variable.fraction, is_constant(&variable));
        let (place, fixed) = self.path(variable, ty);
        let expr = Expr::new(ty.clone(), Kind::Load(place));
        Some(Made { expr, bound, fraction, constant: constant && fixed })
    }

    fn used(&mut self, variable: &Variable, written: bool) {
        let private = matches!(variable.root, Root::Global(index)
            if self.globals.get(index).is_some_and(|global| global.space == Space::Private));
        self.private |= private;
        self.effects |= written && (private || matches!(variable.root, Root::Deref(_)));
    }

    /// A random location of type `ty` in a variable, and whether all indices on the path to the location are constant.
    fn path(&mut self, variable: Variable, ty: &Type) -> (Place, bool) {
        let (mut path, mut at, mut fixed) = (variable.prefix, variable.ty, true);
        while at != *ty {
            let parts = at.parts(&self.structs);
            let ways: Vec<usize> = (0..parts.len()).filter(|way| reaches(&parts[*way], ty, &self.structs)).collect();
            let way = *self.random.pick(&ways);
            let next = parts[way].clone();
            path.push(match &at {
                Type::Struct(_) => Step::Member(way),
                Type::Vector(..) if self.random.chance(60) => Step::Component(way as u8),
                _ => {
                    let (index, literal) = self.index_below(parts.len() as u32, way as u32);
                    fixed &= literal;
                    Step::Index(index)
                }
            });
            at = next;
        }
        (Place { root: variable.root, path }, fixed)
    }

    /// An index in range, constant or computed, and whether it is constant.
    pub(super) fn index_below(&mut self, length: u32, fallback: u32) -> (Expr, bool) {
        if self.depth > 40 || self.random.chance(40) {
            return (Expr::u32(fallback), true);
        }
        self.depth += 20;
        let signed = self.random.chance(15);
        let made = self.expr(&Type::U32, 1);
        self.depth -= 20;
        if made.constant {
            return (Expr::u32(fallback), true);
        }
        let index = if self.random.chance(75) {
            Expr::binary(Binary::Rem, made.expr, Expr::u32(length))
        } else {
            let arguments = vec![made.expr, Expr::u32(length - 1)];
            Expr::builtin(Type::U32, crate::random_kernels::ast::Builtin::Min, arguments)
        };
        (if signed { index.convert(Type::I32) } else { index }, false)
    }
}

fn is_constant(variable: &Variable) -> bool {
    matches!(variable.root, Root::Global(index) if index >= crate::random_kernels::print::CONSTANTS)
}

/// Whether the type `to` is `from` or the type of a component, element or member of it.
fn reaches(from: &Type, to: &Type, structs: &[Vec<Type>]) -> bool {
    from == to
        || match from {
            Type::Scalar(_) | Type::Pointer(..) => false,
            Type::Vector(scalar, _) => *to == Type::Scalar(*scalar),
            Type::Matrix(_, rows) => {
                reaches(&Type::Vector(crate::random_kernels::ast::Scalar::F32, *rows), to, structs)
            }
            Type::Array(element, _) => reaches(element, to, structs),
            Type::Struct(index) => structs[*index].iter().any(|member| reaches(member, to, structs)),
        }
}
