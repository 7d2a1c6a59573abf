// The elements that each of 64 invocations fetches of two tiles, of 64 rows or columns and a depth of 16 each.
import package::shared::product::{a_is_deep, b_is_deep};
import package::shared::tile_product::deep;

// Returns the index of a group of four rows or columns, and a depth: neighbouring invocations read neighbouring
// elements.
fn spot_of(is_deep: bool, index: u32, part: u32) -> vec2<u32> {
    let far = index / deep + part * 4u;
    let near = index % deep;
    return select(vec2(near, far), vec2(far, near), is_deep);
}

fn spot_in_a(index: u32, part: u32) -> vec2<u32> {
    return spot_of(a_is_deep, index, part);
}

fn spot_in_b(index: u32, part: u32) -> vec2<u32> {
    return spot_of(b_is_deep, index, part);
}
