// The results of a scan as vectors of four.
import package::shared::scan_monoid::T;

@group(0) @binding(2) var<storage, read_write> y: array<vec4<T>>;
