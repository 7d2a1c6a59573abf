//! Segments: the straight pieces of an observed kernel, with the operations of each.
//!
//! A segment begins at the start of a list and after each branch, loop and block, because fewer lanes may go on there.
//! The pass also determines for each report the branch or loop that contains it.

use super::{
    BinaryOp, Check, CheckKind, CheckSpec, Class, Function, Inst, List, SiteId, Stmt, TernaryOp, UnaryOp, Value, Work,
};

/// Adds a report at the start of each segment of a kernel and its callees, and sets [`CheckSpec::within`].
pub(crate) fn segments(kernel: &mut Function) {
    let mut checks = std::mem::take(&mut kernel.checks);
    let mut callees = std::mem::take(&mut kernel.callees);
    for function in callees.iter_mut().chain([&mut *kernel]) {
        let body = std::mem::take(&mut function.body);
        let Some(group) = group(&body) else {
            function.body = body;
            continue;
        };
        let mut pass = Pass { function, checks: &mut checks, group };
        let body = pass.list(body, None);
        function.body = body;
    }
    kernel.checks = checks;
    kernel.callees = callees;
}

/// The value by which reports name their lane group, from the first report; `None` if there is none.
fn group(list: &List) -> Option<Value> {
    list.iter().find_map(|statement| match statement {
        Stmt::Check(check) => Some(check.group),
        Stmt::If { accept, reject, .. } => group(accept).or_else(|| group(reject)),
        Stmt::Block { body, .. } | Stmt::Loop { body, .. } => group(body),
        _ => None,
    })
}

struct Pass<'a> {
    function: &'a Function,
    checks: &'a mut Vec<CheckSpec>,
    group: Value,
}

impl Pass<'_> {
    /// Returns the list with its segments. `within` is the number of the report of the branch or loop around it.
    fn list(&mut self, list: List, within: Option<u32>) -> List {
        let mut out = List::with_capacity(list.len() + 2);
        let mut within = within;
        // The branch or loop that the last report announced.
        let mut announced = None;
        let mut start = None;
        let mut work = Work::default();
        for statement in list {
            if start.is_none() && !matches!(statement, Stmt::Exit(_)) {
                start = Some(out.len());
            }
            match statement {
                Stmt::Check(check) => {
                    let spec = &mut self.checks[check.number as usize];
                    spec.within = within;
                    match spec.kind {
                        CheckKind::Iteration => within = Some(check.number),
                        CheckKind::Branch | CheckKind::Loop => announced = Some(check.number),
                        _ => {}
                    }
                    out.push(Stmt::Check(check));
                }
                Stmt::If { condition, accept, reject } => {
                    let inner = announced.take().or(within);
                    self.close(&mut out, &mut start, &mut work, within);
                    let (accept, reject) = (self.list(accept, inner), self.list(reject, inner));
                    out.push(Stmt::If { condition, accept, reject });
                }
                Stmt::Block { label, body } => {
                    let inner = announced.take().or(within);
                    self.close(&mut out, &mut start, &mut work, within);
                    let body = self.list(body, inner);
                    out.push(Stmt::Block { label, body });
                }
                Stmt::Loop { body, site, turns } => {
                    self.close(&mut out, &mut start, &mut work, within);
                    let body = self.list(body, within);
                    out.push(Stmt::Loop { body, site, turns });
                }
                other => {
                    self.count(&other, &mut work);
                    out.push(other);
                }
            }
        }
        self.close(&mut out, &mut start, &mut work, within);
        out
    }

    /// Ends a segment: its report is inserted where it began.
    fn close(&mut self, out: &mut List, start: &mut Option<usize>, work: &mut Work, within: Option<u32>) {
        let (Some(start), work) = (start.take(), std::mem::take(work)) else { return };
        if work.instructions == 0 {
            return;
        }
        // The report follows that of an iteration, which counts the iterations.
        let after = out[start..].iter().take_while(|statement| self.is_iteration(statement)).count();
        let number = u32::try_from(self.checks.len()).unwrap_or(u32::MAX);
        self.checks.push(CheckSpec { kind: CheckKind::Segment(work), site: SiteId(0), within });
        out.insert(start + after, Stmt::Check(Check { number, group: self.group, operands: Vec::new() }));
    }

    fn is_iteration(&self, statement: &Stmt) -> bool {
        matches!(statement, Stmt::Check(check)
            if matches!(self.checks[check.number as usize].kind, CheckKind::Iteration))
    }

    fn count(&self, statement: &Stmt, work: &mut Work) {
        match statement {
            Stmt::Let(value) => self.count_value(*value, work),
            Stmt::Store { .. } | Stmt::Barrier(_) | Stmt::Call { .. } => work.instructions += 1,
            _ => {}
        }
    }

    fn count_value(&self, value: Value, work: &mut Work) {
        let float = |of: Value| matches!(self.function.class(of), Class::F32 | Class::F64);
        let inst = self.function.inst(value);
        match inst {
            // Registers and rounding of halves are no instructions of a GPU.
            Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Read(_) | Inst::Part { .. } => return,
            Inst::Unary(UnaryOp::RoundF16, _) => return,
            Inst::Unary(UnaryOp::Sqrt, _) | Inst::Call(..) => work.special += 1,
            Inst::Binary(BinaryOp::Div | BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU, ..) => {
                work.special += 1;
            }
            Inst::Ternary(TernaryOp::Fma, ..) => work.float += 2,
            Inst::Unary(_, of) | Inst::Binary(_, of, _) if float(*of) => work.float += 1,
            Inst::Unary(..) | Inst::Binary(..) | Inst::Compare(..) | Inst::Select(..) | Inst::Convert(..) => {
                work.integer += 1;
            }
            Inst::Load(..) | Inst::Atomic { .. } | Inst::Subgroup(..) => {}
        }
        work.instructions += 1;
    }
}
