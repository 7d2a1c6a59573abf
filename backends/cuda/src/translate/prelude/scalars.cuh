// Scalar types, and functions for every kernel.
#define aw_fn __device__ __forceinline__
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
static_assert(sizeof(i64) == 8 && sizeof(i32) == 4 && sizeof(bool) == 1, "sizes");

// The index, or n - 1 if it is not below n. A negative index is not below n.
template <class I> aw_fn u32 aw_at(I index, u32 n) {
    const u32 i = u32(index);
    return i < n ? i : n - 1u;
}
template <class I> aw_fn bool aw_in(I index, u32 n) { return u32(index) < n; }

template <class To, class From> constexpr aw_fn To aw_bitcast(From value) {
    static_assert(sizeof(To) == sizeof(From), "a bitcast between sizes");
    return __builtin_bit_cast(To, value);
}

template <class T> aw_fn T aw_select(T if_false, T if_true, bool condition) { return condition ? if_true : if_false; }

// The type of sums and products: signed integers wrap in it, and it has at least 32 bits.
template <class T> struct aw_work_of { typedef T type; };
template <> struct aw_work_of<i16> { typedef u32 type; };
template <> struct aw_work_of<u16> { typedef u32 type; };
template <> struct aw_work_of<i32> { typedef u32 type; };
template <> struct aw_work_of<i64> { typedef u64 type; };
template <class T> using aw_work = typename aw_work_of<T>::type;
