//! How deep blocks nest: passes follow them by recursion.

use anywarp_backend::for_each_block;
use naga::Block;

/// Deeper blocks are not followed. Front ends stop before; what they let through takes a tenth of the stack that a
/// thread has.
pub(crate) const MOST_NESTED: usize = 320;

/// Whether blocks nest too deeply for passes to follow them.
pub(crate) fn nests_too_deeply(body: &Block) -> bool {
    let mut waiting = vec![(body, 1)];
    while let Some((block, depth)) = waiting.pop() {
        if depth > MOST_NESTED {
            return true;
        }
        for statement in block {
            for_each_block(statement, |inner| waiting.push((inner, depth + 1)));
        }
    }
    false
}
