// Arrays with WGSL's strides.
// A kernel must not write the padding between elements.
template <class T, u32 STRIDE> struct alignas(STRIDE & (0u - STRIDE)) padded {
    T value;
    aw_fn padded& operator=(const padded& from) {
        value = from.value;
        return *this;
    }
};

// Elements whose size equals the stride, or is smaller.
template <class T, u32 N, u32 STRIDE, bool EXACT = sizeof(T) == STRIDE> struct array {
    T elements[N];
    constexpr aw_fn T& operator[](u32 i) { return elements[i]; }
    constexpr aw_fn const T& operator[](u32 i) const { return elements[i]; }
};
template <class T, u32 N, u32 STRIDE> struct array<T, N, STRIDE, false> {
    padded<T, STRIDE> elements[N];
    constexpr aw_fn T& operator[](u32 i) { return elements[i].value; }
    constexpr aw_fn const T& operator[](u32 i) const { return elements[i].value; }
};
