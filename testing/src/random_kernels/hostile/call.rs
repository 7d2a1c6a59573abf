//! Calls with numbers, arrays as values, and pointers to whole variables.

use super::memory::Memory;
use super::{Maker, Number, whole};
use crate::random_kernels::ast::{Block, Expr, Kind, Place, Root, Scalar, Space, Stmt, Type};

impl Maker {
    pub(super) fn call(&mut self, block: &mut Block) {
        if self.callables.is_empty() {
            return self.store(block, None);
        }
        let function = self.random.below(self.callables.len());
        let (mut arguments, mut taken) = (Vec::new(), Vec::new());
        for param in self.callables[function].params.clone() {
            let argument = match param {
                Type::Pointer(space, of) => {
                    let Some(root) = self.whole(space, &of, &taken) else { return self.store(block, None) };
                    taken.push(root);
                    Expr::new(Type::Pointer(space, of), Kind::AddressOf(whole(root)))
                }
                Type::Scalar(scalar) => {
                    let depth = self.random.below(2);
                    self.number(scalar, depth, 4)
                }
                ty => {
                    let Some(root) = self.whole(Space::Function, &ty, &[]) else { return self.store(block, None) };
                    Expr::new(ty, Kind::Load(Place { root, path: Vec::new() }))
                }
            };
            arguments.push(argument);
        }
        let slot = self.slot();
        block.push(Stmt::Call(Some(slot), function, arguments));
        self.numbers.push(Number::local(slot, Scalar::U32, false));
    }

    /// A variable in `space` of exactly this type, which `taken` does not list.
    fn whole(&mut self, space: Space, ty: &Type, taken: &[Root]) -> Option<Root> {
        let here = |root: Root| match root {
            Root::Slot(_) => space == Space::Function,
            Root::Global(index) => self.globals[index].space == space,
            Root::Deref(_) => false,
        };
        let mut all: Vec<Root> = match ty {
            Type::Scalar(scalar) => {
                let fits = |number: &&Number| number.mutable && number.scalar == *scalar;
                self.numbers.iter().filter(fits).map(|number| number.root).collect()
            }
            _ => {
                let globals = self.global_memories();
                let fits = |memory: &&Memory| memory.ty == *ty && memory.writable;
                self.memories.iter().chain(&globals).filter(fits).map(|memory| memory.root).collect()
            }
        };
        all.retain(|root| here(*root) && !taken.contains(root));
        if all.is_empty() { None } else { Some(*self.random.pick(&all)) }
    }
}
