// Cooperative matrices, distributed over the 32 lanes of a warp.
//
// For 16 x 16 f16 values, and for 16 x 16 results, a lane holds the fragments of the tensor cores' mma (PTX, "Matrix
// Fragments for mma.m16n8k16"): two adjacent values of one line of each tile of 8 x 8. Lines are rows in A and C, and
// columns in B. The tile of a register of two f16 has a number: bit 0 is its row in A, B and C, and bit 1 its column.
//
// All other N x N matrices are multiplied by ordinary arithmetic, with the values of A and B fetched from their lanes:
// all values of a lane are in row (lane % N) of A, and in column (lane % N) of B and C.
template <class T, u32 C, u32 R, u32 ROLE> struct coop {
    static_assert(C == R && (C == 8 || C == 16), "cooperative matrices have 8 or 16 columns, and as many rows");
    typedef T scalar;
    static const u32 size = C, role = ROLE, count = C * R / 32;
    static const bool tensor = C == 16 && (sizeof(T) == 2 || ROLE == 2);
    u32 words[count * sizeof(T) / 4];
    // Whether rows and columns are still to be exchanged in each register. The exchange is done when a tile is used,
    // not when it is loaded, where it would wait for memory.
    bool exchanged;

    aw_fn T get(u32 i) const {
        if constexpr (sizeof(T) == 4) return aw_bitcast<T>(words[i]);
        else return aw_bitcast<T>(u16(words[i / 2] >> (i % 2 * 16)));
    }
    aw_fn void set(u32 i, T value) {
        if constexpr (sizeof(T) == 4) words[i] = aw_bitcast<u32>(value);
        else words[i / 2] = (words[i / 2] & ~(0xffffu << (i % 2 * 16))) | u32(aw_bitcast<u16>(value)) << (i % 2 * 16);
    }
};

aw_fn u32 aw_coop_lane() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
// In the tiles of one half of a matrix: the line of the own lane, and the first of its two adjacent values in the line.
aw_fn u32 aw_coop_line(u32 half) { return aw_coop_lane() / 4 + half * 8; }
aw_fn u32 aw_coop_near(u32 half) { return aw_coop_lane() % 4 * 2 + half * 8; }
// The row and the column of the own lane's scalar number i.
template <class M> aw_fn u32 aw_coop_row(u32 i) {
    const u32 lane = aw_coop_lane();
    if constexpr (M::tensor) return M::role == 1 ? aw_coop_near(i / 2 % 2) + i % 2 : aw_coop_line(i / 2 % 2);
    else return M::role == 0 ? lane % M::size : i * (32 / M::size) + lane / M::size;
}
template <class M> aw_fn u32 aw_coop_column(u32 i) {
    const u32 lane = aw_coop_lane();
    if constexpr (M::tensor) return M::role == 1 ? aw_coop_line(i / 4) : aw_coop_near(i / 4) + i % 2;
    else return M::role == 0 ? i * (32 / M::size) + lane / M::size : lane % M::size;
}

// A tile of 8 x 8 f16 with rows and columns exchanged. All lanes must take part, so it must be computed before any
// branch that not all lanes take.
aw_fn u32 aw_coop_transposed(u32 word) {
    u32 r;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(word));
    return r;
}
aw_fn u32 aw_coop_transposed_here(u32 word) {
    u32 r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(word));
    return r;
}
template <class M> aw_fn M aw_coop_settled(M m) {
    if constexpr (M::tensor && sizeof(typename M::scalar) == 2) {
        if (m.exchanged) {
#pragma unroll
            for (u32 i = 0; i < 4; i++) m.words[i] = aw_coop_transposed_here(m.words[i]);
        }
    }
    m.exchanged = false;
    return m;
}

struct alignas(8) aw_coop_pair { u32 x, y; };

// A pointer to the scalars of an array whose elements are scalars or vectors.
template <class T> aw_fn const T* aw_coop_scalars(const T* at) { return at; }
template <class T> aw_fn const T* aw_coop_scalars(const vec2<T>* at) { return &at->x; }
template <class T> aw_fn const T* aw_coop_scalars(const vec4<T>* at) { return &at->x; }
template <class T> aw_fn T* aw_coop_scalars(T* at) { return at; }
template <class T> aw_fn T* aw_coop_scalars(vec2<T>* at) { return &at->x; }
template <class T> aw_fn T* aw_coop_scalars(vec4<T>* at) { return &at->x; }

// Whether the whole tile is within the array.
template <class M> aw_fn bool aw_coop_is_within(u64 count, u64 first, u64 stride) {
    return count == ~u64(0) || stride * (M::size - 1) + first + (M::size - 1) < count;
}
// Whether the whole tile is within the array, and pairs of neighbours can be moved at once.
template <class M> aw_fn bool aw_coop_is_plain(const void* base, u64 count, u64 first, u64 stride) {
    const u64 bytes = 2 * sizeof(typename M::scalar);
    return aw_coop_is_within<M>(count, first, stride) && stride % 2u == 0u
        && (reinterpret_cast<u64>(base) + first * sizeof(typename M::scalar)) % bytes == 0u;
}

// Loads or stores two elements, each with its own bounds check: separate functions, to keep kernels small.
template <class T> __device__ __noinline__ aw_coop_pair aw_coop_load_each(const T* base, u64 count, u64 at, u64 step) {
    u32 bits[2];
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        const u64 index = at + i * step;
        const T value = base[index < count ? index : count - 1u];
        if constexpr (sizeof(T) == 4) bits[i] = aw_bitcast<u32>(value);
        else bits[i] = aw_bitcast<u16>(value);
    }
    return {bits[0], bits[1]};
}
template <class T>
__device__ __noinline__ void aw_coop_store_each(T* base, u64 count, u64 at, u64 step, aw_coop_pair p) {
    const u32 bits[2] = {p.x, p.y};
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        const u64 index = at + i * step;
        if (index < count) {
            if constexpr (sizeof(T) == 4) base[index] = aw_bitcast<T>(bits[i]);
            else base[index] = aw_bitcast<T>(u16(bits[i]));
        }
    }
}
// The index in the array of the own lane's scalar number i.
template <class M> aw_fn u64 aw_coop_place(u32 i, u64 first, u64 stride, bool row_major) {
    const u32 row = aw_coop_row<M>(i), column = aw_coop_column<M>(i);
    return first + (row_major ? row * stride + column : column * stride + row);
}
// The register for the tile of 8 x 8 in half `line` of the lines in memory and in half `near` of each line.
aw_fn u32 aw_coop_word(u32 line, u32 near, bool row_major) { return row_major ? line + 2 * near : 2 * line + near; }

template <class M, class T> aw_fn M aw_coop_load(const T* base, u64 count, u64 first, u64 stride, bool row_major) {
    M m;
    m.exchanged = false;
    if constexpr (M::tensor && sizeof(T) == 2) {
        m.exchanged = row_major == (M::role == 1);
        const bool plain = aw_coop_is_plain<M>(base, count, first, stride);
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            const u32 line = i / 2, near = i % 2;
            const u64 at = first + stride * aw_coop_line(line) + aw_coop_near(near);
            u32 word;
            if (plain) {
                word = *reinterpret_cast<const u32*>(base + at);
            } else {
                const aw_coop_pair each = aw_coop_load_each(base, count, at, u64(1));
                word = each.x | each.y << 16;
            }
            m.words[aw_coop_word(line, near, row_major)] = word;
        }
    } else if constexpr (M::tensor) {
        const bool plain = row_major && aw_coop_is_plain<M>(base, count, first, stride);
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            const u64 at = aw_coop_place<M>(2 * i, first, stride, row_major);
            const aw_coop_pair p = plain ? *reinterpret_cast<const aw_coop_pair*>(base + at)
                                         : aw_coop_load_each(base, count, at, row_major ? u64(1) : stride);
            m.words[2 * i] = p.x;
            m.words[2 * i + 1] = p.y;
        }
    } else {
#pragma unroll
        for (u32 i = 0; i < M::count * sizeof(T) / 4; i++) m.words[i] = 0;
#pragma unroll
        for (u32 i = 0; i < M::count; i++) {
            const u64 at = aw_coop_place<M>(i, first, stride, row_major);
            m.set(i, base[at < count ? at : count - 1u]);
        }
    }
    return m;
}

// Loads four tiles of 8 x 8 f16 from shared memory: each eight lanes have the addresses of the lines of one tile.
aw_fn void aw_coop_ldmatrix(u32* words, u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(at)
                 : "memory");
}
aw_fn void aw_coop_ldmatrix_transposed(u32* words, u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(at)
                 : "memory");
}

// SHARED: `start_of` is the beginning of an array in shared memory, aligned to 16 bytes.
template <class M, bool SHARED, u32 WIDTH, class P>
aw_fn M aw_coopLoad(const P* start_of, u32 elements, u32 start, u32 between, bool row_major) {
    typedef typename M::scalar T;
    const T* const base = aw_coop_scalars(start_of);
    if constexpr (SHARED && M::tensor && sizeof(T) == 2) {
        const u64 last = (u64(between) * (M::size - 1) + start) * WIDTH + M::size - 1;
        const bool within = elements == ~0u || last < u64(elements) * WIDTH;
        // Offsets within shared memory fit in 32 bits.
        const u32 first = start * WIDTH, stride = between * WIDTH;
        if (within && first % 8u == 0u && stride % 8u == 0u) {
            const u32 lane = aw_coop_lane(), tile = lane / 8u;
            const u32 line = row_major ? tile % 2u : tile / 2u, near = row_major ? tile / 2u : tile % 2u;
            const u32 at = first + (line * 8u + lane % 8u) * stride + near * 8u;
            const u32 address = u32(__cvta_generic_to_shared(base)) + at * 2u;
            M m;
            m.exchanged = false;
            if (row_major == (M::role == 1)) aw_coop_ldmatrix_transposed(m.words, address);
            else aw_coop_ldmatrix(m.words, address);
            return m;
        }
    }
    const u64 count = elements == ~0u ? ~u64(0) : u64(elements) * WIDTH;
    return aw_coop_load<M>(base, count, u64(start) * WIDTH, u64(between) * WIDTH, row_major);
}

template <u32 WIDTH, class M, class P>
aw_fn void aw_coopStore(const M& matrix, P* start_of, u32 elements, u32 start, u32 between, bool row_major) {
    typedef typename M::scalar T;
    T* const base = aw_coop_scalars(start_of);
    const u64 count = elements == ~0u ? ~u64(0) : u64(elements) * WIDTH;
    const u64 first = u64(start) * WIDTH, stride = u64(between) * WIDTH;
    M m = aw_coop_settled(matrix);
    if constexpr (M::tensor && sizeof(T) == 2) {
        // Rows and columns are exchanged if the order in memory is the other one.
        m.exchanged = row_major == (M::role == 1);
        m = aw_coop_settled(m);
        const bool plain = aw_coop_is_plain<M>(base, count, first, stride);
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            const u32 line = i / 2, near = i % 2, word = m.words[aw_coop_word(line, near, row_major)];
            const u64 at = first + stride * aw_coop_line(line) + aw_coop_near(near);
            if (plain) *reinterpret_cast<u32*>(base + at) = word;
            else aw_coop_store_each(base, count, at, u64(1), {word & 0xffffu, word >> 16});
        }
    } else if constexpr (M::tensor) {
        const bool plain = row_major && aw_coop_is_plain<M>(base, count, first, stride);
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            const aw_coop_pair p = {m.words[2 * i], m.words[2 * i + 1]};
            const u64 at = aw_coop_place<M>(2 * i, first, stride, row_major);
            if (plain) *reinterpret_cast<aw_coop_pair*>(base + at) = p;
            else aw_coop_store_each(base, count, at, row_major ? u64(1) : stride, p);
        }
    } else {
#pragma unroll
        for (u32 i = 0; i < M::count; i++) {
            const u64 at = aw_coop_place<M>(i, first, stride, row_major);
            if (at < count) base[at] = m.get(i);
        }
    }
}

// One mma instruction: adds the product of 16 rows of a and 8 columns of b to c.
aw_fn void aw_coop_mma(const u32* a, const u32* b, f32* c) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
    for (u32 k = 0; k < 2; k++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
#endif
}
aw_fn void aw_coop_mma(const u32* a, const u32* b, u32* c) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
    for (u32 k = 0; k < 2; k++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                     : "+r"(c[0]), "+r"(c[1])
                     : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
#endif
}
// All four registers of a factor, with rows and columns exchanged where necessary.
struct aw_coop_factor {
    u32 words[4];
    template <class M> explicit aw_fn aw_coop_factor(const M& m) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) words[i] = m.exchanged ? aw_coop_transposed(m.words[i]) : m.words[i];
    }
};
aw_fn coop<f32, 16, 16, 2> aw_coopMultiplyAdd(const coop<f16, 16, 16, 0>& a, const coop<f16, 16, 16, 1>& b,
                                              const coop<f32, 16, 16, 2>& c) {
    const aw_coop_factor left(a), right(b);
    coop<f32, 16, 16, 2> r = c;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        f32 sums[4];
#pragma unroll
        for (u32 i = 0; i < 4; i++) sums[i] = c.get(4 * half + i);
        aw_coop_mma(left.words, right.words + 2 * half, sums);
#pragma unroll
        for (u32 i = 0; i < 4; i++) r.set(4 * half + i, sums[i]);
    }
    return r;
}
aw_fn coop<f16, 16, 16, 2> aw_coopMultiplyAdd(const coop<f16, 16, 16, 0>& a, const coop<f16, 16, 16, 1>& b,
                                              const coop<f16, 16, 16, 2>& c) {
    const aw_coop_factor left(a), right(b);
    coop<f16, 16, 16, 2> r = aw_coop_settled(c);
    aw_coop_mma(left.words, right.words, r.words);
    aw_coop_mma(left.words, right.words + 2, r.words + 2);
    return r;
}

// Multiplies by ordinary arithmetic. A lane's scalars of the result are in two rows and in count / 2 columns.
template <class T, class U, u32 N>
aw_fn coop<U, N, N, 2> aw_coopMultiplyAdd(const coop<T, N, N, 0>& a, const coop<T, N, N, 1>& b,
                                          const coop<U, N, N, 2>& c) {
    typedef coop<U, N, N, 2> M;
    const u32 per_word = 32 / N;
    f32 sums[M::count];
#pragma unroll
    for (u32 i = 0; i < M::count; i++) sums[i] = f32(c.get(i));
#pragma unroll
    for (u32 k = 0; k < N; k++) {
        const f32 x = f32(a.get(k / per_word)), y = f32(b.get(k / per_word));
        f32 left[2], right[M::count / 2];
        // A lane's scalars 0 and `below` are in one column.
        const u32 below = M::tensor ? 2 : 1;
#pragma unroll
        for (u32 n = 0; n < 2; n++)
            left[n] = __shfl_sync(0xffffffffu, x, i32(k % per_word * N + aw_coop_row<M>(n * below)));
#pragma unroll
        for (u32 n = 0; n < M::count / 2; n++) {
            const u32 i = M::tensor ? n / 2 * 4 + n % 2 : 0;
            right[n] = __shfl_sync(0xffffffffu, y, i32(k % per_word * N + aw_coop_column<M>(i)));
        }
#pragma unroll
        for (u32 i = 0; i < M::count; i++) {
            const u32 row = M::tensor ? i / 2 % 2 : i, column = M::tensor ? i / 4 * 2 + i % 2 : 0;
            sums[i] = fmaf(left[row], right[column], sums[i]);
        }
    }
    M r = c;
#pragma unroll
    for (u32 i = 0; i < M::count; i++) r.set(i, U(sums[i]));
    return r;
}

// The type of the values in one register.
template <class T> struct aw_coop_unit { typedef T type; };
template <> struct aw_coop_unit<f16> { typedef vec2<f16> type; };
template <class T, u32 C, u32 R, u32 L, class F>
aw_fn coop<T, C, R, L> aw_coop_each(const coop<T, C, R, L>& x, const coop<T, C, R, L>& y, F f) {
    typedef typename aw_coop_unit<T>::type U;
    const coop<T, C, R, L> a = aw_coop_settled(x), b = aw_coop_settled(y);
    coop<T, C, R, L> r = a;
#pragma unroll
    for (u32 i = 0; i < C * R * sizeof(T) / 128; i++)
        r.words[i] = aw_bitcast<u32>(f(aw_bitcast<U>(a.words[i]), aw_bitcast<U>(b.words[i])));
    return r;
}
template <class T, u32 C, u32 R, u32 L>
aw_fn coop<T, C, R, L> operator+(const coop<T, C, R, L>& a, const coop<T, C, R, L>& b) {
    return aw_coop_each(a, b, [](auto x, auto y) { return x + y; });
}
template <class T, u32 C, u32 R, u32 L>
aw_fn coop<T, C, R, L> operator-(const coop<T, C, R, L>& a, const coop<T, C, R, L>& b) {
    return aw_coop_each(a, b, [](auto x, auto y) { return x - y; });
}
template <class T, u32 C, u32 R, u32 L> aw_fn coop<T, C, R, L> operator-(const coop<T, C, R, L>& a) {
    return aw_coop_each(a, a, [](auto x, auto) { return -x; });
}
template <class T, u32 C, u32 R, u32 L> aw_fn coop<T, C, R, L> operator*(const coop<T, C, R, L>& a, T s) {
    return aw_coop_each(a, a, [=](auto x, auto) { return x * s; });
}
template <class T, u32 C, u32 R, u32 L> aw_fn coop<T, C, R, L> operator*(T s, const coop<T, C, R, L>& a) {
    return a * s;
}
