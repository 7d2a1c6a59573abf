alias T = f32;
fn scale(value: T) -> T {
    @if(fast) return value;
    @else return value * 2;
}
