// Complex numbers: the real part, then the imaginary part.
@if(doubles)
alias Real = f64;
@if(!doubles)
alias Real = f32;
@if(doubles)
alias Complex = vec2<f64>;
@if(!doubles)
alias Complex = vec2<f32>;

fn times(a: Complex, b: Complex) -> Complex {
    return Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The product with -i.
fn turned(a: Complex) -> Complex {
    return Complex(a.y, -a.x);
}
