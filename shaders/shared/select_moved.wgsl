// A part of a selection, moved element by element with a branch on the condition.
import package::shared::select_kept::{is_kept, put, put_rest, puts_rest};

// Moves the elements from `begin` on and before `end`, where `before` elements are kept before them, and returns the
// number of elements that are kept before `end`.
fn moved(begin: u32, end: u32, before: u32) -> u32 {
    var to = before;
    for (var i = begin; i < end; i++) {
        if is_kept(i) {
            put(to, i);
            to++;
        } else if puts_rest {
            put_rest(i - to, i);
        }
    }
    return to;
}
