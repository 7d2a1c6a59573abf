// There is no such file.
import package::shared::none::f;
@compute @workgroup_size(1) fn main() { f(); }
