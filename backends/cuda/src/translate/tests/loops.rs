//! The loops that are limited.

use super::body;

fn is_limited(statements: &str) -> bool {
    body(&format!("let n = data[0]; let a = i32(n); {statements}")).text.contains("if (aw_spent(")
}

#[test]
fn loops_that_are_proven_to_end_have_no_limit() {
    for statements in [
        "for (var k = 0u; k < n; k++) { data[k] = k; }",
        "for (var k = 0; k < a; k++) { if data[k] == 3u { continue; } data[k] = 1u; }",
        "for (var k = a; k > 0; k--) { data[k] = 1u; }",
        "for (var k = 10; k >= 0; k--) { data[k] = 1u; }",
        "for (var k = 0u; k < 1024u; k += 16u) { data[k] = k; }",
        "for (var k = 0u; k <= 10u; k += 3u) { data[k] = k; }",
        "for (var k = 0u; k < n / 4u; k += 4u) { data[k] = k; }",
        "for (var k = 0u; k < n % 100u; k += 4u) { data[k] = k; }",
        "for (var k = 0u; k < arrayLength(&data); k++) { data[k] = k; }",
        "for (var k = 0u; k != n; k++) { data[k] = k; }",
        "for (var k = n; k > 0u; k >>= 1u) { data[k] = k; }",
        "for (var k = n; k > 0u; k /= 2u) { data[k] = k; }",
        "for (var k = 0u; n > k; k++) { data[k] = k; }",
        "var k = 0u; while k < n { data[k] = k; k++; }",
        "var k = 0u; loop { if k >= n { break; } data[k] = k; continuing { k++; } }",
        "var k = 0u; loop { data[k] = k; continuing { k++; break if k >= n; } }",
        "var m = n; for (var k = 0u; k < m; k++) { data[k] = m; }",
        "for (var k = 0u; k < n; k++) { for (var l = 0u; l < k; l++) { data[l] = k; } }",
        "for (var k = 0u; !(k >= n); k++) { data[k] = k; }",
        // The bound changes, but the counter cannot exceed its type's range.
        "for (var k = 0u; k < data[1]; k++) { data[k] = k; }",
        "var m = n; for (var k = 0u; k < m; k++) { m++; }",
        "for (var k = 0u; k < n + k; k++) { data[k] = k; }",
    ] {
        assert!(!is_limited(statements), "{statements}");
    }
}

#[test]
fn other_loops_have_one() {
    for statements in [
        "loop { data[0] += 1u; if data[1] > 3u { break; } }",
        "loop { data[0] += 1u; }",
        // The counter does not change, or is also set elsewhere.
        "for (var k = 0u; k < n; k += 0u) { data[k] = k; }",
        "for (var k = 0u; k < n; k++) { if data[k] == 3u { k = 0u; } }",
        "for (var k = 0u; k < n; k++) { let p = &k; *p = 0u; }",
        "for (var k = 0u; k < n; k++) { k--; }",
        // The counter moves away from the bound.
        "for (var k = 1u; k < n; k--) { data[k] = k; }",
        "for (var k = 10u; k >= 0u; k--) { data[k] = k; }",
        "for (var k = 1u; k < n; k *= 2u) { data[k] = k; }",
        // The counter may step over the bound and wrap around.
        "for (var k = 0u; k < n; k += 2u) { data[k] = k; }",
        "for (var k = 0u; k <= n; k++) { data[k] = k; }",
        "for (var k = 0u; k != n; k += 2u) { data[k] = k; }",
        "for (var k = 0u; k < n; k += data[1]) { data[k] = k; }",
        // An iteration may skip the step or the test.
        "var k = 0u; while k < n { if data[k] == 0u { continue; } k++; }",
        "var k = 0u; while k < n { if data[k] == 0u { k++; } }",
        "var k = 0u; loop { if data[1] == 0u { if k >= n { break; } } continuing { k++; } }",
        "var k = 0u; loop { if data[1] == 0u { continue; } if k >= n { break; } continuing { k++; } }",
        // A value from before the loop is not a step.
        "var k = 0u; let before = k; while k < n { k = before + 1u; }",
        "for (var k = 0.0; k < 4.0; k += 1.0) { data[0] = 1u; }",
    ] {
        assert!(is_limited(statements), "{statements}");
    }
}
