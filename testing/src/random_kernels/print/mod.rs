//! Kernels as WGSL.

mod names;

use std::fmt::Write;

use super::ast::{Block, Expr, Function, Global, INPUTS, Kind, Place, Program, Root, Space, Step, Stmt, Type, Unary};
use names::{atomic, builtin_name, component_name, literal, operator, type_name};

/// The WGSL text of a program.
pub fn wgsl(program: &Program) -> String {
    let mut printer = Printer { program, text: String::new(), depth: 0, main: false };
    printer.program();
    printer.text
}

/// The WGSL text of a program, without unused declarations.
pub fn pruned(program: &Program) -> String {
    let mut items: Vec<String> = vec![String::new()];
    for line in wgsl(program).lines() {
        let starts = ["struct ", "const ", "var<", "@", "fn "].iter().any(|start| line.starts_with(start));
        let entry = items.last().is_some_and(|item| item.trim_start().starts_with("@compute"));
        if starts && !(entry && line.starts_with("fn ")) {
            items.push(String::new());
        }
        if let Some(item) = items.last_mut() {
            item.push_str(line);
            item.push('\n');
        }
    }
    loop {
        let all = items.concat();
        let used = |item: &String| {
            let head = item.trim_start().lines().next().unwrap_or_default();
            let head =
                head.split(['(', ':', '{', '=']).find(|part| !part.trim_start().starts_with('@') && part.contains(' '));
            let name = match head {
                Some(_) if item.contains("@compute") => return true,
                Some(_) => declared(item),
                None => return !item.trim().is_empty(),
            };
            all.split(|letter: char| !letter.is_alphanumeric()).filter(|word| *word == name).count()
                > item.split(|letter: char| !letter.is_alphanumeric()).filter(|word| *word == name).count()
        };
        let kept: Vec<String> = items.iter().filter(|item| used(item)).cloned().collect();
        if kept.len() == items.len() {
            return kept.concat();
        }
        items = kept;
    }
}

/// The name that an item of the text declares.
fn declared(item: &str) -> &str {
    let rest = ["struct ", "const ", "> ", "fn "].iter().find_map(|before| {
        let first = item.lines().next().unwrap_or_default();
        first.split_once(before).map(|(_, rest)| rest)
    });
    let rest = rest.unwrap_or_default();
    rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default()
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
    depth: usize,
    main: bool,
}

impl Printer<'_> {
    fn program(&mut self) {
        let program = self.program;
        for (index, members) in program.structs.iter().enumerate() {
            let members: Vec<String> =
                members.iter().enumerate().map(|(at, ty)| format!("    m{at}: {},\n", type_name(ty))).collect();
            let _ = writeln!(self.text, "struct S{index} {{\n{}}}\n", members.concat());
        }
        for (index, value) in program.constants.iter().enumerate() {
            let value = format!("const C{index}: {} = {};", type_name(&value.ty), self.expr(value));
            let _ = writeln!(self.text, "{value}");
        }
        for global in &program.globals {
            let line = self.global(global);
            let _ = writeln!(self.text, "{line}");
        }
        let mut functions: Vec<&Function> = program.functions.iter().collect();
        if program.callers_first {
            functions.reverse();
        }
        for function in functions {
            self.function(function);
        }
    }

    fn global(&self, global: &Global) -> String {
        let space = match global.space {
            Space::Function => "function",
            Space::Private => "private",
            Space::Workgroup => "workgroup",
            Space::Uniform => "uniform",
            Space::Input => "storage",
            Space::Output => "storage, read_write",
        };
        let binding = global.binding.map_or(String::new(), |at| format!("@group(0) @binding({at}) "));
        let ty = match &global.ty {
            Type::Array(element, length) => {
                let element =
                    if global.atomic { format!("atomic<{}>", type_name(element)) } else { type_name(element) };
                if global.unsized_array { format!("array<{element}>") } else { format!("array<{element}, {length}>") }
            }
            ty if global.atomic => format!("atomic<{}>", type_name(ty)),
            ty => type_name(ty),
        };
        let init = global.init.as_ref().map_or(String::new(), |init| format!(" = {}", self.expr(init)));
        format!("{binding}var<{space}> {}: {ty}{init};", global.name)
    }

    fn function(&mut self, function: &Function) {
        self.main = function.name == "main";
        let result = function.result.as_ref().map_or(String::new(), |ty| format!(" -> {}", type_name(ty)));
        if self.main {
            let [x, y, z] = self.program.workgroup_size;
            let inputs = INPUTS.iter().map(|(builtin, name, vector)| {
                format!("@builtin({builtin}) {name}: {}", if *vector { "vec3<u32>" } else { "u32" })
            });
            let inputs: Vec<String> = inputs.collect();
            let _ = writeln!(self.text, "\n@compute @workgroup_size({x}, {y}, {z})\nfn main({}) {{", inputs.join(", "));
        } else {
            let params: Vec<String> =
                function.params.iter().map(|(slot, ty)| format!("v{slot}: {}", type_name(ty))).collect();
            let _ = writeln!(self.text, "\nfn {}({}){result} {{", function.name, params.join(", "));
        }
        self.block(&function.body);
        self.text.push_str("}\n");
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        for stmt in block {
            self.stmt(stmt);
        }
        self.depth -= 1;
    }

    /// A statement as text, without the `;` at its end.
    fn apart(&self, stmt: &Stmt) -> String {
        let mut printer = Printer { program: self.program, text: String::new(), depth: 0, main: self.main };
        printer.stmt(stmt);
        printer.text.trim_end().trim_end_matches(';').to_owned()
    }

    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{line}");
    }

    fn braced(&mut self, head: &str, block: &Block, tail: &str) {
        self.line(&format!("{head} {{"));
        self.block(block);
        self.line(&format!("}}{tail}"));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(slot, value) => self.line(&format!("let v{slot} = {};", self.expr(value))),
            Stmt::Var(slot, ty, init) => {
                let init = init.as_ref().map_or(String::new(), |init| format!(" = {}", self.expr(init)));
                self.line(&format!("var v{slot}: {}{init};", type_name(ty)));
            }
            Stmt::Assign(place, value) => self.line(&format!("{} = {};", self.place(place), self.expr(value))),
            Stmt::Compound(place, op, value) => {
                self.line(&format!("{} {}= {};", self.place(place), operator(*op), self.expr(value)));
            }
            Stmt::Step(place, up) => self.line(&format!("{}{};", self.place(place), if *up { "++" } else { "--" })),
            Stmt::If(condition, then, otherwise) => {
                let head = format!("if {}", self.expr(condition));
                if otherwise.is_empty() {
                    self.braced(&head, then, "");
                } else {
                    self.braced(&head, then, " else {");
                    self.block(otherwise);
                    self.line("}");
                }
            }
            Stmt::Switch(selector, cases, default) => {
                self.line(&format!("switch {} {{", self.expr(selector)));
                self.depth += 1;
                let suffix = if selector.ty == Type::U32 { "u" } else { "i" };
                for (selectors, block) in cases {
                    let selectors: Vec<String> = selectors.iter().map(|value| format!("{value}{suffix}")).collect();
                    self.braced(&format!("case {}:", selectors.join(", ")), block, "");
                }
                self.braced("default:", default, "");
                self.depth -= 1;
                self.line("}");
            }
            Stmt::For(slot, bound, body) => {
                let head = format!("for (var v{slot} = 0u; v{slot} < {}; v{slot}++)", self.expr(bound));
                self.braced(&head, body, "");
            }
            Stmt::Count(slot, start, condition, step, body) => {
                let (start, condition) = (self.expr(start), self.expr(condition));
                let step = self.apart(step);
                self.braced(&format!("for (var v{slot} = {start}; {condition}; {step})"), body, "");
            }
            Stmt::While(condition, body) => self.braced(&format!("while {}", self.expr(condition)), body, ""),
            Stmt::Loop(body, continuing, until) => {
                self.line("loop {");
                self.block(body);
                if !continuing.is_empty() || until.is_some() {
                    self.depth += 1;
                    self.line("continuing {");
                    self.block(continuing);
                    if let Some(until) = until {
                        let line = format!("    break if {};", self.expr(until));
                        self.line(&line);
                    }
                    self.line("}");
                    self.depth -= 1;
                }
                self.line("}");
            }
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => self.line(&format!("return {};", self.expr(value))),
            Stmt::Call(slot, function, arguments) => {
                let call = format!("{}({});", self.program.functions[*function].name, self.list(arguments));
                let returns = self.program.functions[*function].result.is_some();
                self.line(&match slot {
                    Some(slot) => format!("let v{slot} = {call}"),
                    None if returns => format!("_ = {call}"),
                    None => call,
                });
            }
            Stmt::WorkgroupBarrier => self.line("workgroupBarrier();"),
            Stmt::StorageBarrier => self.line("storageBarrier();"),
            Stmt::UniformLoad(slot, place) => {
                self.line(&format!("let v{slot} = workgroupUniformLoad({});", self.address(place)));
            }
            Stmt::Atomic(slot, op, place, operand) => {
                let operand = operand.as_ref().map_or(String::new(), |operand| format!(", {}", self.expr(operand)));
                let call = format!("{}({}{operand});", atomic(*op), self.address(place));
                self.line(&match slot {
                    Some(slot) => format!("let v{slot} = {call}"),
                    None => call,
                });
            }
            Stmt::Block(block) => self.braced("", block, ""),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn slot(&self, slot: usize) -> String {
        match INPUTS.get(slot) {
            Some((_, name, _)) if self.main => (*name).to_owned(),
            _ => format!("v{slot}"),
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = match place.root {
            Root::Slot(slot) => self.slot(slot),
            Root::Global(index) if index >= CONSTANTS => format!("C{}", index - CONSTANTS),
            Root::Global(index) => self.program.globals[index].name.clone(),
            Root::Deref(slot) if place.path.is_empty() => format!("*v{slot}"),
            Root::Deref(slot) => format!("(*v{slot})"),
        };
        for step in &place.path {
            match step {
                Step::Index(index) => write!(text, "[{}]", self.expr(index)),
                Step::Member(member) => write!(text, ".m{member}"),
                Step::Component(component) => write!(text, ".{}", component_name(*component)),
            }
            .unwrap_or_default();
        }
        text
    }

    /// The text of a pointer to `place`; for a dereferenced pointer, that pointer itself.
    fn address(&self, place: &Place) -> String {
        match place.root {
            Root::Deref(slot) if place.path.is_empty() => format!("v{slot}"),
            _ => format!("&{}", self.place(place)),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            Kind::Literal(value) => literal(value),
            Kind::Zero => format!("{}()", type_name(&expr.ty)),
            Kind::Compose(parts) => format!("{}({})", type_name(&expr.ty), self.list(parts)),
            Kind::Load(place) if matches!(place.root, Root::Deref(_)) && place.path.is_empty() => {
                format!("({})", self.place(place))
            }
            Kind::Load(place) => self.place(place),
            Kind::AddressOf(place) => self.address(place),
            Kind::Index(base, index) => format!("{}[{}]", self.expr(base), self.expr(index)),
            Kind::Member(base, member) => format!("{}.m{member}", self.expr(base)),
            Kind::Swizzle(base, components) => {
                let components: String = components.iter().map(|at| component_name(*at)).collect();
                format!("{}.{components}", self.expr(base))
            }
            Kind::Unary(op, operand) => {
                let op = match op {
                    Unary::Negate => "-",
                    Unary::Not => "!",
                    Unary::Complement => "~",
                };
                format!("({op}({}))", self.expr(operand))
            }
            Kind::Binary(op, left, right) => {
                format!("({} {} {})", self.expr(left), operator(*op), self.expr(right))
            }
            Kind::Builtin(builtin, arguments) => format!("{}({})", builtin_name(*builtin), self.list(arguments)),
            Kind::Convert(operand) => format!("{}({})", type_name(&expr.ty), self.expr(operand)),
            Kind::Bitcast(operand) => format!("bitcast<{}>({})", type_name(&expr.ty), self.expr(operand)),
            Kind::Call(function, arguments) => {
                format!("{}({})", self.program.functions[*function].name, self.list(arguments))
            }
            Kind::Length(global) => format!("arrayLength(&{})", self.program.globals[*global].name),
        }
    }
}

/// The index of the first module constant: indices below it are those of module-scope variables.
pub const CONSTANTS: usize = 1 << 16;
