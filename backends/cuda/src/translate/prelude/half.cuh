// f16. Sums and products have no rounding modifier, so that the compiler may fuse them.
#define aw_has_half
struct f16 {
    u16 bits;
    f16() = default;
    explicit aw_fn f16(f32 value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    explicit aw_fn f16(f64 value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value)); }
    explicit aw_fn operator f32() const {
        f32 value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
    explicit aw_fn operator f64() const { return f64(f32(*this)); }
};
static_assert(sizeof(f16) == 2, "f16");
template <> struct aw_work_of<f16> { typedef f32 type; };

aw_fn f16 operator+(f16 a, f16 b) {
    f16 r;
    asm("add.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
}
aw_fn f16 operator-(f16 a, f16 b) {
    f16 r;
    asm("sub.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
}
aw_fn f16 operator*(f16 a, f16 b) {
    f16 r;
    asm("mul.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
}
// Rounded to f32 first, which changes nothing: f32 has more than twice the precision.
aw_fn f16 operator/(f16 a, f16 b) { return f16(f32(a) / f32(b)); }
aw_fn f16 operator-(f16 a) { return aw_bitcast<f16>(u16(a.bits ^ 0x8000u)); }
aw_fn bool operator==(f16 a, f16 b) { return f32(a) == f32(b); }
aw_fn bool operator!=(f16 a, f16 b) { return f32(a) != f32(b); }
aw_fn bool operator<(f16 a, f16 b) { return f32(a) < f32(b); }
aw_fn bool operator<=(f16 a, f16 b) { return f32(a) <= f32(b); }
aw_fn bool operator>(f16 a, f16 b) { return f32(a) > f32(b); }
aw_fn bool operator>=(f16 a, f16 b) { return f32(a) >= f32(b); }
