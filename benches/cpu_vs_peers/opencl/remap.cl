// A picture through a map of positions, with bilinear interpolation: four gathers for each pixel.
#define SIDE 2048

__kernel void run(
    __global const float *restrict picture,
    __global const float2 *restrict positions,
    __global float *restrict result
) {
    size_t i = get_global_id(0);
    float2 position = positions[i];
    float2 whole = floor(position);
    float2 part = position - whole;
    int2 at = convert_int2(whole);
    int first = at.y * SIDE + at.x;
    float above = mix(picture[first], picture[first + 1], part.x);
    float below = mix(picture[first + SIDE], picture[first + SIDE + 1], part.x);
    result[i] = mix(above, below, part.y);
}
