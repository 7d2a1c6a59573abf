// Subgroup functions: a subgroup is a warp, and its active lanes take part.
#define aw_whole 0xffffffffu
aw_fn u32 aw_lane() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// The value of another lane: lane n, or the own lane's number minus n, plus n, or exclusive-or n. For a lane that does
// not take part the value is undefined.
enum { aw_from, aw_below, aw_above, aw_across };
template <i32 WAY> aw_fn u32 aw_moved_word(u32 mask, u32 value, u32 n) {
    if constexpr (WAY == aw_from) return __shfl_sync(mask, value, i32(n));
    else if constexpr (WAY == aw_below) return __shfl_up_sync(mask, value, n & 31u);
    else if constexpr (WAY == aw_above) return __shfl_down_sync(mask, value, n & 31u);
    else return __shfl_xor_sync(mask, value, i32(n & 31u));
}
template <i32 WAY, class T> aw_fn T aw_moved(u32 mask, T value, u32 n) {
    if constexpr (sizeof(T) == 8) {
        const u64 bits = aw_bitcast<u64>(value);
        const u32 low = aw_moved_word<WAY>(mask, u32(bits), n), high = aw_moved_word<WAY>(mask, u32(bits >> 32), n);
        return aw_bitcast<T>(u64(high) << 32 | low);
    } else if constexpr (sizeof(T) == 4) {
        return aw_bitcast<T>(aw_moved_word<WAY>(mask, aw_bitcast<u32>(value), n));
    } else {
        return aw_bitcast<T>(u16(aw_moved_word<WAY>(mask, aw_bitcast<u16>(value), n)));
    }
}

// Operations of reductions and scans. Callers convert sums and products to a type that is wide enough.
struct aw_sum { template <class T> aw_fn T operator()(T a, T b) const { return a + b; } };
struct aw_product { template <class T> aw_fn T operator()(T a, T b) const { return a * b; } };
struct aw_lesser {
    template <class T> aw_fn T operator()(T a, T b) const { return b < a ? b : a; }
    aw_fn f32 operator()(f32 a, f32 b) const { return fminf(a, b); }
    aw_fn f64 operator()(f64 a, f64 b) const { return fmin(a, b); }
};
struct aw_greater {
    template <class T> aw_fn T operator()(T a, T b) const { return a < b ? b : a; }
    aw_fn f32 operator()(f32 a, f32 b) const { return fmaxf(a, b); }
    aw_fn f64 operator()(f64 a, f64 b) const { return fmax(a, b); }
};
struct aw_both { template <class T> aw_fn T operator()(T a, T b) const { return a & b; } };
struct aw_either { template <class T> aw_fn T operator()(T a, T b) const { return a | b; } };
struct aw_differing { template <class T> aw_fn T operator()(T a, T b) const { return a ^ b; } };

// One result for all lanes. A whole subgroup exchanges values crosswise, and all lanes get the same result; a partial
// one combines its lanes in order.
template <class F, class T> aw_fn T aw_folded(T value, F f) {
    const u32 mask = __activemask();
    if (mask == aw_whole) {
#pragma unroll
        for (u32 n = 16; n > 0; n /= 2) value = f(value, aw_moved<aw_across>(aw_whole, value, n));
        return value;
    }
    u32 rest = mask & (mask - 1u);
    T result = aw_moved<aw_from>(mask, value, u32(__ffs(i32(mask)) - 1));
    for (; rest != 0u; rest &= rest - 1u) result = f(result, aw_moved<aw_from>(mask, value, u32(__ffs(i32(rest)) - 1)));
    return result;
}
#if __CUDA_ARCH__ >= 800
aw_fn u32 aw_folded(u32 value, aw_sum) { return __reduce_add_sync(__activemask(), value); }
aw_fn u32 aw_folded(u32 value, aw_lesser) { return __reduce_min_sync(__activemask(), value); }
aw_fn i32 aw_folded(i32 value, aw_lesser) { return __reduce_min_sync(__activemask(), value); }
aw_fn u32 aw_folded(u32 value, aw_greater) { return __reduce_max_sync(__activemask(), value); }
aw_fn i32 aw_folded(i32 value, aw_greater) { return __reduce_max_sync(__activemask(), value); }
aw_fn u32 aw_folded(u32 value, aw_both) { return __reduce_and_sync(__activemask(), value); }
aw_fn u32 aw_folded(u32 value, aw_either) { return __reduce_or_sync(__activemask(), value); }
aw_fn u32 aw_folded(u32 value, aw_differing) { return __reduce_xor_sync(__activemask(), value); }
#endif

// The type in which values of type T are compared: at least 32 bits.
template <class T> struct aw_compared_of { typedef T type; };
template <> struct aw_compared_of<i16> { typedef i32 type; };
template <> struct aw_compared_of<u16> { typedef u32 type; };
#ifdef aw_has_half
template <> struct aw_compared_of<f16> { typedef f32 type; };
#endif
template <class T> using aw_compared = typename aw_compared_of<T>::type;

template <class T> aw_fn T aw_subgroupAdd(T a) { return T(aw_folded(aw_work<T>(a), aw_sum())); }
template <class T> aw_fn T aw_subgroupMul(T a) { return T(aw_folded(aw_work<T>(a), aw_product())); }
template <class T> aw_fn T aw_subgroupMin(T a) { return T(aw_folded(aw_compared<T>(a), aw_lesser())); }
template <class T> aw_fn T aw_subgroupMax(T a) { return T(aw_folded(aw_compared<T>(a), aw_greater())); }
template <class T> aw_fn T aw_subgroupAnd(T a) { return T(aw_folded(aw_work<T>(a), aw_both())); }
template <class T> aw_fn T aw_subgroupOr(T a) { return T(aw_folded(aw_work<T>(a), aw_either())); }
template <class T> aw_fn T aw_subgroupXor(T a) { return T(aw_folded(aw_work<T>(a), aw_differing())); }

// A scan over the lanes up to the own one, or below it, that begins with the neutral value.
template <bool INCLUSIVE, class F, class T> aw_fn T aw_scanned(T value, T neutral, F f) {
    const u32 mask = __activemask(), lane = aw_lane();
    if (mask == aw_whole) {
#pragma unroll
        for (u32 n = 1; n < 32; n *= 2) {
            const T below = aw_moved<aw_below>(aw_whole, value, n);
            value = lane >= n ? f(below, value) : value;
        }
        if constexpr (INCLUSIVE) return value;
        const T below = aw_moved<aw_below>(aw_whole, value, 1);
        return lane == 0u ? neutral : below;
    }
    T result = neutral;
    for (u32 rest = mask; rest != 0u; rest &= rest - 1u) {
        const u32 n = u32(__ffs(i32(rest)) - 1);
        const T other = aw_moved<aw_from>(mask, value, n);
        if (n < lane || (INCLUSIVE && n == lane)) result = f(result, other);
    }
    return result;
}
template <class T> aw_fn T aw_subgroupInclusiveAdd(T a) {
    return T(aw_scanned<true>(aw_work<T>(a), aw_work<T>(0), aw_sum()));
}
template <class T> aw_fn T aw_subgroupInclusiveMul(T a) {
    return T(aw_scanned<true>(aw_work<T>(a), aw_work<T>(1), aw_product()));
}
template <class T> aw_fn T aw_subgroupExclusiveAdd(T a) {
    return T(aw_scanned<false>(aw_work<T>(a), aw_work<T>(0), aw_sum()));
}
template <class T> aw_fn T aw_subgroupExclusiveMul(T a) {
    return T(aw_scanned<false>(aw_work<T>(a), aw_work<T>(1), aw_product()));
}

aw_fn bool aw_subgroupAll(bool a) { return __all_sync(__activemask(), a); }
aw_fn bool aw_subgroupAny(bool a) { return __any_sync(__activemask(), a); }
aw_fn bool aw_subgroupElect() { return aw_lane() == u32(__ffs(i32(__activemask())) - 1); }
aw_fn vec4<u32> aw_subgroupBallot(bool a) { return {__ballot_sync(__activemask(), a), 0u, 0u, 0u}; }
aw_fn vec4<u32> aw_subgroupBallot() { return {__activemask(), 0u, 0u, 0u}; }

template <i32 WAY, class T> aw_fn T aw_shuffled(T a, u32 n) { return aw_moved<WAY>(__activemask(), a, n); }
template <class T> aw_fn T aw_subgroupBroadcastFirst(T a) {
    return aw_shuffled<aw_from>(a, u32(__ffs(i32(__activemask())) - 1));
}
template <class T, class N> aw_fn T aw_subgroupBroadcast(T a, N lane) { return aw_shuffled<aw_from>(a, u32(lane)); }
template <class T, class N> aw_fn T aw_subgroupShuffle(T a, N lane) { return aw_shuffled<aw_from>(a, u32(lane)); }
template <class T, class N> aw_fn T aw_subgroupShuffleUp(T a, N n) { return aw_shuffled<aw_below>(a, u32(n)); }
template <class T, class N> aw_fn T aw_subgroupShuffleDown(T a, N n) { return aw_shuffled<aw_above>(a, u32(n)); }
template <class T, class N> aw_fn T aw_subgroupShuffleXor(T a, N n) { return aw_shuffled<aw_across>(a, u32(n)); }
template <class T, class N> aw_fn T aw_quadBroadcast(T a, N lane) {
    return aw_shuffled<aw_from>(a, (aw_lane() & 28u) | (u32(lane) & 3u));
}
template <class T> aw_fn T aw_quadSwapX(T a) { return aw_shuffled<aw_across>(a, 1u); }
template <class T> aw_fn T aw_quadSwapY(T a) { return aw_shuffled<aw_across>(a, 2u); }
template <class T> aw_fn T aw_quadSwapDiagonal(T a) { return aw_shuffled<aw_across>(a, 3u); }

aw_lift1(aw_subgroupAdd)
aw_lift1(aw_subgroupMul)
aw_lift1(aw_subgroupMin)
aw_lift1(aw_subgroupMax)
aw_lift1(aw_subgroupAnd)
aw_lift1(aw_subgroupOr)
aw_lift1(aw_subgroupXor)
aw_lift1(aw_subgroupInclusiveAdd)
aw_lift1(aw_subgroupInclusiveMul)
aw_lift1(aw_subgroupExclusiveAdd)
aw_lift1(aw_subgroupExclusiveMul)
aw_lift1(aw_subgroupBroadcastFirst)
aw_lift1(aw_quadSwapX)
aw_lift1(aw_quadSwapY)
aw_lift1(aw_quadSwapDiagonal)
#define aw_lift_moved(f) \
    template <class T, class N> aw_fn vec2<T> f(vec2<T> a, N n) { return {f(a.x, n), f(a.y, n)}; } \
    template <class T, class N> aw_fn vec3<T> f(vec3<T> a, N n) { return {f(a.x, n), f(a.y, n), f(a.z, n)}; } \
    template <class T, class N> aw_fn vec4<T> f(vec4<T> a, N n) { return {f(a.x, n), f(a.y, n), f(a.z, n), f(a.w, n)}; }
aw_lift_moved(aw_subgroupBroadcast)
aw_lift_moved(aw_subgroupShuffle)
aw_lift_moved(aw_subgroupShuffleUp)
aw_lift_moved(aw_subgroupShuffleDown)
aw_lift_moved(aw_subgroupShuffleXor)
aw_lift_moved(aw_quadBroadcast)
#undef aw_lift_moved
