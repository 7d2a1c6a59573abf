// Component-wise functions of floats that are exact or consist of a few operations. Those of f16 compute in f32 and
// round once.
#ifdef aw_has_half
#define aw_half1(f) \
    aw_fn f16 f(f16 a) { return f16(f(f32(a))); }
#define aw_half2(f) \
    aw_fn f16 f(f16 a, f16 b) { return f16(f(f32(a), f32(b))); }
#define aw_half3(f) \
    aw_fn f16 f(f16 a, f16 b, f16 c) { return f16(f(f32(a), f32(b), f32(c))); }
#else
#define aw_half1(f)
#define aw_half2(f)
#define aw_half3(f)
#endif
#define aw_float1(f, single, wide) \
    aw_fn f32 f(f32 a) { return single; } \
    aw_fn f64 f(f64 a) { return wide; } \
    aw_half1(f) \
    aw_lift1(f)
#define aw_float2(f, single, wide) \
    aw_fn f32 f(f32 a, f32 b) { return single; } \
    aw_fn f64 f(f64 a, f64 b) { return wide; } \
    aw_half2(f) \
    aw_lift2(f)
#define aw_float3(f, single, wide) \
    aw_fn f32 f(f32 a, f32 b, f32 c) { return single; } \
    aw_fn f64 f(f64 a, f64 b, f64 c) { return wide; } \
    aw_half3(f) \
    aw_lift3(f)

aw_float1(aw_ceil, ceilf(a), ceil(a))
aw_float1(aw_floor, floorf(a), floor(a))
aw_float1(aw_round, rintf(a), rint(a))
aw_float1(aw_trunc, truncf(a), trunc(a))
aw_float1(aw_fract, a - floorf(a), a - floor(a))
aw_float1(aw_saturate, __saturatef(a), fmin(fmax(a, 0.0), 1.0))
aw_float1(aw_sqrt, sqrtf(a), sqrt(a))
aw_float1(aw_inverseSqrt, rsqrtf(a), rsqrt(a))
aw_float1(aw_radians, a * 0.017453292519943295f, a * 0.017453292519943295)
aw_float1(aw_degrees, a * 57.29577951308232f, a * 57.29577951308232)
aw_float2(aw_step, a <= b ? 1.0f : 0.0f, a <= b ? 1.0 : 0.0)
aw_float3(aw_mix, a * (1.0f - c) + b * c, a * (1.0 - c) + b * c)
aw_fn f32 aw_smoothstep(f32 low, f32 high, f32 a) {
    const f32 t = __saturatef((a - low) / (high - low));
    return t * t * (3.0f - 2.0f * t);
}
aw_fn f64 aw_smoothstep(f64 low, f64 high, f64 a) {
    const f64 t = fmin(fmax((a - low) / (high - low), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}
aw_half3(aw_smoothstep)
aw_lift3(aw_smoothstep)
aw_fn f32 aw_fma(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
aw_fn f64 aw_fma(f64 a, f64 b, f64 c) { return fma(a, b, c); }

#ifdef aw_has_half
aw_fn f16 aw_fma(f16 a, f16 b, f16 c) {
    f16 r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
#endif
aw_lift3(aw_fma)

#ifdef aw_has_vectors
template <class T> aw_fn vec2<T> aw_mix(vec2<T> a, vec2<T> b, T c) {
    return {aw_mix(a.x, b.x, c), aw_mix(a.y, b.y, c)};
}
template <class T> aw_fn vec3<T> aw_mix(vec3<T> a, vec3<T> b, T c) {
    return {aw_mix(a.x, b.x, c), aw_mix(a.y, b.y, c), aw_mix(a.z, b.z, c)};
}
template <class T> aw_fn vec4<T> aw_mix(vec4<T> a, vec4<T> b, T c) {
    return {aw_mix(a.x, b.x, c), aw_mix(a.y, b.y, c), aw_mix(a.z, b.z, c), aw_mix(a.w, b.w, c)};
}
#endif
