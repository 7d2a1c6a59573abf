// The results of a scan.
import package::shared::scan_monoid::T;

@group(0) @binding(2) var<storage, read_write> y: array<T>;
