// c = activation(alpha a b + beta c + bias) + residual in f32, in tiles of 64 x 64. With `split`, the kernel stores the
// sums of a part of the depth.
import package::shared::product::{batch_of, depths_of, starts_of_a, starts_of_b, tile_of};
import package::shared::product_f32::{from_a, from_b};
@if(split)
import package::shared::product_parts::store_block;
@else
import package::shared::product_result::store_block;
import package::shared::tile_product::{
    add_products, deep, stride_a, stride_b, tile, tile_a, tile_b,
    lower_left, lower_right, upper_left, upper_right,
};
import package::shared::tile_spot::{spot_in_a, spot_in_b};

@compute @workgroup_size(8, 8)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) place: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let corner = tile_of(group.x) * tile;
    let batch = batch_of(group.y);
    let depths = depths_of(group.y);
    // Each invocation fetches four groups of four rows of a at one depth each, and four groups of four columns of b.
    let a_0 = spot_in_a(index, 0u);
    let a_1 = spot_in_a(index, 1u);
    let a_2 = spot_in_a(index, 2u);
    let a_3 = spot_in_a(index, 3u);
    let b_0 = spot_in_b(index, 0u);
    let b_1 = spot_in_b(index, 1u);
    let b_2 = spot_in_b(index, 2u);
    let b_3 = spot_in_b(index, 3u);
    let rows_0 = starts_of_a(corner.y + a_0.x * 4u, batch);
    let rows_1 = starts_of_a(corner.y + a_1.x * 4u, batch);
    let rows_2 = starts_of_a(corner.y + a_2.x * 4u, batch);
    let rows_3 = starts_of_a(corner.y + a_3.x * 4u, batch);
    let columns_0 = starts_of_b(corner.x + b_0.x * 4u, batch);
    let columns_1 = starts_of_b(corner.x + b_1.x * 4u, batch);
    let columns_2 = starts_of_b(corner.x + b_2.x * 4u, batch);
    let columns_3 = starts_of_b(corner.x + b_3.x * 4u, batch);

    let depth = depths.y - depths.x;
    let steps = depth / deep + select(0u, 1u, depth % deep != 0u);
    for (var step = 0u; step < steps; step++) {
        let first = depths.x + step * deep;
        tile_a[a_0.y * stride_a + a_0.x] = from_a(rows_0, first + a_0.y);
        tile_a[a_1.y * stride_a + a_1.x] = from_a(rows_1, first + a_1.y);
        tile_a[a_2.y * stride_a + a_2.x] = from_a(rows_2, first + a_2.y);
        tile_a[a_3.y * stride_a + a_3.x] = from_a(rows_3, first + a_3.y);
        tile_b[b_0.y * stride_b + b_0.x] = from_b(columns_0, first + b_0.y);
        tile_b[b_1.y * stride_b + b_1.x] = from_b(columns_1, first + b_1.y);
        tile_b[b_2.y * stride_b + b_2.x] = from_b(columns_2, first + b_2.y);
        tile_b[b_3.y * stride_b + b_3.x] = from_b(columns_3, first + b_3.y);
        workgroupBarrier();
        add_products(place.xy);
        workgroupBarrier();
    }

    let row = corner.y + place.y * 4u;
    let column = corner.x + place.x * 4u;
    store_block(group.y, row, column, upper_left);
    store_block(group.y, row, column + 32u, upper_right);
    store_block(group.y, row + 32u, column, lower_left);
    store_block(group.y, row + 32u, column + 32u, lower_right);
}
