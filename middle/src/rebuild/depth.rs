//! The depth of nested blocks, which passes follow by recursion.

use anywarp_backend::for_each_block;
use naga::Block;

/// The largest depth of nested blocks that passes accept. Front ends accept a smaller depth, for which the recursion
/// takes a tenth of a thread's stack.
pub(crate) const MAX_NESTED: usize = 320;

/// Whether blocks nest too deeply for recursion.
pub(crate) fn nests_too_deeply(body: &Block) -> bool {
    let mut waiting = vec![(body, 1)];
    while let Some((block, depth)) = waiting.pop() {
        if depth > MAX_NESTED {
            return true;
        }
        for statement in block {
            for_each_block(statement, |inner| waiting.push((inner, depth + 1)));
        }
    }
    false
}
