//! Names for expressions within expressions within expressions.
//!
//! Writers of text put what has no name where it is used. A sum over the turns of an unrolled loop would so become one
//! text with a pair of parentheses for each turn, and readers of text take only so many: 256 in Clang, which reads
//! Metal's language and, as DXC, HLSL; 200 in naga's front end for WGSL. What has a name stands in a line of its own.

use naga::{Expression, Function};

use crate::rebuild::operands::{for_each_operand, needs_emit};

/// How many expressions may stand within each other. Far below what readers take, as blocks around them count as well.
const MOST_NESTED: u8 = 32;

/// Gives names, so that no expression nests too deeply.
pub(super) fn name_nested(function: &mut Function) {
    let mut depths: Vec<u8> = Vec::with_capacity(function.expressions.len());
    for (handle, expression) in function.expressions.iter() {
        let mut depth = 0;
        for_each_operand(expression, |operand| depth = depth.max(depths[operand.index()]));
        // Names of pointers are not for every language.
        let can_be_named =
            needs_emit(expression) && !matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. });
        depth = depth.saturating_add(1);
        if can_be_named && depth >= MOST_NESTED {
            function.named_expressions.entry(handle).or_insert_with(|| "part".to_owned());
        }
        depths.push(if function.named_expressions.contains_key(&handle) { 0 } else { depth });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::optimised;

    #[test]
    fn sums_over_many_turns_are_several_lines() {
        let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                var sum = 0u;
                for (var i = 0u; i < 60u; i++) { sum = (sum ^ (id.x + i)) * (i + 3u) + out[i]; }
                out[0] = sum;
            }";
        let made = optimised(text);
        assert!(!made.contains("loop"), "it is unrolled:\n{made}");
        let mut deepest = 0;
        for line in made.lines() {
            let mut depth = 0_usize;
            for letter in line.chars() {
                match letter {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                deepest = deepest.max(depth);
            }
        }
        assert!((20..=40).contains(&deepest), "{deepest} deep:\n{made}");
        naga::front::wgsl::parse_str(&made).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&made)));
    }
}
