// Bit functions of integers.

// The bits of an integer, as an unsigned integer of at least 32 bits; 16-bit integers are zero-extended.
aw_fn u32 aw_zero_extended(i16 a) { return u16(a); }
aw_fn u32 aw_zero_extended(u16 a) { return a; }
aw_fn u32 aw_zero_extended(i32 a) { return u32(a); }
aw_fn u32 aw_zero_extended(u32 a) { return a; }
aw_fn u64 aw_zero_extended(i64 a) { return u64(a); }
aw_fn u64 aw_zero_extended(u64 a) { return a; }
aw_fn i32 aw_leading_zeros(u32 a) { return __clz(i32(a)); }
aw_fn i32 aw_leading_zeros(u64 a) { return __clzll(i64(a)); }
aw_fn i32 aw_ones(u32 a) { return __popc(a); }
aw_fn i32 aw_ones(u64 a) { return __popcll(a); }
aw_fn i32 aw_first_one(u32 a) { return __ffs(i32(a)) - 1; }
aw_fn i32 aw_first_one(u64 a) { return __ffsll(i64(a)) - 1; }
aw_fn u32 aw_reversed(u32 a) { return __brev(a); }
aw_fn u64 aw_reversed(u64 a) { return __brevll(a); }

template <class T> aw_fn T aw_countOneBits(T a) { return T(aw_ones(aw_zero_extended(a))); }
template <class T> aw_fn T aw_countLeadingZeros(T a) {
    return T(aw_leading_zeros(aw_zero_extended(a)) - i32(8u * (sizeof(aw_work<T>) - sizeof(T))));
}
template <class T> aw_fn T aw_countTrailingZeros(T a) {
    return a == T(0) ? T(8u * sizeof(T)) : T(aw_first_one(aw_zero_extended(a)));
}
template <class T> aw_fn T aw_firstTrailingBit(T a) { return T(aw_first_one(aw_zero_extended(a))); }
// The position of the highest bit that is 1 or, for a negative number, 0; -1 if there is none.
template <class T> aw_fn T aw_firstLeadingBit(T a) {
    const T b = a < T(0) ? T(~a) : a;
    return T(i32(8u * sizeof(aw_work<T>)) - 1 - aw_leading_zeros(aw_zero_extended(b)));
}
template <class T> aw_fn T aw_reverseBits(T a) {
    return T(aw_reversed(aw_zero_extended(a)) >> (8u * (sizeof(aw_work<T>) - sizeof(T))));
}

// Offset and count are clamped to the width.
template <class T> aw_fn T aw_extractBits(T a, u32 offset, u32 count) {
    const u32 width = 8u * sizeof(T), o = offset < width ? offset : width, c = count < width - o ? count : width - o;
    // The shift is less than the width, or its result is not used.
    const T high = T(aw_work<T>(a) << ((width - o - c) & (width - 1u)));
    return c == 0u ? T(0) : T(high >> ((width - c) & (width - 1u)));
}
template <class T> aw_fn T aw_insertBits(T a, T bits, u32 offset, u32 count) {
    const u32 width = 8u * sizeof(T), o = offset < width ? offset : width, c = count < width - o ? count : width - o;
    const aw_work<T> low = aw_zero_extended(T(-1)) >> ((width - c) & (width - 1u));
    const aw_work<T> mask = c == 0u ? 0u : low << (o & (width - 1u));
    return T((aw_work<T>(a) & ~mask) | ((aw_work<T>(bits) << (o & (width - 1u))) & mask));
}

aw_lift1(aw_countOneBits)
aw_lift1(aw_countLeadingZeros)
aw_lift1(aw_countTrailingZeros)
aw_lift1(aw_firstTrailingBit)
aw_lift1(aw_firstLeadingBit)
aw_lift1(aw_reverseBits)
#ifdef aw_has_vectors
template <class T> aw_fn vec2<T> aw_extractBits(vec2<T> a, u32 o, u32 c) {
    return {aw_extractBits(a.x, o, c), aw_extractBits(a.y, o, c)};
}
template <class T> aw_fn vec3<T> aw_extractBits(vec3<T> a, u32 o, u32 c) {
    return {aw_extractBits(a.x, o, c), aw_extractBits(a.y, o, c), aw_extractBits(a.z, o, c)};
}
template <class T> aw_fn vec4<T> aw_extractBits(vec4<T> a, u32 o, u32 c) {
    return {aw_extractBits(a.x, o, c), aw_extractBits(a.y, o, c), aw_extractBits(a.z, o, c), aw_extractBits(a.w, o, c)};
}
template <class T> aw_fn vec2<T> aw_insertBits(vec2<T> a, vec2<T> b, u32 o, u32 c) {
    return {aw_insertBits(a.x, b.x, o, c), aw_insertBits(a.y, b.y, o, c)};
}
template <class T> aw_fn vec3<T> aw_insertBits(vec3<T> a, vec3<T> b, u32 o, u32 c) {
    return {aw_insertBits(a.x, b.x, o, c), aw_insertBits(a.y, b.y, o, c), aw_insertBits(a.z, b.z, o, c)};
}
template <class T> aw_fn vec4<T> aw_insertBits(vec4<T> a, vec4<T> b, u32 o, u32 c) {
    return {aw_insertBits(a.x, b.x, o, c), aw_insertBits(a.y, b.y, o, c), aw_insertBits(a.z, b.z, o, c),
            aw_insertBits(a.w, b.w, o, c)};
}
#endif
