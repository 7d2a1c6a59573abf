// Decomposition and composition of floats.
template <class T> struct aw_modf_result { T fract, whole; };
template <class T, class I> struct aw_frexp_result { T fract; I exp; };

aw_fn aw_modf_result<f32> aw_modf(f32 a) {
    const f32 whole = truncf(a);
    return {a - whole, whole};
}
aw_fn aw_modf_result<f64> aw_modf(f64 a) {
    const f64 whole = trunc(a);
    return {a - whole, whole};
}

// Infinity and NaN are their own fraction, with exponent 0.
aw_fn aw_frexp_result<f32, i32> aw_frexp(f32 a) {
    i32 exp = 0;
    const f32 fract = frexpf(a, &exp);
    const bool finite = fabsf(a) < __int_as_float(0x7f800000);
    return {finite ? fract : a, finite ? exp : 0};
}
aw_fn aw_frexp_result<f64, i64> aw_frexp(f64 a) {
    i32 exp = 0;
    const f64 fract = frexp(a, &exp);
    const bool finite = fabs(a) < __longlong_as_double(0x7ff0000000000000ll);
    return {finite ? fract : a, i64(finite ? exp : 0)};
}

aw_fn f32 aw_ldexp(f32 a, i32 power) { return ldexpf(a, power); }
aw_fn f64 aw_ldexp(f64 a, i32 power) { return ldexp(a, power); }

#ifdef aw_has_half
aw_fn aw_modf_result<f16> aw_modf(f16 a) {
    const aw_modf_result<f32> r = aw_modf(f32(a));
    return {f16(r.fract), f16(r.whole)};
}
aw_fn aw_frexp_result<f16, i16> aw_frexp(f16 a) {
    const aw_frexp_result<f32, i32> r = aw_frexp(f32(a));
    return {f16(r.fract), i16(r.exp)};
}
aw_fn f16 aw_ldexp(f16 a, i32 power) { return f16(ldexpf(f32(a), power)); }
#endif

#ifdef aw_has_vectors
template <class T> aw_fn aw_modf_result<vec2<T>> aw_modf(vec2<T> a) {
    const auto x = aw_modf(a.x), y = aw_modf(a.y);
    return {{x.fract, y.fract}, {x.whole, y.whole}};
}
template <class T> aw_fn aw_modf_result<vec3<T>> aw_modf(vec3<T> a) {
    const auto x = aw_modf(a.x), y = aw_modf(a.y), z = aw_modf(a.z);
    return {{x.fract, y.fract, z.fract}, {x.whole, y.whole, z.whole}};
}
template <class T> aw_fn aw_modf_result<vec4<T>> aw_modf(vec4<T> a) {
    const auto x = aw_modf(a.x), y = aw_modf(a.y), z = aw_modf(a.z), w = aw_modf(a.w);
    return {{x.fract, y.fract, z.fract, w.fract}, {x.whole, y.whole, z.whole, w.whole}};
}

// The exponent's type: an integer of the float's width.
template <class T> struct aw_exponent_of { typedef i32 type; };
template <> struct aw_exponent_of<f64> { typedef i64 type; };
#ifdef aw_has_half
template <> struct aw_exponent_of<f16> { typedef i16 type; };
#endif
template <class T> using aw_exponent = typename aw_exponent_of<T>::type;
template <class T> aw_fn aw_frexp_result<vec2<T>, vec2<aw_exponent<T>>> aw_frexp(vec2<T> a) {
    const auto x = aw_frexp(a.x), y = aw_frexp(a.y);
    return {{x.fract, y.fract}, {x.exp, y.exp}};
}
template <class T> aw_fn aw_frexp_result<vec3<T>, vec3<aw_exponent<T>>> aw_frexp(vec3<T> a) {
    const auto x = aw_frexp(a.x), y = aw_frexp(a.y), z = aw_frexp(a.z);
    return {{x.fract, y.fract, z.fract}, {x.exp, y.exp, z.exp}};
}
template <class T> aw_fn aw_frexp_result<vec4<T>, vec4<aw_exponent<T>>> aw_frexp(vec4<T> a) {
    const auto x = aw_frexp(a.x), y = aw_frexp(a.y), z = aw_frexp(a.z), w = aw_frexp(a.w);
    return {{x.fract, y.fract, z.fract, w.fract}, {x.exp, y.exp, z.exp, w.exp}};
}
aw_lift2_unlike(aw_ldexp)
#endif
