// round(0.5), round(1.5) and round(2.5): ties go to the even neighbour, so 0, 2 and 2.
// needs: f64
// in: 0 0x3fe00000 0 0x3ff80000 0 0x40040000
// right: 0 0 0 0x40000000 0 0x40000000
// wrong: 0 0 0 0x3ff00000 0 0x40000000
@group(0) @binding(0) var<storage, read> values: array<f64>;
@group(0) @binding(1) var<storage, read_write> result: array<f64>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        result[i] = round(values[i]);
    }
}
