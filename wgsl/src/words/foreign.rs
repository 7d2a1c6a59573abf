//! Names of other languages, with their WGSL equivalents.

/// The remedy for a name of GLSL, HLSL, CUDA, C or Rust.
pub(super) fn remedy(name: &str) -> Option<String> {
    if let Some((_, remedy)) = NAMES.iter().find(|(foreign, _)| *foreign == name) {
        return Some((*remedy).to_owned());
    }
    vector(name).map(|ty| format!("write `{ty}`"))
}

/// The WGSL name of a vector or matrix of another language.
fn vector(name: &str) -> Option<String> {
    const SCALARS: &[(&str, &str)] = &[
        ("float", "f32"),
        ("half", "f16"),
        ("int", "i32"),
        ("uint", "u32"),
        ("bool", "bool"),
        ("double", "f64"),
        ("ivec", "i32"),
        ("uvec", "u32"),
        ("bvec", "bool"),
        ("dvec", "f64"),
    ];
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    let size = &name[prefix.len()..];
    let (_, scalar) = SCALARS.iter().find(|(foreign, _)| *foreign == prefix)?;
    match size.as_bytes() {
        [size @ b'2'..=b'4'] => Some(format!("vec{}<{scalar}>", char::from(*size))),
        // HLSL names the rows first, WGSL the columns.
        [rows @ b'2'..=b'4', b'x', columns @ b'2'..=b'4'] => {
            Some(format!("mat{}x{}<{scalar}>", char::from(*columns), char::from(*rows)))
        }
        _ => None,
    }
}

/// The WGSL scalar of a C, GLSL or Rust type; empty for `auto`.
pub(super) fn scalar(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" => "f32",
        "double" => "f64",
        "half" => "f16",
        "int" | "int32_t" => "i32",
        "uint" | "unsigned" | "uint32_t" | "size_t" | "usize" => "u32",
        "auto" => "",
        _ => return None,
    })
}

const NAMES: &[(&str, &str)] = &[
    // Types.
    ("float", "write `f32`"),
    ("double", "write `f64`, which few devices support, or `f32`"),
    ("half", "write `f16`, with `enable f16;` at the beginning of the text"),
    ("int", "write `i32`"),
    ("uint", "write `u32`"),
    ("unsigned", "write `u32`"),
    ("size_t", "write `u32`"),
    ("usize", "write `u32`, the largest index type"),
    ("isize", "write `i32`"),
    ("u8", "write `u32`, which holds four bytes: see `unpack4xU8`"),
    ("i8", "write `i32`: a `u32` holds four bytes, see `unpack4xI8`"),
    ("u16", "write `u32`, which holds two 16-bit values, and use shifts and masks"),
    ("i16", "write `i32`, which holds two 16-bit values, and use shifts and masks"),
    ("char", "write `u32`: it holds four bytes"),
    ("mat2", "write `mat2x2<f32>`"),
    ("mat3", "write `mat3x3<f32>`"),
    ("mat4", "write `mat4x4<f32>`"),
    ("Vec", "use `array<f32>` for a buffer, and an array of a fixed length for a variable, as `array<f32, 64>`"),
    // Functions of HLSL, GLSL and C.
    ("lerp", "write `mix(a, b, t)`"),
    ("frac", "write `fract(x)`"),
    ("rsqrt", "write `inverseSqrt(x)`"),
    ("inversesqrt", "write `inverseSqrt(x)`"),
    ("fmod", "write `a % b`"),
    ("mod", "write `a % b`, whose sign is that of `a`; GLSL's `mod` is `a - b * floor(a / b)`"),
    ("rcp", "write `1.0 / x`"),
    ("mad", "write `fma(a, b, c)`"),
    ("mul", "write `a * b`"),
    ("fabs", "write `abs(x)`"),
    ("fmin", "write `min(a, b)`"),
    ("fmax", "write `max(a, b)`"),
    ("sqrtf", "write `sqrt(x)`"),
    ("powf", "write `pow(x, y)`"),
    ("expf", "write `exp(x)`"),
    ("fabsf", "write `abs(x)`"),
    ("log10", "write `log2(x) * 0.30103`"),
    ("ln", "write `log(x)`"),
    ("cbrt", "write `pow(x, 1.0 / 3.0)`, for numbers that are not negative"),
    (
        "isnan",
        "write `x != x`, which a compiler may treat as false: WGSL implementations may assume that there are no NaNs",
    ),
    ("isinf", "compare with the largest number: WGSL implementations may assume that there are no infinities"),
    ("ddx", "compute kernels have no derivatives: use the difference of two values"),
    ("ddy", "compute kernels have no derivatives: use the difference of two values"),
    ("asuint", "write `bitcast<u32>(x)`"),
    ("asint", "write `bitcast<i32>(x)`"),
    ("asfloat", "write `bitcast<f32>(x)`"),
    ("floatBitsToUint", "write `bitcast<u32>(x)`"),
    ("floatBitsToInt", "write `bitcast<i32>(x)`"),
    ("uintBitsToFloat", "write `bitcast<f32>(x)`"),
    ("intBitsToFloat", "write `bitcast<f32>(x)`"),
    ("bitCount", "write `countOneBits(x)`"),
    ("countbits", "write `countOneBits(x)`"),
    ("popcount", "write `countOneBits(x)`"),
    ("findLSB", "write `firstTrailingBit(x)`"),
    ("findMSB", "write `firstLeadingBit(x)`"),
    ("firstbitlow", "write `firstTrailingBit(x)`"),
    ("firstbithigh", "write `firstLeadingBit(x)`"),
    ("bitfieldExtract", "write `extractBits(x, offset, count)`"),
    ("bitfieldInsert", "write `insertBits(x, new, offset, count)`"),
    ("lessThan", "write `a < b`, which compares component by component"),
    ("equal", "write `a == b`, which compares component by component"),
    ("sizeof", "WGSL has no size of a type: `arrayLength(&x)` is the number of elements of a buffer"),
    ("len", "write `arrayLength(&x)`"),
    ("length_of", "write `arrayLength(&x)`"),
    ("swap", "write `let t = a; a = b; b = t;`"),
    ("discard", "leave the kernel with `return`"),
    ("printf", "mark a function as `// anywarp:debug`: its calls print their arguments"),
    ("println", "mark a function as `// anywarp:debug`: its calls print their arguments"),
    ("print", "declare it with the mark `// anywarp:debug`: its calls then print their arguments"),
    ("assert", "use `const_assert` for constants; at run time, write a failure to a buffer"),
    // Barriers and atomics.
    ("barrier", "write `workgroupBarrier()`, or `storageBarrier()` for buffers"),
    ("memoryBarrierShared", "write `workgroupBarrier()`, at which all invocations wait"),
    ("memoryBarrier", "write `storageBarrier()`"),
    ("memoryBarrierBuffer", "write `storageBarrier()`"),
    ("groupMemoryBarrier", "write `workgroupBarrier()`"),
    ("GroupMemoryBarrierWithGroupSync", "write `workgroupBarrier()`"),
    ("AllMemoryBarrierWithGroupSync", "write `workgroupBarrier(); storageBarrier();`"),
    ("__syncthreads", "write `workgroupBarrier()`"),
    ("threadgroup_barrier", "write `workgroupBarrier()`"),
    ("__syncwarp", "write `subgroupBarrier()`, or `workgroupBarrier()`"),
    ("InterlockedAdd", "write `atomicAdd(&x, value)`, which returns the old value"),
    ("InterlockedMin", "write `atomicMin(&x, value)`"),
    ("InterlockedMax", "write `atomicMax(&x, value)`"),
    ("InterlockedAnd", "write `atomicAnd(&x, value)`"),
    ("InterlockedOr", "write `atomicOr(&x, value)`"),
    ("InterlockedXor", "write `atomicXor(&x, value)`"),
    ("InterlockedExchange", "write `atomicExchange(&x, value)`"),
    ("InterlockedCompareExchange", "write `atomicCompareExchangeWeak(&x, expected, value)`"),
    ("atomicInc", "write `atomicAdd(&x, 1u)`"),
    ("atomicDec", "write `atomicSub(&x, 1u)`"),
    ("atomicIncrement", "write `atomicAdd(&x, 1u)`"),
    ("atomicCompSwap", "write `atomicCompareExchangeWeak(&x, expected, value)`"),
    ("atomicCAS", "write `atomicCompareExchangeWeak(&x, expected, value)`"),
    ("atomicExch", "write `atomicExchange(&x, value)`"),
    ("atomic_add", "write `atomicAdd(&x, value)`"),
    // Identity of the invocation.
    ("gl_GlobalInvocationID", "take a parameter of the entry point: `@builtin(global_invocation_id) id: vec3<u32>`"),
    ("gl_LocalInvocationID", "take a parameter of the entry point: `@builtin(local_invocation_id) id: vec3<u32>`"),
    ("gl_LocalInvocationIndex", "take a parameter of the entry point: `@builtin(local_invocation_index) index: u32`"),
    ("gl_WorkGroupID", "take a parameter of the entry point: `@builtin(workgroup_id) group: vec3<u32>`"),
    ("gl_NumWorkGroups", "take a parameter of the entry point: `@builtin(num_workgroups) groups: vec3<u32>`"),
    ("gl_WorkGroupSize", "declare the size as a `const`, and use it in @workgroup_size(..) as well"),
    (
        "global_invocation_id",
        "take it as a parameter of the entry point: `@builtin(global_invocation_id) id: vec3<u32>`",
    ),
    ("local_invocation_id", "take it as a parameter of the entry point: `@builtin(local_invocation_id) id: vec3<u32>`"),
    ("workgroup_id", "take it as a parameter of the entry point: `@builtin(workgroup_id) group: vec3<u32>`"),
    ("workgroup_size", "declare the size as a `const`, and use it in @workgroup_size(..) as well"),
    ("threadIdx", "take a parameter of the entry point: `@builtin(local_invocation_id) id: vec3<u32>`"),
    ("blockIdx", "take a parameter of the entry point: `@builtin(workgroup_id) group: vec3<u32>`"),
    ("gridDim", "take a parameter of the entry point: `@builtin(num_workgroups) groups: vec3<u32>`"),
    ("blockDim", "declare the size as a `const`, and use it in @workgroup_size(..) as well"),
    ("get_global_id", "take a parameter of the entry point: `@builtin(global_invocation_id) id: vec3<u32>`"),
    ("SV_DispatchThreadID", "take a parameter of the entry point: `@builtin(global_invocation_id) id: vec3<u32>`"),
    // Values.
    ("null", "WGSL has no null pointers: reserve an index for none, or use a `bool`"),
    ("NULL", "WGSL has no null pointers: reserve an index for none, or use a `bool`"),
    ("M_PI", "write `3.14159265`, or declare a `const`"),
    ("PI", "declare it: `const PI = 3.14159265;`"),
    ("FLT_MAX", "write `3.40282347e38`"),
    ("INFINITY", "write `3.40282347e38`: WGSL has no literal for infinity"),
    ("NAN", "WGSL has no literal for NaN: reserve a value for none"),
    ("UINT_MAX", "write `0xffffffffu`"),
    ("self", "structs have no methods: declare a function with a parameter"),
    ("this", "structs have no methods: declare a function with a parameter"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_functions_of_other_languages_are_translated() {
        let table = [
            ("float4", Some("write `vec4<f32>`")),
            ("ivec3", Some("write `vec3<i32>`")),
            ("uint2", Some("write `vec2<u32>`")),
            ("float3x2", Some("write `mat2x3<f32>`")),
            ("float5", None),
            ("lerp", Some("write `mix(a, b, t)`")),
            ("vec4", None),
            ("anything", None),
        ];
        for (name, expected) in table {
            assert_eq!(remedy(name).as_deref(), expected, "{name}");
        }
    }
}
