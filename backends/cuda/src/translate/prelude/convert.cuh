// Conversions. Float to integer: rounded towards zero and clamped to the range; NaN becomes 0. The greatest result is
// the greatest integer that both types can represent.
template <class To> struct aw_cast_to {
    template <class From> static aw_fn To from(From a) { return To(a); }
};
template <class To, class From> aw_fn To aw_cast(From a) { return aw_cast_to<To>::from(a); }

template <> struct aw_cast_to<bool> {
    template <class From> static aw_fn bool from(From a) { return a != From{}; }
};

template <class T> aw_fn T aw_least(T a, T b) { return b < a ? b : a; }
template <> struct aw_cast_to<i32> {
    template <class From> static aw_fn i32 from(From a) { return i32(a); }
    static aw_fn i32 from(f32 a) { return aw_least(__float2int_rz(a), 0x7fffff80); }
    static aw_fn i32 from(f64 a) { return a != a ? 0 : __double2int_rz(a); }
#ifdef aw_has_half
    static aw_fn i32 from(f16 a) { return __float2int_rz(f32(a)); }
#endif
};
template <> struct aw_cast_to<u32> {
    template <class From> static aw_fn u32 from(From a) { return u32(a); }
    static aw_fn u32 from(f32 a) { return aw_least(__float2uint_rz(a), 0xffffff00u); }
    static aw_fn u32 from(f64 a) { return a != a ? 0u : __double2uint_rz(a); }
#ifdef aw_has_half
    static aw_fn u32 from(f16 a) { return __float2uint_rz(f32(a)); }
#endif
};
template <> struct aw_cast_to<i64> {
    template <class From> static aw_fn i64 from(From a) { return i64(a); }
    static aw_fn i64 from(f32 a) { return a != a ? 0 : aw_least(__float2ll_rz(a), 0x7fffff8000000000ll); }
    static aw_fn i64 from(f64 a) { return a != a ? 0 : aw_least(__double2ll_rz(a), 0x7ffffffffffffc00ll); }
#ifdef aw_has_half
    static aw_fn i64 from(f16 a) { return a != a ? 0 : __float2ll_rz(f32(a)); }
#endif
};
template <> struct aw_cast_to<u64> {
    template <class From> static aw_fn u64 from(From a) { return u64(a); }
    static aw_fn u64 from(f32 a) { return a != a ? 0u : aw_least(__float2ull_rz(a), 0xffffff0000000000ull); }
    static aw_fn u64 from(f64 a) { return a != a ? 0u : aw_least(__double2ull_rz(a), 0xfffffffffffff800ull); }
#ifdef aw_has_half
    static aw_fn u64 from(f16 a) { return a != a ? 0u : __float2ull_rz(f32(a)); }
#endif
};
aw_fn i32 aw_clamped(i32 a, i32 low, i32 high) { return a < low ? low : a > high ? high : a; }
template <> struct aw_cast_to<i16> {
    template <class From> static aw_fn i16 from(From a) { return i16(a); }
    static aw_fn i16 from(f32 a) { return i16(aw_clamped(__float2int_rz(a), -32768, 32767)); }
    static aw_fn i16 from(f64 a) { return i16(a != a ? 0 : aw_clamped(__double2int_rz(a), -32768, 32767)); }
#ifdef aw_has_half
    static aw_fn i16 from(f16 a) { return i16(aw_clamped(__float2int_rz(f32(a)), -32768, 32752)); }
#endif
};
template <> struct aw_cast_to<u16> {
    template <class From> static aw_fn u16 from(From a) { return u16(a); }
    static aw_fn u16 from(f32 a) { return u16(aw_least(__float2uint_rz(a), 65535u)); }
    static aw_fn u16 from(f64 a) { return u16(a != a ? 0u : aw_least(__double2uint_rz(a), 65535u)); }
#ifdef aw_has_half
    static aw_fn u16 from(f16 a) { return u16(aw_least(__float2uint_rz(f32(a)), 65504u)); }
#endif
};

#ifdef aw_has_half
// Integers that f32 has to round are infinite in f16.
template <> struct aw_cast_to<f16> {
    template <class From> static aw_fn f16 from(From a) { return f16(f32(a)); }
    static aw_fn f16 from(f64 a) { return f16(a); }
    static aw_fn f16 from(f16 a) { return a; }
};
#endif

// Without a check of the range.
template <class To, class From> struct aw_plain_cast {
    static aw_fn To from(From a) { return To(a); }
};
#ifdef aw_has_half
template <class To> struct aw_plain_cast<To, f16> {
    static aw_fn To from(f16 a) { return To(f32(a)); }
};
template <class From> struct aw_plain_cast<f16, From> {
    static aw_fn f16 from(From a) { return aw_cast_to<f16>::from(a); }
};
template <> struct aw_plain_cast<f16, f16> {
    static aw_fn f16 from(f16 a) { return a; }
};
#endif
template <class To, class From> aw_fn To aw_cast_unchecked(From a) { return aw_plain_cast<To, From>::from(a); }

#ifdef aw_has_vectors
template <class T> struct aw_cast_to<vec2<T>> {
    template <class F> static aw_fn vec2<T> from(vec2<F> a) { return {aw_cast<T>(a.x), aw_cast<T>(a.y)}; }
};
template <class T> struct aw_cast_to<vec3<T>> {
    template <class F> static aw_fn vec3<T> from(vec3<F> a) {
        return {aw_cast<T>(a.x), aw_cast<T>(a.y), aw_cast<T>(a.z)};
    }
};
template <class T> struct aw_cast_to<vec4<T>> {
    template <class F> static aw_fn vec4<T> from(vec4<F> a) {
        return {aw_cast<T>(a.x), aw_cast<T>(a.y), aw_cast<T>(a.z), aw_cast<T>(a.w)};
    }
};
template <class T, class F> struct aw_plain_cast<vec2<T>, vec2<F>> {
    static aw_fn vec2<T> from(vec2<F> a) { return {aw_cast_unchecked<T>(a.x), aw_cast_unchecked<T>(a.y)}; }
};
template <class T, class F> struct aw_plain_cast<vec3<T>, vec3<F>> {
    static aw_fn vec3<T> from(vec3<F> a) {
        return {aw_cast_unchecked<T>(a.x), aw_cast_unchecked<T>(a.y), aw_cast_unchecked<T>(a.z)};
    }
};
template <class T, class F> struct aw_plain_cast<vec4<T>, vec4<F>> {
    static aw_fn vec4<T> from(vec4<F> a) {
        return {aw_cast_unchecked<T>(a.x), aw_cast_unchecked<T>(a.y), aw_cast_unchecked<T>(a.z),
                aw_cast_unchecked<T>(a.w)};
    }
};
#endif
#ifdef aw_has_matrices
template <class T, u32 C, u32 R> struct aw_cast_to<mat<T, C, R>> {
    template <class F> static aw_fn mat<T, C, R> from(const mat<F, C, R>& a) {
        mat<T, C, R> r;
#pragma unroll
        for (u32 c = 0; c < C; c++) r.columns[c] = aw_cast<typename mat<T, C, R>::column>(a.columns[c]);
        return r;
    }
};
#endif
