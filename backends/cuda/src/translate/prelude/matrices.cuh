// Matrices of C columns and R rows, and their operators. Entries of f16 are computed in f32 and rounded once.
#define aw_has_matrices
template <class T, u32 C, u32 R> struct mat;
template <class T, u32 C> struct mat<T, C, 2> {
    typedef vec2<T> column;
    column columns[C];
};
// The columns of a matrix with three rows have the size of four rows.
template <class T, u32 C> struct mat<T, C, 3> {
    typedef vec3<T> column;
    array<column, C, 4 * sizeof(T)> columns;
};
template <class T, u32 C> struct mat<T, C, 4> {
    typedef vec4<T> column;
    column columns[C];
};

template <class T, u32 C, u32 R, class I> aw_fn typename mat<T, C, R>::column aw_get(const mat<T, C, R>& m, I i) {
    return m.columns[aw_at(i, C)];
}
template <class T, u32 C, u32 R, class I> aw_fn typename mat<T, C, R>::column& aw_ref(mat<T, C, R>& m, I i) {
    return m.columns[aw_at(i, C)];
}
template <class T, u32 C, u32 R, class I>
aw_fn typename mat<T, C, R>::column aw_get_unchecked(const mat<T, C, R>& m, I i) {
    return m.columns[i];
}
template <class T, u32 C, u32 R, class I> aw_fn typename mat<T, C, R>::column& aw_ref_unchecked(mat<T, C, R>& m, I i) {
    return m.columns[i];
}
// An entry, by indices that unrolled loops make constant.
template <class T, u32 C, u32 R> aw_fn T& aw_entry(mat<T, C, R>& m, u32 column, u32 row) {
    return reinterpret_cast<T*>(&m.columns[column])[row];
}
template <class T, u32 C, u32 R> aw_fn T aw_entry(const mat<T, C, R>& m, u32 column, u32 row) {
    return reinterpret_cast<const T*>(&m.columns[column])[row];
}

template <class T, u32 C, u32 R> aw_fn mat<T, C, R> operator+(const mat<T, C, R>& a, const mat<T, C, R>& b) {
    mat<T, C, R> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) r.columns[c] = a.columns[c] + b.columns[c];
    return r;
}
template <class T, u32 C, u32 R> aw_fn mat<T, C, R> operator-(const mat<T, C, R>& a, const mat<T, C, R>& b) {
    mat<T, C, R> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) r.columns[c] = a.columns[c] - b.columns[c];
    return r;
}
template <class T, u32 C, u32 R> aw_fn mat<T, C, R> operator-(const mat<T, C, R>& a) {
    mat<T, C, R> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) r.columns[c] = -a.columns[c];
    return r;
}
template <class T, u32 C, u32 R> aw_fn mat<T, C, R> operator*(const mat<T, C, R>& a, T s) {
    mat<T, C, R> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) r.columns[c] = a.columns[c] * s;
    return r;
}
template <class T, u32 C, u32 R> aw_fn mat<T, C, R> operator*(T s, const mat<T, C, R>& a) { return a * s; }

// The product of a and one column b: sums over the K columns of a and the K components of b.
template <class T, u32 K, u32 R> aw_fn void aw_column_product(const mat<T, K, R>& a, const T* b, T* result) {
#pragma unroll
    for (u32 row = 0; row < R; row++) {
        aw_work<T> sum = aw_work<T>(aw_entry(a, 0, row)) * aw_work<T>(b[0]);
#pragma unroll
        for (u32 k = 1; k < K; k++) sum = sum + aw_work<T>(aw_entry(a, k, row)) * aw_work<T>(b[k]);
        result[row] = T(sum);
    }
}
template <class T, u32 C, u32 K, u32 R> aw_fn mat<T, C, R> operator*(const mat<T, K, R>& a, const mat<T, C, K>& b) {
    mat<T, C, R> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) {
        aw_column_product(a, reinterpret_cast<const T*>(&b.columns[c]), reinterpret_cast<T*>(&r.columns[c]));
    }
    return r;
}
template <class T, u32 C, u32 R>
aw_fn typename mat<T, C, R>::column operator*(const mat<T, C, R>& a, const typename mat<T, 2, C>::column& b) {
    typename mat<T, C, R>::column r;
    aw_column_product(a, reinterpret_cast<const T*>(&b), reinterpret_cast<T*>(&r));
    return r;
}
// A vector on the left of a matrix is a row vector.
template <class T, u32 C, u32 R>
aw_fn typename mat<T, 2, C>::column operator*(const typename mat<T, C, R>::column& a, const mat<T, C, R>& b) {
    typename mat<T, 2, C>::column r;
#pragma unroll
    for (u32 c = 0; c < C; c++) {
        aw_work<T> sum = aw_work<T>(a.x) * aw_work<T>(b.columns[c].x);
#pragma unroll
        for (u32 k = 1; k < R; k++) {
            sum = sum + aw_work<T>(reinterpret_cast<const T*>(&a)[k]) * aw_work<T>(aw_entry(b, c, k));
        }
        reinterpret_cast<T*>(&r)[c] = T(sum);
    }
    return r;
}

template <class T, u32 C, u32 R> aw_fn mat<T, R, C> aw_transpose(const mat<T, C, R>& a) {
    mat<T, R, C> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) {
#pragma unroll
        for (u32 row = 0; row < R; row++) aw_entry(r, row, c) = aw_entry(a, c, row);
    }
    return r;
}
