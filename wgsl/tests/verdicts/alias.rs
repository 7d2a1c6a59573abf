//! Functions that receive or use two names for the same memory.

use super::kernel::Kernel;

/// Functions, and statements that call them. `FN` stands for a pointer to a variable of a function, `OWN` for a pointer
/// to a private variable of the module.
const CASES: &[(&str, &str)] = &[
    ("fn g(a: FN, b: FN) { *a = *b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) -> u32 { return *a + *b; }", "var a=1u; let r = g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = *b; }", "var a=1u; var b=1u; g(&a,&b);"),
    ("fn g(a: FN, b: FN) { *a = *b; }", "var a=array<u32,4>(); g(&a[0],&a[1]);"),
    ("fn g(a: FN, b: FN) { *a = *b; }", "var a=array<u32,4>(); let q=&a[0]; let w=&a[1]; g(q,w);"),
    ("fn g(a: FN, b: FN) { *a = 1u; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = 1u; _ = b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = 1u; let c = b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = 1u; _ = *b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = 1u; let c = &*b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a += 1u; *b += 1u; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = 1u; *b = 1u; }", "var a=1u; g(&a,&a);"),
    ("fn h(b: FN) { *b = 1u; } fn g(a: FN, b: FN) { h(a); let c=*b; }", "var a=1u; g(&a,&a);"),
    ("fn h(b: FN) -> u32 { return *b; } fn g(a: FN, b: FN) { *a=1u; let c=h(b); }", "var a=1u; g(&a,&a);"),
    ("fn h(b: FN) { } fn g(a: FN, b: FN) { *a=1u; h(b); }", "var a=1u; g(&a,&a);"),
    ("fn h(b: FN) { } fn g(a: FN, b: FN) { h(a); h(b); }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = *b; } fn h(a: FN, b: FN) { g(a,b); }", "var a=1u; h(&a,&a);"),
    ("fn g(a: FN, b: FN) { *a = *b; } fn h(a: FN) { g(a,a); }", "var a=1u; h(&a);"),
    ("fn g(a: FN, b: FN) { *a = *b; } fn h(a: FN) { g(a,a); }", ""),
    ("fn g(a: FN, b: FN) -> u32 { return *a + *b; } fn h(a: FN) { let r = g(a,a); }", "var a=1u; h(&a);"),
    ("fn g(a: ptr<function,array<u32,4>>, b: FN) { (*a)[0] = *b; }", "var a=array<u32,4>(); g(&a,&a[1]);"),
    ("fn g(a: ptr<function,Pair>, b: FN) { *b = (*a).a; }", "var a=Pair(); g(&a,&a.b);"),
    ("fn g(a: ptr<function,Pair>, b: FN) { *b = a.a; }", "var a=Pair(); g(&a,&a.b);"),
    ("fn g(a: OWN) { *a = 1u; }", "g(&own);"),
    ("fn g(a: OWN) { *a = own; }", "g(&own);"),
    ("fn g(a: OWN) -> u32 { return *a + own; }", "let r=g(&own);"),
    ("fn g(a: OWN) { own = *a; }", "g(&own);"),
    ("fn g(a: OWN) { own = 1u; }", "g(&own);"),
    ("fn g(a: OWN) { own = 1u; *a = 1u; }", "g(&own);"),
    ("fn h() { own = 1u; } fn g(a: OWN) { let b = *a; h(); }", "g(&own);"),
    ("fn h() -> u32 { return own; } fn g(a: OWN) { *a = h(); }", "g(&own);"),
    ("fn h() -> u32 { return own; } fn g(a: OWN) { let b = *a + h(); }", "g(&own);"),
    ("fn h(a: OWN) { *a = 1u; } fn g(a: OWN) { let b = *a; h(&own); }", "g(&own);"),
    ("fn h(a: OWN) -> u32 { return *a; } fn g(a: OWN) { *a = h(&own); }", "g(&own);"),
    ("fn g(a: OWN, b: OWN) { *a = *b; }", "g(&own,&own);"),
    ("fn h(a: OWN) { *a = own; } fn g(a: OWN) { h(a); }", "g(&own);"),
    ("fn h(a: OWN) { *a = own; } fn g(a: OWN) { h(a); }", ""),
    ("fn g(a: OWN) { *a = 1u; if false { own = 1u; } }", "g(&own);"),
    ("fn g(a: OWN) { *a = 1u; let q = &own; }", "g(&own);"),
    ("fn g(a: OWN) { let q = &own; *q = *a; }", "g(&own);"),
    ("fn g(a: OWN) { let q = a; *q = own; }", "g(&own);"),
    ("fn g(a: OWN) { let q = a; } ", "g(&own); own = 1u;"),
    ("fn g(a: ptr<workgroup,u32>) { *a = flag; }", "g(&flag);"),
    ("fn g(a: ptr<workgroup,u32>) { *a = tile[0]; }", "g(&tile[1]);"),
    ("fn g(a: ptr<workgroup,u32>, b: ptr<workgroup,u32>) { *a = *b; }", "g(&tile[1],&tile[2]);"),
    ("fn g(a: ptr<workgroup,u32>, b: ptr<workgroup,u32>) { *a = *b; }", "g(&tile[1],&flag);"),
    ("fn g(a: ptr<workgroup,atomic<u32>>) { atomicAdd(a, 1u); }", "g(&ticket);"),
    ("fn g(a: ptr<workgroup,atomic<u32>>) { atomicAdd(a, 1u); atomicAdd(&ticket,1u); }", "g(&ticket);"),
    ("fn g(a: ptr<workgroup,atomic<u32>>) { let q=atomicLoad(a) + atomicLoad(&ticket); }", "g(&ticket);"),
    (
        "fn g(a: ptr<workgroup,atomic<u32>>, b: ptr<workgroup,atomic<u32>>) { atomicAdd(a, 1u); atomicAdd(b,1u); }",
        "g(&ticket,&ticket);",
    ),
    (
        "fn g(a: ptr<workgroup,atomic<u32>>, b: ptr<workgroup,atomic<u32>>) { atomicStore(a, 1u); let q=atomicLoad(b); }",
        "g(&ticket,&ticket);",
    ),
    ("fn g(a: ptr<storage,array<u32>,read_write>) { (*a)[0] = data[1]; }", "g(&data);"),
    ("fn g(a: ptr<storage,array<u32>,read_write>) { (*a)[0] = input[1]; }", "g(&data);"),
    ("fn g(a: ptr<storage,array<u32>,read_write>) { let q = (*a)[0]; data[1] = 1u; }", "g(&data);"),
    ("fn g(a: ptr<storage,array<u32>,read_write>) { let q = arrayLength(a); data[1] = 1u; }", "g(&data);"),
    ("fn g(a: ptr<storage,array<u32>,read_write>) { (*a)[0] = arrayLength(&data); }", "g(&data);"),
    ("fn g(a: ptr<storage,u32,read_write>) { *a = data[1]; }", "g(&data[0]);"),
    (
        "fn g(a: ptr<storage,array<u32>,read_write>,b: ptr<storage,array<u32>,read_write>) { (*a)[0] = arrayLength(b); }",
        "g(&data,&data);",
    ),
    ("fn g(a: ptr<workgroup,u32>) { let q = workgroupUniformLoad(a); flag = 1u; }", "g(&flag);"),
    ("fn g(a: ptr<workgroup,u32>) { let q = workgroupUniformLoad(&flag); *a = 1u; }", "g(&flag);"),
    (
        "fn g(a: ptr<function,vec4<u32>>, b: ptr<function,vec4<u32>>) { (*a).x = (*b).y; }",
        "var a=vec4<u32>(); g(&a,&a);",
    ),
    (
        "fn g(a: ptr<function,vec4<u32>>, b: ptr<function,vec4<u32>>) { (*a)[1] = 1u; let c = (*b)[0]; }",
        "var a=vec4<u32>(); g(&a,&a);",
    ),
    ("fn g(a: FN, b: FN) { (*a)++; let c = *b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: u32) { *a = b; }", "var a=1u; g(&a,a);"),
    ("fn g(a: FN, b: FN) { if *b > 1u { *a = 1u; } }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN, b: FN) { return; *a = *b; }", "var a=1u; g(&a,&a);"),
    ("fn g(a: FN) { *a = size; }", "var a=1u; g(&a);"),
    ("fn g(a: OWN, b: OWN) { *a = 1u; } fn h(a: OWN) { g(a, &own); }", "h(&own);"),
    ("fn g(a: OWN, b: OWN) { *a = *b; } fn h(a: OWN) { g(a, &own); }", "h(&own);"),
    ("fn g(a: OWN, b: OWN) { *a = *b; } fn h(a: OWN) { g(a, &own); }", ""),
];

pub(crate) fn kernels() -> Vec<Kernel> {
    let kernel = |(functions, body): &(&str, &str)| {
        let functions = functions.replace("FN", "ptr<function, u32>").replace("OWN", "ptr<private, u32>");
        Kernel::of_functions(format!("alias/{functions} | {body}"), &functions, body)
    };
    CASES.iter().map(kernel).collect()
}
