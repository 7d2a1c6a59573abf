// Vectors of f16, two components per instruction.
#define aw_pairwise(op, instruction) \
    aw_fn vec2<f16> operator op(vec2<f16> a, vec2<f16> b) { \
        u32 r; \
        asm(instruction " %0, %1, %2;" : "=r"(r) : "r"(aw_bitcast<u32>(a)), "r"(aw_bitcast<u32>(b))); \
        return aw_bitcast<vec2<f16>>(r); \
    } \
    aw_fn vec4<f16> operator op(vec4<f16> a, vec4<f16> b) { \
        const vec2<f16> low = vec2<f16>{a.x, a.y} op vec2<f16>{b.x, b.y}; \
        const vec2<f16> high = vec2<f16>{a.z, a.w} op vec2<f16>{b.z, b.w}; \
        return {low.x, low.y, high.x, high.y}; \
    } \
    aw_fn vec2<f16> operator op(vec2<f16> a, f16 b) { return a op vec2<f16>{b, b}; } \
    aw_fn vec4<f16> operator op(vec4<f16> a, f16 b) { return a op vec4<f16>{b, b, b, b}; } \
    aw_fn vec2<f16> operator op(f16 a, vec2<f16> b) { return vec2<f16>{a, a} op b; } \
    aw_fn vec4<f16> operator op(f16 a, vec4<f16> b) { return vec4<f16>{a, a, a, a} op b; }
aw_pairwise(+, "add.f16x2")
aw_pairwise(-, "sub.f16x2")
aw_pairwise(*, "mul.f16x2")
#undef aw_pairwise
// Loads and stores vectors of f16 in words of 32 or 64 bits.
aw_fn vec2<f16> aw_fetch(const vec2<f16>& at) { return aw_bitcast<vec2<f16>>(reinterpret_cast<const u32&>(at)); }
aw_fn vec4<f16> aw_fetch(const vec4<f16>& at) { return aw_bitcast<vec4<f16>>(reinterpret_cast<const u64&>(at)); }
aw_fn void aw_put(vec2<f16>& at, vec2<f16> value) { reinterpret_cast<u32&>(at) = aw_bitcast<u32>(value); }
aw_fn void aw_put(vec4<f16>& at, vec4<f16> value) { reinterpret_cast<u64&>(at) = aw_bitcast<u64>(value); }
