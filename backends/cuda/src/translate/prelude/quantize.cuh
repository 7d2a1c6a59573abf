// Rounding to f16 and back.
aw_fn f32 aw_quantizeToF16(f32 a) { return f32(f16(a)); }
aw_lift1(aw_quantizeToF16)
