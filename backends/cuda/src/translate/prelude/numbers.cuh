// Functions of both integers and floats.
template <class T> aw_fn T aw_abs(T a) { return a < T(0) ? T(aw_work<T>(0) - aw_work<T>(a)) : a; }
template <class T> aw_fn T aw_min(T a, T b) { return b < a ? b : a; }
template <class T> aw_fn T aw_max(T a, T b) { return a < b ? b : a; }
template <class T> aw_fn T aw_sign(T a) { return T(T(a > T(0)) - T(a < T(0))); }

// The minimum and the maximum of a number and a NaN are the number.
aw_fn f32 aw_abs(f32 a) { return fabsf(a); }
aw_fn f32 aw_min(f32 a, f32 b) { return fminf(a, b); }
aw_fn f32 aw_max(f32 a, f32 b) { return fmaxf(a, b); }
aw_fn f64 aw_abs(f64 a) { return fabs(a); }
aw_fn f64 aw_min(f64 a, f64 b) { return fmin(a, b); }
aw_fn f64 aw_max(f64 a, f64 b) { return fmax(a, b); }
#ifdef aw_has_half
aw_fn f16 aw_abs(f16 a) { return aw_bitcast<f16>(u16(a.bits & 0x7fffu)); }
aw_fn f16 aw_min(f16 a, f16 b) { return f16(fminf(f32(a), f32(b))); }
aw_fn f16 aw_max(f16 a, f16 b) { return f16(fmaxf(f32(a), f32(b))); }
aw_fn f16 aw_sign(f16 a) { return f16(aw_sign(f32(a))); }
#endif

aw_lift1(aw_abs)
aw_lift1(aw_sign)
aw_lift2(aw_min)
aw_lift2(aw_max)
// Clamps scalars and vectors.
template <class T> aw_fn T aw_clamp(T a, T low, T high) { return aw_min(aw_max(a, low), high); }

aw_fn bool aw_all(bool a) { return a; }
aw_fn bool aw_any(bool a) { return a; }
template <class T> aw_fn bool aw_isNan(T a) { return a != a; }
aw_fn bool aw_isInf(f32 a) { return fabsf(a) == __int_as_float(0x7f800000); }
aw_fn bool aw_isInf(f64 a) { return fabs(a) == __longlong_as_double(0x7ff0000000000000ll); }
#ifdef aw_has_half
aw_fn bool aw_isInf(f16 a) { return (a.bits & 0x7fffu) == 0x7c00u; }
#endif
#ifdef aw_has_vectors
aw_fn bool aw_all(vec2<bool> a) { return a.x & a.y; }
aw_fn bool aw_all(vec3<bool> a) { return a.x & a.y & a.z; }
aw_fn bool aw_all(vec4<bool> a) { return a.x & a.y & a.z & a.w; }
aw_fn bool aw_any(vec2<bool> a) { return a.x | a.y; }
aw_fn bool aw_any(vec3<bool> a) { return a.x | a.y | a.z; }
aw_fn bool aw_any(vec4<bool> a) { return a.x | a.y | a.z | a.w; }
#define aw_lift_test(f) \
    template <class T> aw_fn vec2<bool> f(vec2<T> a) { return {f(a.x), f(a.y)}; } \
    template <class T> aw_fn vec3<bool> f(vec3<T> a) { return {f(a.x), f(a.y), f(a.z)}; } \
    template <class T> aw_fn vec4<bool> f(vec4<T> a) { return {f(a.x), f(a.y), f(a.z), f(a.w)}; }
aw_lift_test(aw_isNan)
aw_lift_test(aw_isInf)
#undef aw_lift_test
#endif
