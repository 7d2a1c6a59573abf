import package::shared::mistaken::f;
@compute @workgroup_size(1) fn main() { f(); }
