// trunc(2^51 + 0.5), twice: once positive, once negative.
// needs: f64
// in: 0 0x43200000 1 0x43200000 1 0xc3200000
// right: 0 0x43200000 0 0x43200000 0 0xc3200000
// wrong: 0 0x43200000 1 0x43200000 1 0xc3200000
@group(0) @binding(0) var<storage, read> values: array<f64>;
@group(0) @binding(1) var<storage, read_write> result: array<f64>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        result[i] = trunc(values[i]);
    }
}
