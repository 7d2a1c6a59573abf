// Functions of whole vectors. Those of f16 are computed in f32 and rounded once.
template <class T> aw_fn aw_work<T> aw_products(vec2<T> a, vec2<T> b) {
    typedef aw_work<T> W;
    return W(a.x) * W(b.x) + W(a.y) * W(b.y);
}
template <class T> aw_fn aw_work<T> aw_products(vec3<T> a, vec3<T> b) {
    typedef aw_work<T> W;
    return W(a.x) * W(b.x) + W(a.y) * W(b.y) + W(a.z) * W(b.z);
}
template <class T> aw_fn aw_work<T> aw_products(vec4<T> a, vec4<T> b) {
    typedef aw_work<T> W;
    return W(a.x) * W(b.x) + W(a.y) * W(b.y) + W(a.z) * W(b.z) + W(a.w) * W(b.w);
}
aw_fn f32 aw_root(f32 a) { return sqrtf(a); }
aw_fn f64 aw_root(f64 a) { return sqrt(a); }

// A function of two components, for each.
template <class T, class F> aw_fn auto aw_each(vec2<T> a, vec2<T> b, F f) -> vec2<decltype(f(a.x, b.x))> {
    return {f(a.x, b.x), f(a.y, b.y)};
}
template <class T, class F> aw_fn auto aw_each(vec3<T> a, vec3<T> b, F f) -> vec3<decltype(f(a.x, b.x))> {
    return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
}
template <class T, class F> aw_fn auto aw_each(vec4<T> a, vec4<T> b, F f) -> vec4<decltype(f(a.x, b.x))> {
    return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
}

#define aw_functions(vec) \
    template <class T> aw_fn T aw_dot(vec<T> a, vec<T> b) { return T(aw_products(a, b)); } \
    template <class T> aw_fn T aw_length(vec<T> a) { return T(aw_root(aw_products(a, a))); } \
    template <class T> aw_fn T aw_distance(vec<T> a, vec<T> b) { \
        const auto apart = aw_each(a, b, [](T x, T y) { return aw_work<T>(x) - aw_work<T>(y); }); \
        return T(aw_root(aw_products(apart, apart))); \
    } \
    template <class T> aw_fn vec<T> aw_normalize(vec<T> a) { \
        const aw_work<T> length = aw_root(aw_products(a, a)); \
        return aw_each(a, a, [=](T x, T) { return T(aw_work<T>(x) / length); }); \
    } \
    template <class T> aw_fn vec<T> aw_faceForward(vec<T> a, vec<T> incident, vec<T> normal) { \
        const bool facing = aw_products(incident, normal) < aw_work<T>(0); \
        return aw_each(a, a, [=](T x, T) { return facing ? x : -x; }); \
    } \
    template <class T> aw_fn vec<T> aw_reflect(vec<T> incident, vec<T> normal) { \
        typedef aw_work<T> W; \
        const W twice = W(2) * aw_products(normal, incident); \
        return aw_each(incident, normal, [=](T i, T n) { return T(W(i) - twice * W(n)); }); \
    } \
    template <class T> aw_fn vec<T> aw_refract(vec<T> incident, vec<T> normal, T ratio) { \
        typedef aw_work<T> W; \
        const W r = W(ratio), cosine = aw_products(normal, incident), k = W(1) - r * r * (W(1) - cosine * cosine); \
        const W along = r * cosine + aw_root(k); \
        return aw_each(incident, normal, [=](T i, T n) { return k < W(0) ? T(W(0)) : T(r * W(i) - along * W(n)); }); \
    }
aw_functions(vec2)
aw_functions(vec3)
aw_functions(vec4)
#undef aw_functions

template <class T> aw_fn vec3<T> aw_cross(vec3<T> a, vec3<T> b) {
    typedef aw_work<T> W;
    const W ax = W(a.x), ay = W(a.y), az = W(a.z), bx = W(b.x), by = W(b.y), bz = W(b.z);
    return {T(ay * bz - by * az), T(az * bx - bz * ax), T(ax * by - bx * ay)};
}

aw_fn f32 aw_length(f32 a) { return fabsf(a); }
aw_fn f64 aw_length(f64 a) { return fabs(a); }
aw_fn f32 aw_distance(f32 a, f32 b) { return fabsf(a - b); }
aw_fn f64 aw_distance(f64 a, f64 b) { return fabs(a - b); }
#ifdef aw_has_half
aw_fn f16 aw_length(f16 a) { return f16(fabsf(f32(a))); }
aw_fn f16 aw_distance(f16 a, f16 b) { return f16(fabsf(f32(a) - f32(b))); }
#endif
