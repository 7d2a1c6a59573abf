// Complex numbers in the buffers of a pass: as the pass computes with them, or as pairs of f16, each in a word.
import package::shared::complex::Complex;
@if(half_source || half_target)
import package::shared::half_floats::{rounded_to_f16, unpacked_f16};

@if(half_source)
alias Source = u32;
@if(!half_source)
alias Source = Complex;
@if(half_target)
alias Target = u32;
@if(!half_target)
alias Target = Complex;

// Returns a number that was read.
@if(half_source)
fn widened(number: Source) -> Complex {
    return Complex(unpacked_f16(number));
}
@if(!half_source)
fn widened(number: Source) -> Complex {
    return number;
}

// Returns a number as it is written, rounded to the nearest.
@if(half_target)
fn narrowed(number: Complex) -> Target {
    let parts = rounded_to_f16(vec4<f32>(vec2<f32>(number), vec2<f32>(number)));
    return parts.x | (parts.y << 16u);
}
@if(!half_target)
fn narrowed(number: Complex) -> Target {
    return number;
}
