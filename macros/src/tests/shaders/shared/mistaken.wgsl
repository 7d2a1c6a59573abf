fn f() {
    let a: f32 = 1u;
}
