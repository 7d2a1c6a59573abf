// Atomic functions: relaxed, at device scope. A volatile access is at least relaxed, and the compiler sees its memory
// space.
template <class T> struct aw_cas_result { T old_value; bool exchanged; };

template <class T> aw_fn T aw_atomicLoad(const T* p) { return *static_cast<const volatile T*>(p); }
template <class T, class U> aw_fn void aw_atomicStore(T* p, U value) { *static_cast<volatile T*>(p) = T(value); }

#define aw_atomics(T, W) \
    aw_fn T aw_atomicAdd(T* p, T value) { return T(atomicAdd((W*)p, W(value))); } \
    aw_fn T aw_atomicSub(T* p, T value) { return T(atomicAdd((W*)p, W(0) - W(value))); } \
    aw_fn T aw_atomicMin(T* p, T value) { return atomicMin(p, value); } \
    aw_fn T aw_atomicMax(T* p, T value) { return atomicMax(p, value); } \
    aw_fn T aw_atomicAnd(T* p, T value) { return T(atomicAnd((W*)p, W(value))); } \
    aw_fn T aw_atomicOr(T* p, T value) { return T(atomicOr((W*)p, W(value))); } \
    aw_fn T aw_atomicXor(T* p, T value) { return T(atomicXor((W*)p, W(value))); } \
    aw_fn T aw_atomicExchange(T* p, T value) { return T(atomicExch((W*)p, W(value))); } \
    aw_fn aw_cas_result<T> aw_atomicCompareExchangeWeak(T* p, T comparand, T value) { \
        const T old = T(atomicCAS((W*)p, W(comparand), W(value))); \
        return {old, old == comparand}; \
    }
aw_atomics(i32, u32)
aw_atomics(u32, u32)
aw_atomics(i64, u64)
aw_atomics(u64, u64)
#undef aw_atomics

aw_fn f32 aw_atomicAdd(f32* p, f32 value) { return atomicAdd(p, value); }
aw_fn f32 aw_atomicSub(f32* p, f32 value) { return atomicAdd(p, -value); }
aw_fn f32 aw_atomicExchange(f32* p, f32 value) { return atomicExch(p, value); }
