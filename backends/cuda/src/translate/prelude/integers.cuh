// Integer arithmetic that wraps, unlike that of signed integers in C++; 16-bit integers are computed in 32 bits.
template <class T> aw_fn T aw_add(T a, T b) { return T(aw_work<T>(a) + aw_work<T>(b)); }
template <class T> aw_fn T aw_sub(T a, T b) { return T(aw_work<T>(a) - aw_work<T>(b)); }
template <class T> aw_fn T aw_mul(T a, T b) { return T(aw_work<T>(a) * aw_work<T>(b)); }
template <class T> aw_fn T aw_neg(T a) { return T(aw_work<T>(0) - aw_work<T>(a)); }

// Whether a quotient is undefined or overflows the type.
template <class T> aw_fn bool aw_indivisible(T a, T b) {
    const bool is_signed = T(-1) < T(0);
    const T least = T(aw_work<T>(1) << (8u * sizeof(T) - 1u));
    return b == T(0) || (is_signed && b == T(-1) && a == least);
}
// Division by zero, and of the smallest value by -1: the dividend.
template <class T> aw_fn T aw_div(T a, T b) { return T(a / (aw_indivisible(a, b) ? T(1) : b)); }
// Remainder by zero, and of the smallest value by -1: zero.
template <class T> aw_fn T aw_rem(T a, T b) { return T(a % (aw_indivisible(a, b) ? T(1) : b)); }

template <class T, class N> aw_fn T aw_shl(T a, N n) { return T(aw_work<T>(a) << (u32(n) & (8u * sizeof(T) - 1u))); }
template <class T, class N> aw_fn T aw_shr(T a, N n) { return T(a >> (u32(n) & (8u * sizeof(T) - 1u))); }

// C++ promotes 16-bit integers to int.
template <class T> aw_fn T aw_not(T a) { return T(~a); }
template <class T> aw_fn T aw_and(T a, T b) { return T(a & b); }
template <class T> aw_fn T aw_or(T a, T b) { return T(a | b); }
template <class T> aw_fn T aw_xor(T a, T b) { return T(a ^ b); }

// For floats: x - y * trunc(x / y). For f16 only the result is rounded: a quotient that rounds up to an integer would
// otherwise give a remainder of the wrong sign.
aw_fn f32 aw_rem(f32 a, f32 b) { return a - b * truncf(a / b); }
aw_fn f64 aw_rem(f64 a, f64 b) { return a - b * trunc(a / b); }
#ifdef aw_has_half
aw_fn f16 aw_rem(f16 a, f16 b) { return f16(aw_rem(f32(a), f32(b))); }
#endif

aw_lift2_mixed(aw_add)
aw_lift2_mixed(aw_sub)
aw_lift2_mixed(aw_mul)
aw_lift2_mixed(aw_div)
aw_lift2_mixed(aw_rem)
aw_lift1(aw_neg)
aw_lift1(aw_not)
aw_lift2(aw_and)
aw_lift2(aw_or)
aw_lift2(aw_xor)
aw_lift2_unlike(aw_shl)
aw_lift2_unlike(aw_shr)
