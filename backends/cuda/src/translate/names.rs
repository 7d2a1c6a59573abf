//! C++ identifiers for the names of the WGSL. Names are unchanged where C++ allows them.

use naga::{Constant, Function, GlobalVariable, Handle, LocalVariable, PredeclaredType, Type, TypeInner};
use rustc_hash::{FxHashMap, FxHashSet};

/// One function of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FunctionKey {
    /// The entry point.
    Entry,
    /// Another function.
    Function(Handle<Function>),
}

/// The names that are used within one function.
pub(super) type Scope = FxHashSet<String>;

/// The identifiers of a module. They are unique at file scope and within each function, and no name within a function
/// equals one at file scope.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The kernel's name.
    pub(super) entry: String,
    at_file_scope: Scope,
    types: FxHashMap<Handle<Type>, String>,
    members: FxHashMap<(Handle<Type>, u32), String>,
    globals: FxHashMap<Handle<GlobalVariable>, String>,
    constants: FxHashMap<Handle<Constant>, String>,
    functions: FxHashMap<Handle<Function>, String>,
    arguments: FxHashMap<(FunctionKey, u32), String>,
    locals: FxHashMap<(FunctionKey, Handle<LocalVariable>), String>,
    scopes: FxHashMap<FunctionKey, Scope>,
}

impl Names {
    /// Chooses identifiers for the types, variables, constants and functions of a module.
    pub(super) fn new(module: &naga::Module, entry: &naga::EntryPoint) -> Self {
        let mut names = Self {
            at_file_scope: [KEYWORDS, RESERVED]
                .iter()
                .flat_map(|words| words.split_whitespace())
                .map(str::to_owned)
                .collect(),
            ..Self::default()
        };
        names.entry = names.top(Some(&entry.name), "kernel");
        let predeclared: FxHashMap<_, _> =
            module.special_types.predeclared_types.iter().map(|(key, handle)| (*handle, key)).collect();
        for (handle, ty) in module.types.iter() {
            let TypeInner::Struct { members, .. } = &ty.inner else { continue };
            let of_prelude = predeclared.get(&handle);
            let mut scope = Scope::default();
            for (index, member) in members.iter().enumerate() {
                let known = of_prelude.and_then(|key| predeclared_member(key, index));
                let name = known.map_or_else(
                    || {
                        pick(member.name.as_deref().unwrap_or("member"), &mut scope, |name| {
                            KEYWORDS.split_whitespace().any(|word| word == name)
                        })
                    },
                    str::to_owned,
                );
                names.members.insert((handle, index as u32), name);
            }
            if of_prelude.is_none() {
                let name = names.top(ty.name.as_deref(), "Struct");
                names.types.insert(handle, name);
            }
        }
        for (handle, global) in module.global_variables.iter() {
            let name = names.top(global.name.as_deref(), "variable");
            // An unsized array has a second parameter with this name.
            names.at_file_scope.insert(format!("{name}_count"));
            names.globals.insert(handle, name);
        }
        for (handle, constant) in module.constants.iter() {
            let name = names.top(constant.name.as_deref(), "constant");
            names.constants.insert(handle, name);
        }
        for (handle, function) in module.functions.iter() {
            let name = names.top(function.name.as_deref(), "function");
            names.functions.insert(handle, name);
        }
        // Functions come last, because names within them must differ from those at file scope.
        names.within(FunctionKey::Entry, &entry.function);
        for (handle, function) in module.functions.iter() {
            names.within(FunctionKey::Function(handle), function);
        }
        names
    }

    fn within(&mut self, key: FunctionKey, function: &Function) {
        let mut scope = Scope::default();
        for (index, argument) in function.arguments.iter().enumerate() {
            let name = self.fresh(argument.name.as_deref().unwrap_or("argument"), &mut scope);
            // A pointer to an unsized array has a second argument with this name.
            scope.insert(format!("{name}_count"));
            self.arguments.insert((key, index as u32), name);
        }
        for (handle, local) in function.local_variables.iter() {
            let name = self.fresh(local.name.as_deref().unwrap_or("local"), &mut scope);
            self.locals.insert((key, handle), name);
        }
        self.scopes.insert(key, scope);
    }

    /// Returns the name of a struct that the WGSL declares.
    pub(super) fn ty(&self, handle: Handle<Type>) -> &str {
        self.types.get(&handle).map_or(MISSING, String::as_str)
    }

    /// Returns the name of a struct's member.
    pub(super) fn member(&self, ty: Handle<Type>, index: u32) -> &str {
        self.members.get(&(ty, index)).map_or(MISSING, String::as_str)
    }

    /// Returns the name of a variable of the module.
    pub(super) fn global(&self, handle: Handle<GlobalVariable>) -> &str {
        self.globals.get(&handle).map_or(MISSING, String::as_str)
    }

    /// Returns the name of a constant of the module.
    pub(super) fn constant(&self, handle: Handle<Constant>) -> &str {
        self.constants.get(&handle).map_or(MISSING, String::as_str)
    }

    /// Returns the name of a function other than the entry point.
    pub(super) fn function(&self, handle: Handle<Function>) -> &str {
        self.functions.get(&handle).map_or(MISSING, String::as_str)
    }

    /// Returns the name of a function's argument.
    pub(super) fn argument(&self, key: FunctionKey, index: u32) -> &str {
        self.arguments.get(&(key, index)).map_or(MISSING, String::as_str)
    }

    /// Returns the name of a function's variable.
    pub(super) fn local(&self, key: FunctionKey, handle: Handle<LocalVariable>) -> &str {
        self.locals.get(&(key, handle)).map_or(MISSING, String::as_str)
    }

    /// Returns the names of a function's arguments and variables, to which [`fresh`](Self::fresh) adds.
    pub(super) fn scope(&self, key: FunctionKey) -> Scope {
        self.scopes.get(&key).cloned().unwrap_or_default()
    }

    /// Returns a name for a value in a function, unique there and at file scope, and adds it to `scope`.
    pub(super) fn fresh(&self, base: &str, scope: &mut Scope) -> String {
        pick(base, scope, |name| self.at_file_scope.contains(name))
    }

    /// Returns a name at file scope, for example for a table of constants.
    pub(super) fn top(&mut self, base: Option<&str>, otherwise: &str) -> String {
        pick(base.unwrap_or(otherwise), &mut self.at_file_scope, |_| false)
    }
}

/// The name for handles that an invalid module lacks. It is declared nowhere, so the C++ compiler reports an error.
const MISSING: &str = "aw_missing";

/// Makes a name a unique identifier, different from those in `scope` and those for which `taken` returns true, and adds
/// the identifier to `scope`.
fn pick(base: &str, scope: &mut Scope, taken: impl Fn(&str) -> bool) -> String {
    let base = identifier(base);
    let mut name = base.clone();
    let mut number = 0_u32;
    while scope.contains(&name) || taken(&name) {
        number += 1;
        name = format!("{base}_{number}");
    }
    scope.insert(name.clone());
    name
}

/// Returns a valid identifier: letters, digits and single underscores. The prefix `aw_` is reserved for this backend.
fn identifier(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '_' if text.ends_with('_') => {}
            '_' | '0'..='9' | 'a'..='z' | 'A'..='Z' => text.push(character),
            other => text.push_str(&format!("u{:x}_", u32::from(other))),
        }
    }
    // C++ reserves names with an underscore followed by a capital; CUDA's own names begin with underscores too.
    if text.starts_with(|first: char| first == '_' || first.is_ascii_digit())
        || text.starts_with("aw_")
        || text.is_empty()
    {
        text.insert_str(0, "wgsl_");
        text = text.replace("__", "_");
    }
    text
}

/// Returns the name of a member of the prelude's result types.
fn predeclared_member(ty: &PredeclaredType, index: usize) -> Option<&'static str> {
    let members = match ty {
        PredeclaredType::AtomicCompareExchangeWeakResult(_) => ["old_value", "exchanged"],
        PredeclaredType::ModfResult { .. } => ["fract", "whole"],
        PredeclaredType::FrexpResult { .. } => ["fract", "exp"],
    };
    members.get(index).copied()
}

/// Names that are not allowed even for members: keywords of C++, and macros of the compiler.
const KEYWORDS: &str = "
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false final float for friend goto if import inline
    int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected
    public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using
    virtual void volatile wchar_t while xor xor_eq linux unix NULL INFINITY NAN HUGE_VAL assert signbit isnan isinf
    isfinite isnormal warpSize";

/// Names that are not allowed at file scope or within a function.
///
/// These are the words of the prelude, CUDA's declarations for every kernel, and functions of the C library that CUDA
/// declares and a kernel cannot redefine.
const RESERVED: &str = "
    i16 u16 i32 u32 i64 u64 f16 f32 f64 vec2 vec3 vec4 mat array padded coop
    threadIdx blockIdx blockDim gridDim
    main printf malloc free memcpy memset memcmp strlen clock clock64 nanosleep abort exit trap alloca
    abs labs llabs min max div fabs floor ceil trunc round rint nearbyint lround llround lrint llrint sqrt cbrt rsqrt
    rcbrt hypot rhypot exp exp2 exp10 expm1 log log2 log10 log1p logb ilogb pow powi sin cos tan asin acos atan atan2
    sinh cosh tanh asinh acosh atanh sincos sinpi cospi sincospi erf erfc erfinv erfcinv erfcx tgamma lgamma j0 j1 jn
    y0 y1 yn fma fmax fmin fmod fdim modf frexp ldexp scalbn scalbln remainder remquo copysign nextafter nan norm
    normcdf normcdfinv norm3d norm4d rnorm rnorm3d rnorm4d cyl_bessel_i0 cyl_bessel_i1 saturate umin umax llmin llmax
    ullmin ullmax mulhi mul24 umul24 float_as_int int_as_float
    any all ballot syncthreads syncthreads_count syncthreads_and syncthreads_or threadfence brkpt prof_trigger
    clz clzll popc popcll ffs ffsll brev brevll sad usad mul64hi umul64hi umulhi byte_perm fdivide fdividef float2int
    int2float signbitf finite
    atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor
    size_t ptrdiff_t clock_t std dim3 uint3 cudaError_t
    char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4
    int1 int2 int3 int4 uint1 uint2 uint4 long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2
    longlong3 longlong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 float1 float2 float3 float4 double1 double2
    double3 double4";
