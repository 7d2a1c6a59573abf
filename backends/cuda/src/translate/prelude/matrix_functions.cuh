// Determinants, inverses and outer products, in the type of sums and products.
template <class W> aw_fn W aw_minor2(W a, W b, W c, W d) { return a * d - b * c; }

// The determinant of rows i, j and k of three columns.
template <class W> aw_fn W aw_minor3(const W* a, const W* b, const W* c, u32 i, u32 j, u32 k) {
    return a[i] * aw_minor2(b[j], b[k], c[j], c[k]) - a[j] * aw_minor2(b[i], b[k], c[i], c[k])
        + a[k] * aw_minor2(b[i], b[j], c[i], c[j]);
}

template <class T> aw_fn T aw_determinant(const mat<T, 2, 2>& m) {
    typedef aw_work<T> W;
    return T(aw_minor2(W(m.columns[0].x), W(m.columns[0].y), W(m.columns[1].x), W(m.columns[1].y)));
}

// The entries of a matrix, in the type of sums and products.
template <class T, u32 N> struct aw_entries {
    aw_work<T> at[N][N];
    explicit aw_fn aw_entries(const mat<T, N, N>& m) {
#pragma unroll
        for (u32 c = 0; c < N; c++) {
#pragma unroll
            for (u32 r = 0; r < N; r++) at[c][r] = aw_work<T>(aw_entry(m, c, r));
        }
    }
};
template <class T> aw_fn T aw_determinant(const mat<T, 3, 3>& m) {
    const aw_entries<T, 3> e(m);
    return T(aw_minor3(e.at[0], e.at[1], e.at[2], 0, 1, 2));
}
// The minor without one column and one row: a 3 x 3 determinant.
template <class W> aw_fn W aw_minor_of4(const W (*e)[4], u32 column, u32 row) {
    const u32 a = column == 0u ? 1u : 0u, b = column <= 1u ? 2u : 1u, c = column <= 2u ? 3u : 2u;
    const u32 i = row == 0u ? 1u : 0u, j = row <= 1u ? 2u : 1u, k = row <= 2u ? 3u : 2u;
    return aw_minor3(e[a], e[b], e[c], i, j, k);
}
template <class W> aw_fn W aw_determinant4(const W (*e)[4]) {
    return e[0][0] * aw_minor_of4(e, 0, 0) - e[0][1] * aw_minor_of4(e, 0, 1) + e[0][2] * aw_minor_of4(e, 0, 2)
        - e[0][3] * aw_minor_of4(e, 0, 3);
}
template <class T> aw_fn T aw_determinant(const mat<T, 4, 4>& m) {
    const aw_entries<T, 4> e(m);
    return T(aw_determinant4(e.at));
}

// The adjugate, divided by the determinant.
template <class T> aw_fn mat<T, 2, 2> aw_inverse(const mat<T, 2, 2>& m) {
    const aw_entries<T, 2> e(m);
    const aw_work<T> d = aw_minor2(e.at[0][0], e.at[0][1], e.at[1][0], e.at[1][1]);
    return {vec2<T>{T(e.at[1][1] / d), T(-e.at[0][1] / d)}, vec2<T>{T(-e.at[1][0] / d), T(e.at[0][0] / d)}};
}
template <class T> aw_fn mat<T, 3, 3> aw_inverse(const mat<T, 3, 3>& m) {
    const aw_entries<T, 3> e(m);
    const aw_work<T> d = aw_minor3(e.at[0], e.at[1], e.at[2], 0, 1, 2);
    mat<T, 3, 3> r;
#pragma unroll
    for (u32 c = 0; c < 3u; c++) {
#pragma unroll
        for (u32 row = 0; row < 3u; row++) {
            const u32 a = row == 0u ? 1u : 0u, b = row == 2u ? 1u : 2u, i = c == 0u ? 1u : 0u, j = c == 2u ? 1u : 2u;
            const aw_work<T> minor = aw_minor2(e.at[a][i], e.at[a][j], e.at[b][i], e.at[b][j]);
            aw_entry(r, c, row) = T(((c + row) % 2u == 0u ? minor : -minor) / d);
        }
    }
    return r;
}
template <class T> aw_fn mat<T, 4, 4> aw_inverse(const mat<T, 4, 4>& m) {
    const aw_entries<T, 4> e(m);
    const aw_work<T> d = aw_determinant4(e.at);
    mat<T, 4, 4> r;
#pragma unroll
    for (u32 c = 0; c < 4u; c++) {
#pragma unroll
        for (u32 row = 0; row < 4u; row++) {
            const aw_work<T> minor = aw_minor_of4(e.at, row, c);
            aw_entry(r, c, row) = T(((c + row) % 2u == 0u ? minor : -minor) / d);
        }
    }
    return r;
}

// Column c belongs to component c of the second vector.
template <class T, class A, u32 C> aw_fn mat<T, C, sizeof(A) / sizeof(T)> aw_outer(const A& a, const T (&b)[C]) {
    mat<T, C, sizeof(A) / sizeof(T)> r;
#pragma unroll
    for (u32 c = 0; c < C; c++) r.columns[c] = a * b[c];
    return r;
}
#define aw_outer_products(vec) \
    template <class T> aw_fn auto aw_outerProduct(vec<T> a, vec2<T> b) { return aw_outer<T>(a, {b.x, b.y}); } \
    template <class T> aw_fn auto aw_outerProduct(vec<T> a, vec3<T> b) { return aw_outer<T>(a, {b.x, b.y, b.z}); } \
    template <class T> aw_fn auto aw_outerProduct(vec<T> a, vec4<T> b) { return aw_outer<T>(a, {b.x, b.y, b.z, b.w}); }
aw_outer_products(vec2)
aw_outer_products(vec3)
aw_outer_products(vec4)
#undef aw_outer_products
