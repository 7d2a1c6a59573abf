import package::shared::one::{twice, Pair};
import super::shared::two;
@if(wide) const LANES = 8u;
@else const LANES = 4u;
@group(0) @binding(0) var<storage, read_write> pairs: array<Pair>;
@compute @workgroup_size(LANES) fn main(@builtin(local_invocation_index) i: u32) { pairs[i].a = twice(two::base()); }
---
import package::shared::two::base;
struct Pair { a: f32, @size(16) b: vec2<f32> }
fn twice(x: f32) -> f32 { return 2.0 * x + base(); }
---
fn base() -> f32 { return 0.5; }
