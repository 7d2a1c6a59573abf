//! The bytes of uniforms and of the immediate that a module reads; a launch need not set the other bytes.

use std::ops::Range;

use anywarp_backend::statements;
use anywarp_middle::operands::{for_each_operand, for_each_statement_operand};
use naga::{AddressSpace, Expression, Function, GlobalVariable, Handle, Module, TypeInner};

/// Ranges of bytes, each of a uniform, identified by group and binding, or of the immediate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads(Vec<(Option<[u32; 2]>, Range<u32>)>);

impl Reads {
    /// The reads of a module that contains only what its entry points use.
    pub(crate) fn of(module: &Module) -> Self {
        let mut reads = Self::default();
        let functions = module.functions.iter().map(|(_, function)| function);
        for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
            Reader { module, function }.read(&mut reads);
        }
        reads
    }

    /// Whether the module reads any of `bytes` of the uniform with the group and binding `of`, or of the immediate for
    /// `None`.
    pub(crate) fn any(&self, of: Option<[u32; 2]>, bytes: &Range<u32>) -> bool {
        let meets = |read: &Range<u32>| read.start < bytes.end && bytes.start < read.end;
        self.0.iter().any(|(read_of, read)| *read_of == of && meets(read))
    }
}

/// A part of a variable: the target of a pointer, or a value loaded from it.
struct Part<'m> {
    variable: Handle<GlobalVariable>,
    bytes: Range<u32>,
    /// The type of the part; `None` if reads of smaller parts are counted as reads of the whole part.
    inner: Option<&'m TypeInner>,
}

struct Reader<'m> {
    module: &'m Module,
    function: &'m Function,
}

impl<'m> Reader<'m> {
    /// Collects each part that is used as a value, not just to reach a smaller part.
    fn read(&self, reads: &mut Reads) {
        let mut note = |operand: Handle<Expression>| {
            if let Some(part) = self.part(operand) {
                let binding = self.module.global_variables[part.variable].binding;
                let of = binding.map(|at| [at.group, at.binding]);
                let read = (of, part.bytes);
                if !reads.0.contains(&read) {
                    reads.0.push(read);
                }
            }
        };
        for (_, expression) in self.function.expressions.iter() {
            match expression {
                Expression::AccessIndex { .. } | Expression::Load { .. } => {}
                other => for_each_operand(other, &mut note),
            }
        }
        for (statement, _) in statements(&self.function.body) {
            for_each_statement_operand(statement, &mut note);
        }
    }

    fn part(&self, expression: Handle<Expression>) -> Option<Part<'m>> {
        match self.function.expressions[expression] {
            Expression::GlobalVariable(variable) => {
                let global = &self.module.global_variables[variable];
                matches!(global.space, AddressSpace::Uniform | AddressSpace::Immediate).then(|| {
                    let inner = &self.module.types[global.ty].inner;
                    Part { variable, bytes: 0..inner.size(self.module.to_ctx()), inner: Some(inner) }
                })
            }
            Expression::Load { pointer } => self.part(pointer),
            Expression::AccessIndex { base, index } => self.part(base).map(|part| self.within(part, index)),
            _ => None,
        }
    }

    /// The member or element `index` of a part; for a component of a vector or a matrix, the whole part.
    fn within(&self, part: Part<'m>, index: u32) -> Part<'m> {
        let (ty, offset) = match part.inner {
            Some(TypeInner::Struct { members, .. }) => match members.get(index as usize) {
                Some(member) => (member.ty, member.offset),
                None => return part,
            },
            Some(TypeInner::Array { base, stride, .. }) => (*base, index * stride),
            _ => return Part { inner: None, ..part },
        };
        let inner = &self.module.types[ty].inner;
        let start = part.bytes.start + offset;
        Part { bytes: start..start + inner.size(self.module.to_ctx()), inner: Some(inner), ..part }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields among `a`, `b`, `v`, `w`, `inner.x` and `inner.y` that a kernel reads.
    fn read(body: &str) -> String {
        let text = format!(
            "struct Inner {{ x: f32, y: f32 }}
             struct Params {{ a: f32, b: u32, v: vec2<f32>, w: array<vec4<f32>, 2>, inner: Inner }}
             @group(0) @binding(3) var<uniform> p: Params;
             @group(0) @binding(4) var<storage, read_write> out: array<f32>;
             fn sum(p: Params) -> f32 {{ return p.a; }}
             fn part(p: ptr<uniform, Inner>) -> f32 {{ return (*p).x; }}
             @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        );
        let reads = Reads::of(&naga::front::wgsl::parse_str(&text).unwrap());
        let fields = [("a", 0..4), ("b", 4..8), ("v", 8..16), ("w", 16..48), ("x", 48..52), ("y", 52..56)];
        fields.iter().filter(|(_, bytes)| reads.any(Some([0, 3]), bytes)).map(|(name, _)| *name).collect()
    }

    #[test]
    fn exactly_the_used_fields_are_read() {
        // The two existing functions use parts of a parameter, not of the variable.
        for (body, wanted) in [
            ("out[0] = p.a;", "a"),
            ("_ = p.a; let unused = p.b;", ""),
            ("let all = p; out[0] = all.v.y + all.inner.x;", "vx"),
            ("out[0] = p.w[1].x;", "w"),
            ("out[0] = p.w[id.x].x;", "w"),
            ("let inner = p.inner; out[0] = inner.y;", "y"),
            ("if p.b > 3u { out[0] = 1.0; }", "b"),
            ("for (var k = 0u; k < p.b; k++) { out[k] = p.inner.x; }", "bx"),
            ("out[0] = sum(p);", "abvwxy"),
            ("out[0] = part(&p.inner);", "xy"),
            ("var copy = p; out[0] = copy.a;", "abvwxy"),
            ("let i = &p.inner; out[0] = (*i).y;", "y"),
        ] {
            assert_eq!(read(body), wanted, "{body}");
        }
    }
}
