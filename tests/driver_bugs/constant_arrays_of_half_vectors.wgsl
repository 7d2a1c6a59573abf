// The differences of the elements of two arrays: -1, and -0.75 less the index. The elements of the second array are read as zero.
// needs: f16
// right: 0xba00bc00 0xbf00bc00 0xc180bc00 0xc380bc00 0xc4c0bc00 0xc5c0bc00 0xc6c0bc00 0xc7c0bc00 0xc860bc00 0xc8e0bc00 0xc960bc00 0xc9e0bc00 0xca60bc00 0xcae0bc00 0xcb60bc00 0xcbe0bc00 0xcc30bc00
// wrong: differs
enable f16;

const left = array(
    vec2(0.0h, 0.5h), vec2(1.0h, 1.5h), vec2(2.0h, 2.5h), vec2(3.0h, 3.5h), vec2(4.0h, 4.5h),
    vec2(5.0h, 5.5h), vec2(6.0h, 6.5h), vec2(7.0h, 7.5h), vec2(8.0h, 8.5h), vec2(9.0h, 9.5h),
    vec2(10.0h, 10.5h), vec2(11.0h, 11.5h), vec2(12.0h, 12.5h), vec2(13.0h, 13.5h), vec2(14.0h, 14.5h),
    vec2(15.0h, 15.5h), vec2(16.0h, 16.5h)
);
const right = array(
    vec2(1.0h, 1.25h), vec2(2.0h, 3.25h), vec2(3.0h, 5.25h), vec2(4.0h, 7.25h), vec2(5.0h, 9.25h),
    vec2(6.0h, 11.25h), vec2(7.0h, 13.25h), vec2(8.0h, 15.25h), vec2(9.0h, 17.25h), vec2(10.0h, 19.25h),
    vec2(11.0h, 21.25h), vec2(12.0h, 23.25h), vec2(13.0h, 25.25h), vec2(14.0h, 27.25h), vec2(15.0h, 29.25h),
    vec2(16.0h, 31.25h), vec2(17.0h, 33.25h)
);
@group(0) @binding(1) var<storage, read_write> result: array<vec2<f16>>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 17u; i++) {
        result[i] = left[i] - right[i];
    }
}
