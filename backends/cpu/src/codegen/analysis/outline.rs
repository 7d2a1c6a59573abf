//! Positions in a function: every statement has a position, which is its number in reading order. Every list of
//! statements has a scope, which is an interval of positions.

use crate::ir::{Function, Inst, Label, Stmt, Value, Var};

/// The scope of a list of statements.
#[derive(Debug)]
pub(crate) struct Scope {
    /// The index of the enclosing scope; `None` for the function's body.
    pub(crate) parent: Option<usize>,
    /// The owner of the list.
    pub(crate) kind: ScopeKind,
    /// The first position in the scope.
    pub(crate) start: u32,
    /// The first position after the scope.
    pub(crate) end: u32,
}

impl Scope {
    /// Whether the scope contains a position.
    pub(crate) fn holds(&self, position: u32) -> bool {
        self.start <= position && position < self.end
    }
}

/// The owner of a scope's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// The function.
    Body,
    /// One side of an `If` on this condition.
    Branch(Value),
    /// A labelled block.
    Block(Label),
    /// A loop.
    Loop,
}

/// The kind of access of a statement to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// The declaration with an initial value.
    Declare(Value),
    /// A write; the number counts the writes of the function in reading order.
    Write(Value, u32),
    /// A read.
    Read,
}

/// One access to a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarAccess {
    /// The position of the statement.
    pub(crate) position: u32,
    /// The index of the innermost scope around the access.
    pub(crate) scope: usize,
    /// The kind of access.
    pub(crate) touch: Touch,
}

/// An exit statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExitSite {
    /// The label of the block that the statement leaves.
    pub(crate) label: Label,
    /// The index of the innermost scope around the exit.
    pub(crate) scope: usize,
}

/// The outline of a function.
#[derive(Debug)]
pub(crate) struct Outline {
    /// All scopes; a parent precedes its children, and the first scope is the function's body.
    pub(crate) scopes: Vec<Scope>,
    /// All exits, in reading order.
    pub(crate) exits: Vec<ExitSite>,
    /// By variable: its accesses in the order of their positions.
    pub(crate) accesses: Vec<Vec<VarAccess>>,
    /// By label: the index of the scope of its block.
    pub(crate) blocks: Vec<usize>,
    /// The instructions in the order of evaluation.
    pub(crate) order: Vec<Value>,
    /// The positions of the barriers.
    pub(crate) barriers: Vec<u32>,
    /// The position of each value's definition; `u32::MAX` if there is none.
    pub(crate) defined: Vec<u32>,
    /// The last position that may use each value, including uses in later iterations of a loop.
    pub(crate) last_use: Vec<u32>,
    /// The number of writes to variables.
    pub(crate) writes: u32,
}

impl Outline {
    /// Creates the outline of a function.
    pub(crate) fn of(function: &Function) -> Self {
        let values = function.insts.len();
        let mut reader = Reader {
            function,
            position: 0,
            outline: Self {
                scopes: Vec::new(),
                exits: Vec::new(),
                accesses: vec![Vec::new(); function.vars.len()],
                blocks: vec![0; function.labels as usize],
                order: Vec::new(),
                barriers: Vec::new(),
                defined: vec![u32::MAX; values],
                last_use: vec![0; values],
                writes: 0,
            },
            loops: Vec::new(),
            looped_uses: Vec::new(),
        };
        reader.list(&function.body, None, ScopeKind::Body);
        let mut outline = reader.outline;
        for (value, scope) in reader.looped_uses {
            let last = &mut outline.last_use[value.0 as usize];
            *last = (*last).max(outline.scopes[scope].end);
        }
        outline
    }

    /// The indices of a scope and of its enclosing scopes, innermost first.
    pub(crate) fn around(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(scope), |scope| self.scopes[*scope].parent)
    }
}

struct Reader<'a> {
    function: &'a Function,
    position: u32,
    outline: Outline,
    loops: Vec<usize>,
    looped_uses: Vec<(Value, usize)>,
}

impl Reader<'_> {
    fn list(&mut self, statements: &[Stmt], parent: Option<usize>, kind: ScopeKind) -> usize {
        let scope = self.outline.scopes.len();
        self.outline.scopes.push(Scope { parent, kind, start: self.position, end: u32::MAX });
        if let ScopeKind::Block(label) = kind {
            self.outline.blocks[label.0 as usize] = scope;
        }
        if kind == ScopeKind::Loop {
            self.loops.push(scope);
        }
        for statement in statements {
            self.statement(statement, scope);
            self.position += 1;
        }
        if kind == ScopeKind::Loop {
            self.loops.pop();
        }
        self.outline.scopes[scope].end = self.position;
        scope
    }

    fn statement(&mut self, statement: &Stmt, scope: usize) {
        match statement {
            Stmt::Let(value) => self.evaluate(*value, scope),
            Stmt::Declare(var, value) => {
                self.use_value(*value);
                self.touch(*var, scope, Touch::Declare(*value));
            }
            Stmt::Write(var, value) => {
                self.use_value(*value);
                let number = self.outline.writes;
                self.outline.writes += 1;
                self.touch(*var, scope, Touch::Write(*value, number));
            }
            Stmt::Store { place, values, .. } => {
                place.indices.iter().for_each(|index| self.use_value(index.value));
                values.iter().for_each(|value| self.use_value(*value));
            }
            Stmt::If { condition, accept, reject } => {
                self.use_value(*condition);
                self.position += 1;
                self.list(accept, Some(scope), ScopeKind::Branch(*condition));
                self.list(reject, Some(scope), ScopeKind::Branch(*condition));
            }
            Stmt::Block { label, body } => {
                self.position += 1;
                self.list(body, Some(scope), ScopeKind::Block(*label));
            }
            Stmt::Loop { body, .. } => {
                self.position += 1;
                self.list(body, Some(scope), ScopeKind::Loop);
            }
            Stmt::Call { arguments, .. } => arguments.iter().for_each(|value| self.use_value(*value)),
            Stmt::Exit(label) => self.outline.exits.push(ExitSite { label: *label, scope }),
            Stmt::Barrier(_) => self.outline.barriers.push(self.position),
            Stmt::Check(check) => {
                self.use_value(check.group);
                check.operands.iter().for_each(|value| self.use_value(*value));
            }
        }
    }

    fn evaluate(&mut self, value: Value, scope: usize) {
        for operand in operands(self.function.inst(value)) {
            self.use_value(operand);
        }
        if let Inst::Read(var) = self.function.inst(value) {
            self.touch(*var, scope, Touch::Read);
        }
        self.outline.order.push(value);
        self.outline.defined[value.0 as usize] = self.position;
        for part in self.function.parts(value) {
            self.outline.defined[part.0 as usize] = self.position;
            self.outline.order.push(part);
        }
    }

    fn touch(&mut self, var: Var, scope: usize, touch: Touch) {
        self.outline.accesses[var.0 as usize].push(VarAccess { position: self.position, scope, touch });
    }

    fn use_value(&mut self, value: Value) {
        let index = value.0 as usize;
        let defined = self.outline.defined[index];
        if defined == u32::MAX {
            return;
        }
        let last = &mut self.outline.last_use[index];
        *last = (*last).max(self.position);
        // A value from before a loop is needed until the loop's last iteration.
        let around = self.loops.iter().find(|scope| self.outline.scopes[**scope].start > defined);
        if let Some(scope) = around {
            self.looped_uses.push((value, *scope));
        }
    }
}

/// The operands of an instruction, including indices of places.
pub(crate) fn operands(inst: &Inst) -> smallvec::SmallVec<[Value; 4]> {
    let mut found = smallvec::SmallVec::new();
    match inst {
        Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Read(_) => {}
        Inst::Part { of, .. } => found.push(*of),
        Inst::Unary(_, a) | Inst::Convert(_, a) => found.push(*a),
        Inst::Binary(_, a, b) | Inst::Compare(_, a, b) | Inst::Call(_, a, b) => found.extend([*a, *b]),
        Inst::Ternary(_, a, b, c) | Inst::Select(a, b, c) => found.extend([*a, *b, *c]),
        Inst::Load(place, ..) => found.extend(place.indices.iter().map(|index| index.value)),
        Inst::Atomic { place, value, compare, .. } => {
            found.extend(place.indices.iter().map(|index| index.value));
            found.push(*value);
            found.extend(*compare);
        }
        Inst::Subgroup(_, a, lane) => {
            found.push(*a);
            found.extend(*lane);
        }
    }
    found
}
