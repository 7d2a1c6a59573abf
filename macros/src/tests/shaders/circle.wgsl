import package::shared::circle::f;
@compute @workgroup_size(1) fn main() { f(); }
fn g() {}
