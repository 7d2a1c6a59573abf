// This file does not exist.
import package::shared::none::f;
@compute @workgroup_size(1) fn main() { f(); }
