//! Promotes private memory to registers: every scalar that no dynamic index can address becomes a variable.
//!
//! Variables of the source that are not live at the same time share memory, and may have different types. A scalar is
//! promoted only if all accesses of its bytes have one class.

use rustc_hash::FxHashMap;

use crate::ir::{Class, Count, Function, Inst, List, Place, Space, Stmt, Value, Var};

/// The largest number of units of 4 bytes that are examined.
const MAX_UNITS: usize = 1 << 14;

/// The largest number of rounds that exclude scalars because one access covers them and excluded memory.
const MAX_ROUNDS: usize = 16;

/// The content of 4 bytes of private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Untouched,
    /// The start of a scalar of this class.
    Scalar(Class),
    /// The second half of a scalar of 8 bytes.
    Rest,
    /// Bytes that must stay in memory.
    Memory,
}

/// An access to consecutive scalars that has no dynamic indices.
#[derive(Clone, Copy, Debug)]
struct Access {
    offset: u32,
    class: Class,
    count: u32,
}

impl Access {
    /// The index of the first unit of each scalar.
    fn scalars(self) -> impl Iterator<Item = usize> {
        let bytes = self.class.bytes();
        (0..self.count).map(move |index| ((self.offset + index * bytes) / 4) as usize)
    }

    fn units(self) -> std::ops::Range<usize> {
        (self.offset / 4) as usize..((self.offset + self.count * self.class.bytes()).div_ceil(4)) as usize
    }
}

/// Promotes scalars; returns whether any was promoted.
pub(super) fn run(function: &mut Function) -> bool {
    let units = (function.private_bytes as usize).div_ceil(4).min(MAX_UNITS);
    if units == 0 {
        return false;
    }
    let body = std::mem::take(&mut function.body);
    let mut survey = Survey { function, units: vec![Unit::Untouched; units], accesses: Vec::new() };
    survey.list(&body);
    let Some(units) = survey.decide() else {
        function.body = body;
        return false;
    };
    let mut promotion = Promotion { function, units, vars: FxHashMap::default(), left: 0 };
    let made = promotion.list(body);
    let Promotion { vars, left, .. } = promotion;
    let mut promoted: Vec<Var> = vars.into_values().collect();
    promoted.sort_unstable();
    function.private_bytes = left.min(function.private_bytes);
    function.body = declarations(function, &promoted);
    function.body.extend(made);
    !promoted.is_empty()
}

/// Returns declarations of all variables with the value zero.
fn declarations(function: &mut Function, vars: &[Var]) -> List {
    let mut zeros: FxHashMap<Class, Value> = FxHashMap::default();
    vars.iter()
        .map(|var| {
            let class = function.vars[var.0 as usize];
            let zero = *zeros.entry(class).or_insert_with(|| {
                function.insts.push(Inst::Const(class, 0));
                function.classes.push(class);
                Value(function.insts.len() as u32 - 1)
            });
            Stmt::Declare(*var, zero)
        })
        .collect()
}

struct Survey<'a> {
    function: &'a Function,
    units: Vec<Unit>,
    accesses: Vec<Access>,
}

impl Survey<'_> {
    fn list(&mut self, list: &[Stmt]) {
        for statement in list {
            match statement {
                Stmt::Let(value) => match self.function.inst(*value) {
                    Inst::Load(place, ty, count) => self.access(place, ty.class(), u32::from(*count)),
                    Inst::Atomic { place, .. } => self.keep(place, 8),
                    _ => {}
                },
                Stmt::Store { place, ty, values } => self.access(place, ty.class(), values.len() as u32),
                Stmt::If { accept, reject, .. } => {
                    self.list(accept);
                    self.list(reject);
                }
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.list(body),
                _ => {}
            }
        }
    }

    fn access(&mut self, place: &Place, class: Class, count: u32) {
        if place.space != Space::Private {
            return;
        }
        let access = Access { offset: place.offset, class, count };
        let aligned = place.offset.is_multiple_of(class.bytes());
        if !place.indices.is_empty() || !aligned || access.units().end > self.units.len() {
            return self.keep(place, count * class.bytes());
        }
        for unit in access.scalars() {
            self.claim(unit, Unit::Scalar(class));
            if class.bytes() == 8 {
                self.claim(unit + 1, Unit::Rest);
            }
        }
        self.accesses.push(access);
    }

    fn claim(&mut self, unit: usize, as_what: Unit) {
        let unit = &mut self.units[unit];
        *unit = if *unit == Unit::Untouched || *unit == as_what { as_what } else { Unit::Memory };
    }

    /// Excludes all memory that an access of `bytes` bytes at a place may touch, whatever its indices are.
    fn keep(&mut self, place: &Place, bytes: u32) {
        if place.space != Space::Private {
            return;
        }
        let mut reach = u64::from(bytes);
        for index in &place.indices {
            reach += match index.count {
                Count::Fixed(count) => u64::from(count - 1) * u64::from(index.stride),
                Count::Runtime => u64::from(u32::MAX),
            };
        }
        let end = (u64::from(place.offset) + reach).div_ceil(4).min(self.units.len() as u64) as usize;
        let start = (place.offset as usize / 4).min(end);
        self.units[start..end].fill(Unit::Memory);
    }

    /// Excludes all scalars of accesses that cover excluded memory too. Returns the final units; `None` if nothing can
    /// be promoted.
    fn decide(mut self) -> Option<Vec<Unit>> {
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for access in &self.accesses {
                let units = &mut self.units[access.units()];
                if units.contains(&Unit::Memory) && units.iter().any(|unit| *unit != Unit::Memory) {
                    units.fill(Unit::Memory);
                    changed = true;
                }
            }
            if !changed {
                return self.units.iter().any(|unit| matches!(unit, Unit::Scalar(_))).then_some(self.units);
            }
        }
        None
    }
}

struct Promotion<'a> {
    function: &'a mut Function,
    units: Vec<Unit>,
    vars: FxHashMap<usize, Var>,
    /// The end in bytes of the private memory that is still used.
    left: u32,
}

impl Promotion<'_> {
    fn list(&mut self, list: List) -> List {
        let mut made = List::with_capacity(list.len());
        for mut statement in list {
            match &mut statement {
                Stmt::Let(value) if self.load(*value, &mut made) => continue,
                Stmt::Store { place, ty, values } => {
                    if let Some(vars) = self.vars(place, ty.class(), values.len() as u32) {
                        made.extend(vars.into_iter().zip(values).map(|(var, value)| Stmt::Write(var, *value)));
                        continue;
                    }
                }
                Stmt::If { accept, reject, .. } => {
                    *accept = self.list(std::mem::take(accept));
                    *reject = self.list(std::mem::take(reject));
                }
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => *body = self.list(std::mem::take(body)),
                _ => {}
            }
            made.push(statement);
        }
        made
    }

    /// Replaces a load of promoted scalars by reads of variables, which define the same values. Returns whether it did.
    fn load(&mut self, value: Value, made: &mut List) -> bool {
        let (place, class, count) = match self.function.inst(value) {
            Inst::Load(place, ty, count) => (place.clone(), ty.class(), u32::from(*count)),
            Inst::Atomic { place, .. } if place.space == Space::Private => {
                self.left = u32::MAX;
                return false;
            }
            _ => return false,
        };
        let Some(vars) = self.vars(&place, class, count) else { return false };
        for (index, var) in vars.into_iter().enumerate() {
            let part = Value(value.0 + index as u32);
            self.function.insts[part.0 as usize] = Inst::Read(var);
            made.push(Stmt::Let(part));
        }
        true
    }

    /// The variables that replace the scalars of an access; `None` if the scalars stay in memory.
    fn vars(&mut self, place: &Place, class: Class, count: u32) -> Option<Vec<Var>> {
        if place.space == Space::Passed {
            self.left = u32::MAX;
        }
        if place.space != Space::Private {
            return None;
        }
        let access = Access { offset: place.offset, class, count };
        let units = self.units.get(access.units());
        if !place.indices.is_empty() || units.is_none_or(|units| units.contains(&Unit::Memory)) {
            self.left = u32::MAX;
            return None;
        }
        let function = &mut *self.function;
        let var = |unit| {
            *self.vars.entry(unit).or_insert_with(|| {
                function.vars.push(class);
                Var(function.vars.len() as u32 - 1)
            })
        };
        Some(access.scalars().map(var).collect())
    }
}
