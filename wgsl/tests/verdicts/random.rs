//! Kernels of random statements: control flow, variables, pointers and calls around barriers.

use super::kernel::Kernel;

/// The functions that random statements call. Each tests one effect of a function on its callers.
const FUNCTIONS: &str = "
fn needs() { workgroupBarrier(); }
fn needs_if(a: u32) { if a > 1u { workgroupBarrier(); } }
fn passes(a: u32, b: u32) -> u32 { if b > 7u { return a; } return a + 1u; }
fn first(a: u32, b: u32) -> u32 { own = b; return a; }
fn gives(q: ptr<function, u32>, a: u32) { *q = a; }
fn adds(q: ptr<function, u32>, r: ptr<function, u32>) -> u32 { *q += *r; return *r; }
fn may_give(q: ptr<function, u32>, a: u32) { if a > 3u { return; } *q = 2u; }
fn loads(i: u32) -> u32 { return workgroupUniformLoad(&tile[i % 64u]); }
";

/// A generator of pseudo-random numbers, which are the same for each seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's generator for MMIX; its high bits are of better quality.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Creates `count` kernels from a seed.
pub(crate) fn kernels(count: usize, seed: u64) -> Vec<Kernel> {
    (0..count)
        .map(|number| {
            let mut writer = Writer { random: Random(seed.wrapping_add(number as u64) << 20), lines: 0, counters: 0 };
            for _ in 0..3 {
                writer.random.below(2);
            }
            let body = writer.block(3, false, false);
            let body = format!("var x = p.n; var y = 1u; var z = array<u32, 4>();\n{body}");
            Kernel::of_functions(format!("random/{seed} {number}"), FUNCTIONS, &body)
        })
        .collect()
}

struct Writer {
    random: Random,
    lines: usize,
    counters: usize,
}

impl Writer {
    /// Returns the statements of a block, with nested blocks up to `depth`.
    fn block(&mut self, depth: usize, in_loop: bool, in_switch: bool) -> String {
        let count = 1 + self.random.below(4);
        (0..count).map(|_| self.statement(depth, in_loop, in_switch)).collect()
    }

    fn statement(&mut self, depth: usize, in_loop: bool, in_switch: bool) -> String {
        self.lines += 1;
        // Long blocks would not test more than short ones.
        let depth = if self.lines > 25 { 0 } else { depth };
        let choice = self.random.below(if depth == 0 { 11 } else { 20 });
        match choice {
            0 => "workgroupBarrier();\n".to_owned(),
            1 | 2 => format!("{} = {};\n", self.random.pick(&["x", "y", "own", "z[1]", "flag"]), self.value(2)),
            3 => format!("z[{} % 4u] = {};\n", self.value(1), self.value(1)),
            4 => format!("{} += {};\n", self.random.pick(&["x", "y", "z[2]"]), self.value(1)),
            5 => {
                let (target, value) = (self.random.pick(&["x", "y"]), self.value(2));
                format!("{{ let q = &{target}; *q = {value}; }}\n")
            }
            6 => match self.random.below(6) {
                0 => "needs();\n".to_owned(),
                1 => format!("needs_if({});\n", self.value(1)),
                2 => format!("gives(&{}, {});\n", self.random.pick(&["x", "y", "z[0]"]), self.value(1)),
                3 => format!("may_give(&{}, {});\n", self.random.pick(&["x", "y"]), self.value(1)),
                4 => "own = adds(&x, &y);\n".to_owned(),
                _ => format!("own = loads({});\n", self.value(1)),
            },
            7 if in_loop || in_switch => self.leave("break"),
            8 if in_loop => self.leave("continue"),
            9 if self.random.below(3) == 0 => self.leave("return"),
            10 => "x++;\n".to_owned(),
            11 | 12 => format!("if {} {{\n{}}}\n", self.condition(), self.block(depth - 1, in_loop, in_switch)),
            13 | 14 => {
                let (one, other) =
                    (self.block(depth - 1, in_loop, in_switch), self.block(depth - 1, in_loop, in_switch));
                format!("if {} {{\n{one}}} else {{\n{other}}}\n", self.condition())
            }
            15 => {
                self.counters += 1;
                let (counter, limit, body) = (self.counters, self.value(1), self.block(depth - 1, true, false));
                format!("for (var i{counter} = 0u; i{counter} < {limit}; i{counter}++) {{\n{body}}}\n")
            }
            16 => format!("while {} {{\n{}}}\n", self.condition(), self.block(depth - 1, true, false)),
            17 => {
                let (body, condition) = (self.block(depth - 1, true, false), self.condition());
                // A `continuing` block has simple statements only, without `break`, `continue` and `return`.
                let continuing = self.block(0, false, false).replace("return;", "own = 1u;");
                format!("loop {{\n{body}continuing {{\n{continuing}break if {condition};\n}}\n}}\n")
            }
            18 => {
                let (one, other) = (self.block(depth - 1, in_loop, true), self.block(depth - 1, in_loop, true));
                format!("switch {} {{\ncase 1u, 2u: {{\n{one}}}\ndefault: {{\n{other}}}\n}}\n", self.value(1))
            }
            19 => format!("loop {{\n{}if {} {{ break; }}\n}}\n", self.block(depth - 1, true, false), self.condition()),
            _ => format!("y = {};\n", self.value(2)),
        }
    }

    /// Returns a statement that leaves the enclosing one, usually under a condition: otherwise few statements would be
    /// reachable.
    fn leave(&mut self, word: &str) -> String {
        if self.random.below(5) == 0 {
            format!("{word};\n")
        } else {
            format!("if {} {{ {word}; }}\n", self.condition())
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("{} > 2u && {} > 3u", self.value(1), self.value(1)),
            1 => format!("{} > 2u || {} > 3u", self.value(1), self.value(1)),
            _ => format!("{} > 3u", self.value(1)),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        // Conditions are usually uniform, because one non-uniform value makes all later control flow non-uniform.
        let simple = [
            "p.n",
            "p.m",
            "1u",
            "x",
            "y",
            "x",
            "y",
            "size",
            "group.x",
            "input[1]",
            "z[1]",
            "x",
            "y",
            "z[x % 4u]",
            "lid",
            "own",
            "p.list[y % 4u].x",
            "arrayLength(&data)",
            "workgroupUniformLoad(&flag)",
        ];
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            7 => format!("({} + {})", self.value(depth - 1), self.value(depth - 1)),
            8 => format!("passes({}, {})", self.value(depth - 1), self.value(depth - 1)),
            9 => format!("first({}, {})", self.value(depth - 1), self.value(depth - 1)),
            _ => self.random.pick(&simple).to_owned(),
        }
    }
}
