// Discrete Fourier transforms of a few numbers. They pass numbers by value, so that compilers keep them in registers.
//
// Prime lengths pair the inputs r and p - r: their sum has a real factor in each result, their difference an imaginary
// one.
import package::shared::complex::{Complex, Real, turned};

fn transform_2(v0: Complex, v1: Complex) -> array<Complex, 2> {
    let a = v0;
    let b = v1;
    return array(a + b, a - b);
}

struct Four {
    a: Complex,
    b: Complex,
    c: Complex,
    d: Complex,
}

fn four(a: Complex, b: Complex, c: Complex, d: Complex) -> Four {
    let even = a + c;
    let odd = b + d;
    let difference = a - c;
    let side = turned(b - d);
    return Four(even + odd, difference + side, even - odd, difference - side);
}

fn transform_4(v0: Complex, v1: Complex, v2: Complex, v3: Complex) -> array<Complex, 4> {
    let result = four(v0, v1, v2, v3);
    return array(result.a, result.b, result.c, result.d);
}

const half_root = 0.70710678118654752440;

// The products with the first and third power of the eighth root of 1.
fn by_eighth(a: Complex) -> Complex {
    return Complex(a.x + a.y, a.y - a.x) * Real(half_root);
}

fn by_three_eighths(a: Complex) -> Complex {
    return Complex(a.y - a.x, -a.x - a.y) * Real(half_root);
}

fn transform_8(
    v0: Complex, v1: Complex, v2: Complex, v3: Complex, v4: Complex, v5: Complex, v6: Complex, v7: Complex,
) -> array<Complex, 8> {
    let even = four(v0, v2, v4, v6);
    let odd = four(v1, v3, v5, v7);
    let b = by_eighth(odd.b);
    let c = turned(odd.c);
    let d = by_three_eighths(odd.d);
    return array(
        even.a + odd.a,
        even.b + b,
        even.c + c,
        even.d + d,
        even.a - odd.a,
        even.b - b,
        even.c - c,
        even.d - d,
    );
}

const cos_16 = 0.92387953251128675613;
const sin_16 = 0.38268343236508977173;

// The product with `cosine - i * sine`.
fn rotated(a: Complex, cosine: Real, sine: Real) -> Complex {
    return Complex(a.x * cosine + a.y * sine, a.y * cosine - a.x * sine);
}

fn transform_16(
    v0: Complex, v1: Complex, v2: Complex, v3: Complex, v4: Complex, v5: Complex, v6: Complex, v7: Complex,
    v8: Complex, v9: Complex, v10: Complex, v11: Complex, v12: Complex, v13: Complex, v14: Complex, v15: Complex,
) -> array<Complex, 16> {
    let first = four(v0, v4, v8, v12);
    let second = four(v1, v5, v9, v13);
    let third = four(v2, v6, v10, v14);
    let fourth = four(v3, v7, v11, v15);
    let a = four(first.a, second.a, third.a, fourth.a);
    let b = four(
        first.b,
        rotated(second.b, Real(cos_16), Real(sin_16)),
        by_eighth(third.b),
        rotated(fourth.b, Real(sin_16), Real(cos_16)),
    );
    let c = four(first.c, by_eighth(second.c), turned(third.c), by_three_eighths(fourth.c));
    let d = four(
        first.d,
        rotated(second.d, Real(sin_16), Real(cos_16)),
        by_three_eighths(third.d),
        rotated(fourth.d, Real(-cos_16), Real(-sin_16)),
    );
    return array(a.a, b.a, c.a, d.a, a.b, b.b, c.b, d.b, a.c, b.c, c.c, d.c, a.d, b.d, c.d, d.d);
}


const cos_3_1 = -0.499999999999999778;
const sin_3_1 = 0.866025403784438708;

fn transform_3(v0: Complex, v1: Complex, v2: Complex) -> array<Complex, 3> {
    let first = v0;
    let sum_1 = v1 + v2;
    let side_1 = turned(v1 - v2);
    let even_1 = first + sum_1 * Real(cos_3_1);
    let odd_1 = side_1 * Real(sin_3_1);
    return array(first + sum_1, even_1 + odd_1, even_1 - odd_1);
}

const cos_5_1 = 0.309016994374947451;
const sin_5_1 = 0.951056516295153531;
const cos_5_2 = -0.809016994374947340;
const sin_5_2 = 0.587785252292473248;

fn transform_5(v0: Complex, v1: Complex, v2: Complex, v3: Complex, v4: Complex) -> array<Complex, 5> {
    let first = v0;
    let sum_1 = v1 + v4;
    let side_1 = turned(v1 - v4);
    let sum_2 = v2 + v3;
    let side_2 = turned(v2 - v3);
    let even_1 = first + sum_1 * Real(cos_5_1) + sum_2 * Real(cos_5_2);
    let odd_1 = side_1 * Real(sin_5_1) + side_2 * Real(sin_5_2);
    let even_2 = first + sum_1 * Real(cos_5_2) + sum_2 * Real(cos_5_1);
    let odd_2 = side_1 * Real(sin_5_2) - side_2 * Real(sin_5_1);
    return array(first + sum_1 + sum_2, even_1 + odd_1, even_2 + odd_2, even_2 - odd_2, even_1 - odd_1);
}

const cos_7_1 = 0.623489801858733594;
const sin_7_1 = 0.781831482468029804;
const cos_7_2 = -0.222520933956314337;
const sin_7_2 = 0.974927912181823619;
const cos_7_3 = -0.900968867902419035;
const sin_7_3 = 0.433883739117558231;

fn transform_7(
    v0: Complex, v1: Complex, v2: Complex, v3: Complex, v4: Complex, v5: Complex, v6: Complex,
) -> array<Complex, 7> {
    let first = v0;
    let sum_1 = v1 + v6;
    let side_1 = turned(v1 - v6);
    let sum_2 = v2 + v5;
    let side_2 = turned(v2 - v5);
    let sum_3 = v3 + v4;
    let side_3 = turned(v3 - v4);
    let even_1 = first + sum_1 * Real(cos_7_1) + sum_2 * Real(cos_7_2) + sum_3 * Real(cos_7_3);
    let odd_1 = side_1 * Real(sin_7_1) + side_2 * Real(sin_7_2) + side_3 * Real(sin_7_3);
    let even_2 = first + sum_1 * Real(cos_7_2) + sum_2 * Real(cos_7_3) + sum_3 * Real(cos_7_1);
    let odd_2 = side_1 * Real(sin_7_2) - side_2 * Real(sin_7_3) - side_3 * Real(sin_7_1);
    let even_3 = first + sum_1 * Real(cos_7_3) + sum_2 * Real(cos_7_1) + sum_3 * Real(cos_7_2);
    let odd_3 = side_1 * Real(sin_7_3) - side_2 * Real(sin_7_1) + side_3 * Real(sin_7_2);
    return array(
        first + sum_1 + sum_2 + sum_3,
        even_1 + odd_1,
        even_2 + odd_2,
        even_3 + odd_3,
        even_3 - odd_3,
        even_2 - odd_2,
        even_1 - odd_1,
    );
}

const cos_11_1 = 0.841253532831181206;
const sin_11_1 = 0.540640817455597555;
const cos_11_2 = 0.415415013001886435;
const sin_11_2 = 0.909631995354518330;
const cos_11_3 = -0.142314838273285005;
const sin_11_3 = 0.989821441880932795;
const cos_11_4 = -0.654860733945284990;
const sin_11_4 = 0.755749574354258269;
const cos_11_5 = -0.959492973614497369;
const sin_11_5 = 0.281732556841429671;

fn transform_11(
    v0: Complex, v1: Complex, v2: Complex, v3: Complex, v4: Complex, v5: Complex, v6: Complex, v7: Complex,
    v8: Complex, v9: Complex, v10: Complex,
) -> array<Complex, 11> {
    let first = v0;
    let sum_1 = v1 + v10;
    let side_1 = turned(v1 - v10);
    let sum_2 = v2 + v9;
    let side_2 = turned(v2 - v9);
    let sum_3 = v3 + v8;
    let side_3 = turned(v3 - v8);
    let sum_4 = v4 + v7;
    let side_4 = turned(v4 - v7);
    let sum_5 = v5 + v6;
    let side_5 = turned(v5 - v6);
    let even_1 = first + sum_1 * Real(cos_11_1) + sum_2 * Real(cos_11_2) + sum_3 * Real(cos_11_3)
        + sum_4 * Real(cos_11_4) + sum_5 * Real(cos_11_5);
    let odd_1 = side_1 * Real(sin_11_1) + side_2 * Real(sin_11_2) + side_3 * Real(sin_11_3) + side_4 * Real(sin_11_4)
        + side_5 * Real(sin_11_5);
    let even_2 = first + sum_1 * Real(cos_11_2) + sum_2 * Real(cos_11_4) + sum_3 * Real(cos_11_5)
        + sum_4 * Real(cos_11_3) + sum_5 * Real(cos_11_1);
    let odd_2 = side_1 * Real(sin_11_2) + side_2 * Real(sin_11_4) - side_3 * Real(sin_11_5) - side_4 * Real(sin_11_3)
        - side_5 * Real(sin_11_1);
    let even_3 = first + sum_1 * Real(cos_11_3) + sum_2 * Real(cos_11_5) + sum_3 * Real(cos_11_2)
        + sum_4 * Real(cos_11_1) + sum_5 * Real(cos_11_4);
    let odd_3 = side_1 * Real(sin_11_3) - side_2 * Real(sin_11_5) - side_3 * Real(sin_11_2) + side_4 * Real(sin_11_1)
        + side_5 * Real(sin_11_4);
    let even_4 = first + sum_1 * Real(cos_11_4) + sum_2 * Real(cos_11_3) + sum_3 * Real(cos_11_1)
        + sum_4 * Real(cos_11_5) + sum_5 * Real(cos_11_2);
    let odd_4 = side_1 * Real(sin_11_4) - side_2 * Real(sin_11_3) + side_3 * Real(sin_11_1) + side_4 * Real(sin_11_5)
        - side_5 * Real(sin_11_2);
    let even_5 = first + sum_1 * Real(cos_11_5) + sum_2 * Real(cos_11_1) + sum_3 * Real(cos_11_4)
        + sum_4 * Real(cos_11_2) + sum_5 * Real(cos_11_3);
    let odd_5 = side_1 * Real(sin_11_5) - side_2 * Real(sin_11_1) + side_3 * Real(sin_11_4) - side_4 * Real(sin_11_2)
        + side_5 * Real(sin_11_3);
    return array(
        first + sum_1 + sum_2 + sum_3 + sum_4 + sum_5,
        even_1 + odd_1,
        even_2 + odd_2,
        even_3 + odd_3,
        even_4 + odd_4,
        even_5 + odd_5,
        even_5 - odd_5,
        even_4 - odd_4,
        even_3 - odd_3,
        even_2 - odd_2,
        even_1 - odd_1,
    );
}

const cos_13_1 = 0.885456025653209911;
const sin_13_1 = 0.464723172043768507;
const cos_13_2 = 0.568064746731155923;
const sin_13_2 = 0.822983865893656352;
const cos_13_3 = 0.120536680255323006;
const sin_13_3 = 0.992708874098053973;
const cos_13_4 = -0.354604887042535455;
const sin_13_4 = 0.935016242685414833;
const cos_13_5 = -0.748510748171101192;
const sin_13_5 = 0.663122658240795193;
const cos_13_6 = -0.970941817426052012;
const sin_13_6 = 0.239315664287557683;

fn transform_13(
    v0: Complex, v1: Complex, v2: Complex, v3: Complex, v4: Complex, v5: Complex, v6: Complex, v7: Complex,
    v8: Complex, v9: Complex, v10: Complex, v11: Complex, v12: Complex,
) -> array<Complex, 13> {
    let first = v0;
    let sum_1 = v1 + v12;
    let side_1 = turned(v1 - v12);
    let sum_2 = v2 + v11;
    let side_2 = turned(v2 - v11);
    let sum_3 = v3 + v10;
    let side_3 = turned(v3 - v10);
    let sum_4 = v4 + v9;
    let side_4 = turned(v4 - v9);
    let sum_5 = v5 + v8;
    let side_5 = turned(v5 - v8);
    let sum_6 = v6 + v7;
    let side_6 = turned(v6 - v7);
    let even_1 = first + sum_1 * Real(cos_13_1) + sum_2 * Real(cos_13_2) + sum_3 * Real(cos_13_3)
        + sum_4 * Real(cos_13_4) + sum_5 * Real(cos_13_5) + sum_6 * Real(cos_13_6);
    let odd_1 = side_1 * Real(sin_13_1) + side_2 * Real(sin_13_2) + side_3 * Real(sin_13_3) + side_4 * Real(sin_13_4)
        + side_5 * Real(sin_13_5) + side_6 * Real(sin_13_6);
    let even_2 = first + sum_1 * Real(cos_13_2) + sum_2 * Real(cos_13_4) + sum_3 * Real(cos_13_6)
        + sum_4 * Real(cos_13_5) + sum_5 * Real(cos_13_3) + sum_6 * Real(cos_13_1);
    let odd_2 = side_1 * Real(sin_13_2) + side_2 * Real(sin_13_4) + side_3 * Real(sin_13_6) - side_4 * Real(sin_13_5)
        - side_5 * Real(sin_13_3) - side_6 * Real(sin_13_1);
    let even_3 = first + sum_1 * Real(cos_13_3) + sum_2 * Real(cos_13_6) + sum_3 * Real(cos_13_4)
        + sum_4 * Real(cos_13_1) + sum_5 * Real(cos_13_2) + sum_6 * Real(cos_13_5);
    let odd_3 = side_1 * Real(sin_13_3) + side_2 * Real(sin_13_6) - side_3 * Real(sin_13_4) - side_4 * Real(sin_13_1)
        + side_5 * Real(sin_13_2) + side_6 * Real(sin_13_5);
    let even_4 = first + sum_1 * Real(cos_13_4) + sum_2 * Real(cos_13_5) + sum_3 * Real(cos_13_1)
        + sum_4 * Real(cos_13_3) + sum_5 * Real(cos_13_6) + sum_6 * Real(cos_13_2);
    let odd_4 = side_1 * Real(sin_13_4) - side_2 * Real(sin_13_5) - side_3 * Real(sin_13_1) + side_4 * Real(sin_13_3)
        - side_5 * Real(sin_13_6) - side_6 * Real(sin_13_2);
    let even_5 = first + sum_1 * Real(cos_13_5) + sum_2 * Real(cos_13_3) + sum_3 * Real(cos_13_2)
        + sum_4 * Real(cos_13_6) + sum_5 * Real(cos_13_1) + sum_6 * Real(cos_13_4);
    let odd_5 = side_1 * Real(sin_13_5) - side_2 * Real(sin_13_3) + side_3 * Real(sin_13_2) - side_4 * Real(sin_13_6)
        - side_5 * Real(sin_13_1) + side_6 * Real(sin_13_4);
    let even_6 = first + sum_1 * Real(cos_13_6) + sum_2 * Real(cos_13_1) + sum_3 * Real(cos_13_5)
        + sum_4 * Real(cos_13_2) + sum_5 * Real(cos_13_4) + sum_6 * Real(cos_13_3);
    let odd_6 = side_1 * Real(sin_13_6) - side_2 * Real(sin_13_1) + side_3 * Real(sin_13_5) - side_4 * Real(sin_13_2)
        + side_5 * Real(sin_13_4) - side_6 * Real(sin_13_3);
    return array(
        first + sum_1 + sum_2 + sum_3 + sum_4 + sum_5 + sum_6,
        even_1 + odd_1,
        even_2 + odd_2,
        even_3 + odd_3,
        even_4 + odd_4,
        even_5 + odd_5,
        even_6 + odd_6,
        even_6 - odd_6,
        even_5 - odd_5,
        even_4 - odd_4,
        even_3 - odd_3,
        even_2 - odd_2,
        even_1 - odd_1,
    );
}
