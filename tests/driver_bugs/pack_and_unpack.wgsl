// Two halves, packed and unpacked: the second is 47.
// right: 47
// wrong: 0
@group(0) @binding(1) var<storage, read_write> result: array<i32>;
var<private> both: vec2<f32> = vec2<f32>(10.0f, 47.0f);

@compute @workgroup_size(1)
fn main() {
    both = vec2<f32>(vec2<i32>(unpack2x16float(pack2x16float(vec2<f32>(vec2<i32>(both))))));
    result[0] = i32(both.y);
}
