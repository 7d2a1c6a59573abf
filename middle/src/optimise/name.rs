//! Names for expressions that nest deeply.
//!
//! naga's writers of text write an expression without a name at each use. So a sum over the iterations of an unrolled
//! loop would become one expression with a pair of parentheses for each iteration. Compilers limit the depth of
//! parentheses: 256 in Clang, which compiles MSL and, as DXC, HLSL; 200 in naga's front end for WGSL. A named
//! expression gets a line of its own.

use naga::{Expression, Function};

use crate::rebuild::operands::{for_each_operand, needs_emit};

/// The largest nesting depth of an expression whose operands have no names. This depth is far below the limits of
/// compilers, because compilers also count the blocks around an expression.
const MAX_NESTED: u8 = 32;

/// Names expressions so that no expression nests too deeply.
pub(super) fn name_nested(function: &mut Function) {
    let mut depths: Vec<u8> = Vec::with_capacity(function.expressions.len());
    for (handle, expression) in function.expressions.iter() {
        let mut depth = 0;
        for_each_operand(expression, |operand| depth = depth.max(depths[operand.index()]));
        // A pointer cannot be named, because not every language has pointers as values.
        let can_be_named =
            needs_emit(expression) && !matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. });
        depth = depth.saturating_add(1);
        if can_be_named && depth >= MAX_NESTED {
            function.named_expressions.entry(handle).or_insert_with(|| "part".to_owned());
        }
        depths.push(if function.named_expressions.contains_key(&handle) { 0 } else { depth });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::optimised;

    #[test]
    fn sums_over_many_iterations_are_split_into_lines() {
        let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                var sum = 0u;
                for (var i = 0u; i < 60u; i++) { sum = (sum ^ (id.x + i)) * (i + 3u) + out[i]; }
                out[0] = sum;
            }";
        let made = optimised(text);
        assert!(!made.contains("loop"), "the loop is unrolled:\n{made}");
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
