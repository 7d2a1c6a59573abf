// Vectors, their operators, and macros that lift scalar functions to vectors.
#define aw_has_vectors
template <class T> struct alignas(2 * sizeof(T)) vec2 { T x, y; };
template <class T> struct vec3 { T x, y, z; };
template <class T> struct alignas(4 * sizeof(T)) vec4 { T x, y, z, w; };

// Component-wise functions of vectors, from a scalar function that is declared before or found through f16.
#define aw_lift1(f) \
    template <class T> aw_fn vec2<T> f(vec2<T> a) { return {f(a.x), f(a.y)}; } \
    template <class T> aw_fn vec3<T> f(vec3<T> a) { return {f(a.x), f(a.y), f(a.z)}; } \
    template <class T> aw_fn vec4<T> f(vec4<T> a) { return {f(a.x), f(a.y), f(a.z), f(a.w)}; }
#define aw_lift2(f) \
    template <class T> aw_fn vec2<T> f(vec2<T> a, vec2<T> b) { return {f(a.x, b.x), f(a.y, b.y)}; } \
    template <class T> aw_fn vec3<T> f(vec3<T> a, vec3<T> b) { return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)}; } \
    template <class T> aw_fn vec4<T> f(vec4<T> a, vec4<T> b) { \
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)}; \
    }
// As aw_lift2, where the second operand is of another type.
#define aw_lift2_unlike(f) \
    template <class T, class U> aw_fn vec2<T> f(vec2<T> a, vec2<U> b) { return {f(a.x, b.x), f(a.y, b.y)}; } \
    template <class T, class U> aw_fn vec3<T> f(vec3<T> a, vec3<U> b) { \
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)}; \
    } \
    template <class T, class U> aw_fn vec4<T> f(vec4<T> a, vec4<U> b) { \
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)}; \
    }
// As aw_lift2, where one operand may be a scalar.
#define aw_lift2_mixed(f) \
    aw_lift2(f) \
    template <class T> aw_fn vec2<T> f(vec2<T> a, T b) { return {f(a.x, b), f(a.y, b)}; } \
    template <class T> aw_fn vec3<T> f(vec3<T> a, T b) { return {f(a.x, b), f(a.y, b), f(a.z, b)}; } \
    template <class T> aw_fn vec4<T> f(vec4<T> a, T b) { return {f(a.x, b), f(a.y, b), f(a.z, b), f(a.w, b)}; } \
    template <class T> aw_fn vec2<T> f(T a, vec2<T> b) { return {f(a, b.x), f(a, b.y)}; } \
    template <class T> aw_fn vec3<T> f(T a, vec3<T> b) { return {f(a, b.x), f(a, b.y), f(a, b.z)}; } \
    template <class T> aw_fn vec4<T> f(T a, vec4<T> b) { return {f(a, b.x), f(a, b.y), f(a, b.z), f(a, b.w)}; }
#define aw_lift3(f) \
    template <class T> aw_fn vec2<T> f(vec2<T> a, vec2<T> b, vec2<T> c) { \
        return {f(a.x, b.x, c.x), f(a.y, b.y, c.y)}; \
    } \
    template <class T> aw_fn vec3<T> f(vec3<T> a, vec3<T> b, vec3<T> c) { \
        return {f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z)}; \
    } \
    template <class T> aw_fn vec4<T> f(vec4<T> a, vec4<T> b, vec4<T> c) { \
        return {f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z), f(a.w, b.w, c.w)}; \
    }

#define aw_arithmetic(op) \
    template <class T> aw_fn vec2<T> operator op(vec2<T> a, vec2<T> b) { return {T(a.x op b.x), T(a.y op b.y)}; } \
    template <class T> aw_fn vec3<T> operator op(vec3<T> a, vec3<T> b) { \
        return {T(a.x op b.x), T(a.y op b.y), T(a.z op b.z)}; \
    } \
    template <class T> aw_fn vec4<T> operator op(vec4<T> a, vec4<T> b) { \
        return {T(a.x op b.x), T(a.y op b.y), T(a.z op b.z), T(a.w op b.w)}; \
    } \
    template <class T> aw_fn vec2<T> operator op(vec2<T> a, T b) { return {T(a.x op b), T(a.y op b)}; } \
    template <class T> aw_fn vec3<T> operator op(vec3<T> a, T b) { return {T(a.x op b), T(a.y op b), T(a.z op b)}; } \
    template <class T> aw_fn vec4<T> operator op(vec4<T> a, T b) { \
        return {T(a.x op b), T(a.y op b), T(a.z op b), T(a.w op b)}; \
    } \
    template <class T> aw_fn vec2<T> operator op(T a, vec2<T> b) { return {T(a op b.x), T(a op b.y)}; } \
    template <class T> aw_fn vec3<T> operator op(T a, vec3<T> b) { return {T(a op b.x), T(a op b.y), T(a op b.z)}; } \
    template <class T> aw_fn vec4<T> operator op(T a, vec4<T> b) { \
        return {T(a op b.x), T(a op b.y), T(a op b.z), T(a op b.w)}; \
    }
aw_arithmetic(+)
aw_arithmetic(-)
aw_arithmetic(*)
aw_arithmetic(/)
aw_arithmetic(%)
aw_arithmetic(&)
aw_arithmetic(|)
aw_arithmetic(^)
#undef aw_arithmetic

#define aw_shift(op) \
    template <class T, class N> aw_fn vec2<T> operator op(vec2<T> a, vec2<N> n) { \
        return {T(a.x op n.x), T(a.y op n.y)}; \
    } \
    template <class T, class N> aw_fn vec3<T> operator op(vec3<T> a, vec3<N> n) { \
        return {T(a.x op n.x), T(a.y op n.y), T(a.z op n.z)}; \
    } \
    template <class T, class N> aw_fn vec4<T> operator op(vec4<T> a, vec4<N> n) { \
        return {T(a.x op n.x), T(a.y op n.y), T(a.z op n.z), T(a.w op n.w)}; \
    }
aw_shift(<<)
aw_shift(>>)
#undef aw_shift

#define aw_unary(op) \
    template <class T> aw_fn vec2<T> operator op(vec2<T> a) { return {T(op a.x), T(op a.y)}; } \
    template <class T> aw_fn vec3<T> operator op(vec3<T> a) { return {T(op a.x), T(op a.y), T(op a.z)}; } \
    template <class T> aw_fn vec4<T> operator op(vec4<T> a) { return {T(op a.x), T(op a.y), T(op a.z), T(op a.w)}; }
aw_unary(-)
aw_unary(~)
aw_unary(!)
#undef aw_unary

#define aw_comparison(op) \
    template <class T> aw_fn vec2<bool> operator op(vec2<T> a, vec2<T> b) { return {a.x op b.x, a.y op b.y}; } \
    template <class T> aw_fn vec3<bool> operator op(vec3<T> a, vec3<T> b) { \
        return {a.x op b.x, a.y op b.y, a.z op b.z}; \
    } \
    template <class T> aw_fn vec4<bool> operator op(vec4<T> a, vec4<T> b) { \
        return {a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w}; \
    }
aw_comparison(==)
aw_comparison(!=)
aw_comparison(<)
aw_comparison(<=)
aw_comparison(>)
aw_comparison(>=)
#undef aw_comparison

template <class T> aw_fn vec2<T> aw_splat_like(const vec2<T>*, T s) { return {s, s}; }
template <class T> aw_fn vec3<T> aw_splat_like(const vec3<T>*, T s) { return {s, s, s}; }
template <class T> aw_fn vec4<T> aw_splat_like(const vec4<T>*, T s) { return {s, s, s, s}; }
template <class V, class T> aw_fn V aw_splat(T s) { return aw_splat_like(static_cast<const V*>(nullptr), s); }

// A component by index; the last one for an index out of range. It is selected rather than addressed, so that the
// vector stays in registers.
template <class T, class I> aw_fn T aw_get(const vec2<T>& v, I i) { return u32(i) == 0u ? v.x : v.y; }
template <class T, class I> aw_fn T aw_get(const vec3<T>& v, I i) {
    return u32(i) == 0u ? v.x : u32(i) == 1u ? v.y : v.z;
}
template <class T, class I> aw_fn T aw_get(const vec4<T>& v, I i) {
    const T low = u32(i) == 0u ? v.x : v.y, high = u32(i) == 2u ? v.z : v.w;
    return u32(i) < 2u ? low : high;
}
template <class T, class I> aw_fn T& aw_ref(vec2<T>& v, I i) { return reinterpret_cast<T*>(&v)[aw_at(i, 2u)]; }
template <class T, class I> aw_fn T& aw_ref(vec3<T>& v, I i) { return reinterpret_cast<T*>(&v)[aw_at(i, 3u)]; }
template <class T, class I> aw_fn T& aw_ref(vec4<T>& v, I i) { return reinterpret_cast<T*>(&v)[aw_at(i, 4u)]; }
template <class T, class I> aw_fn T aw_get_unchecked(const vec2<T>& v, I i) { return aw_get(v, i); }
template <class T, class I> aw_fn T aw_get_unchecked(const vec3<T>& v, I i) { return aw_get(v, i); }
template <class T, class I> aw_fn T aw_get_unchecked(const vec4<T>& v, I i) { return aw_get(v, i); }
template <class T, class I> aw_fn T& aw_ref_unchecked(vec2<T>& v, I i) { return reinterpret_cast<T*>(&v)[i]; }
template <class T, class I> aw_fn T& aw_ref_unchecked(vec3<T>& v, I i) { return reinterpret_cast<T*>(&v)[i]; }
template <class T, class I> aw_fn T& aw_ref_unchecked(vec4<T>& v, I i) { return reinterpret_cast<T*>(&v)[i]; }

template <class T> aw_fn vec2<T> aw_select(vec2<T> f, vec2<T> t, vec2<bool> c) {
    return {c.x ? t.x : f.x, c.y ? t.y : f.y};
}
template <class T> aw_fn vec3<T> aw_select(vec3<T> f, vec3<T> t, vec3<bool> c) {
    return {c.x ? t.x : f.x, c.y ? t.y : f.y, c.z ? t.z : f.z};
}
template <class T> aw_fn vec4<T> aw_select(vec4<T> f, vec4<T> t, vec4<bool> c) {
    return {c.x ? t.x : f.x, c.y ? t.y : f.y, c.z ? t.z : f.z, c.w ? t.w : f.w};
}
