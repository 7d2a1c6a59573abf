//! The fake driver's functions.

use std::ffi::{CStr, c_char, c_void};

use super::kernels::KERNELS;
use super::{CRASHED, CURRENT, Command, Stream, name, world};
use crate::driver::error::NOT_READY;
use crate::driver::sys::*;

fn result(ok: bool) -> u32 {
    if ok { 0 } else { 2 }
}

fn crashed() -> u32 {
    if world().crashed.contains(&CURRENT.get()) { CRASHED } else { 0 }
}

/// Defines the functions of this file, each with the driver's signature.
macro_rules! fake {
    ($($name:ident($($argument:ident: $kind:ty),*) $body:block)*) => {
        $(#[allow(non_snake_case)]
        unsafe extern "C" fn $name($($argument: $kind),*) -> u32 {
            *world().calls.entry(stringify!($name)).or_default() += 1;
            // SAFETY: the runtime passes valid pointers, as the driver requires.
            #[allow(unused_unsafe)]
            unsafe { $body }
        })*
        /// Returns the driver as a table of these functions.
        pub(crate) fn driver() -> &'static Driver {
            static DRIVER: Driver = Driver { $($name,)* version: 13_000 };
            &DRIVER
        }
    };
}

fake! {
    cuInit(_a: u32) { 0 }
    cuDriverGetVersion(_a: *mut i32) { 0 }
    cuGetErrorName(error: u32, text: *mut *const c_char) {
        *text = if error == CRASHED { c"CUDA_ERROR_ILLEGAL_ADDRESS".as_ptr() } else { c"CUDA_ERROR_FAKE".as_ptr() };
        0
    }
    cuGetErrorString(_error: u32, text: *mut *const c_char) { *text = c"made up".as_ptr(); 0 }
    cuDeviceGetCount(_a: *mut i32) { 0 }
    cuDeviceGet(_a: *mut CUdevice, _b: i32) { 0 }
    cuDeviceGetName(_a: *mut c_char, _b: i32, _c: CUdevice) { 0 }
    cuDeviceTotalMem_v2(_a: *mut usize, _b: CUdevice) { 0 }
    cuDeviceGetPCIBusId(_a: *mut c_char, _b: i32, _c: CUdevice) { 0 }
    cuDeviceGetUuid_v2(_a: *mut CUuuid, _b: CUdevice) { 0 }
    cuDeviceGetAttribute(_a: *mut i32, _b: u32, _c: CUdevice) { 0 }
    // Each call returns a new context, so that a test that crashes its context does not affect other tests.
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, _device: CUdevice) { *context = name(world().fresh()); 0 }
    cuCtxGetCurrent(context: *mut CUcontext) { *context = name(CURRENT.get()); 0 }
    cuCtxSetCurrent(context: CUcontext) { CURRENT.set(context.addr()); 0 }
    cuMemPoolCreate(pool: *mut CUmemoryPool, _b: *const CUmemPoolProps) { *pool = name(world().fresh()); 0 }
    cuMemPoolDestroy(_a: CUmemoryPool) { 0 }
    cuMemPoolSetAttribute(_a: CUmemoryPool, _b: u32, _c: *mut c_void) { 0 }
    cuMemPoolTrimTo(_a: CUmemoryPool, _b: usize) { 0 }
    cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, _pool: CUmemoryPool, _stream: CUstream) {
        let found = world().allocate(bytes);
        *address = found.unwrap_or(0);
        result(found.is_some())
    }
    cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) { world().push(stream, Command::Free(address)) }
    cuMemAlloc_v2(_a: *mut CUdeviceptr, _b: usize) { 2 }
    cuMemFree_v2(_a: CUdeviceptr) { 0 }
    cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, _flags: u32) {
        let found = world().allocate(bytes);
        *start = std::ptr::with_exposed_provenance_mut(found.unwrap_or(0) as usize);
        result(found.is_some())
    }
    cuMemFreeHost(start: *mut c_void) {
        result(world().memory.remove(&(start.addr() as u64)).is_some())
    }
    cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, _flags: u32) {
        *device = host.addr() as u64;
        0
    }
    cuImportExternalMemory(_a: *mut CUexternalMemory, _b: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC) { 801 }
    cuExternalMemoryGetMappedBuffer(
        _a: *mut CUdeviceptr, _b: CUexternalMemory, _c: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC
    ) { 801 }
    cuDestroyExternalMemory(_a: CUexternalMemory) { 0 }
    cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Copy(to, from, bytes))
    }
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream) {
        let mut world = world();
        let address = from.expose_provenance() as u64;
        // Pinned memory is read when the copy runs, ordinary memory before this call returns.
        if world.memory.iter().any(|(start, memory)| (*start..*start + memory.len() as u64 * 16).contains(&address)) {
            return world.push(stream, Command::Copy(to, address, bytes));
        }
        let bytes = std::slice::from_raw_parts(from.cast::<u8>(), bytes).to_vec();
        world.push(stream, Command::Write(to, bytes))
    }
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Copy(to.expose_provenance() as u64, from, bytes))
    }
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Copy(to, from, bytes))
    }
    cuMemsetD32Async(to: CUdeviceptr, pattern: u32, words: usize, stream: CUstream) {
        world().push(stream, Command::Fill(to, pattern, words))
    }
    cuMemsetD8Async(to: CUdeviceptr, byte: u8, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Fill(to, u32::from_le_bytes([byte; 4]), bytes / 4))
    }
    cuStreamCreate(stream: *mut CUstream, _flags: u32) {
        let mut world = world();
        let fresh = world.fresh();
        world.streams.insert(fresh, Stream { context: CURRENT.get(), ..Stream::default() });
        *stream = name(fresh);
        0
    }
    cuStreamDestroy_v2(stream: CUstream) {
        let mut world = world();
        world.run(stream.addr(), |_| false);
        world.streams.remove(&stream.addr());
        0
    }
    cuStreamSynchronize(stream: CUstream) {
        let mut world = world();
        world.disturb(CURRENT.get());
        world.run(stream.addr(), |_| false)
    }
    cuStreamWaitEvent(stream: CUstream, event: CUevent, _flags: u32) {
        let mut world = world();
        let times = world.marks.get(&event.addr()).map_or(0, |(recorded, _)| *recorded);
        world.push(stream, Command::Wait(event.addr(), times))
    }
    cuStreamQuery(stream: CUstream) {
        let mut world = world();
        world.disturb(CURRENT.get());
        let stream = &world.streams[&stream.addr()];
        if world.crashed.contains(&stream.context) {
            return CRASHED;
        }
        if stream.commands.is_empty() { 0 } else { NOT_READY }
    }
    cuStreamBeginCapture_v2(stream: CUstream, _mode: u32) {
        let mut world = world();
        let stream = world.streams.get_mut(&stream.addr()).unwrap();
        result(!std::mem::replace(&mut stream.capturing, true))
    }
    cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) {
        let mut world = world();
        let stream = world.streams.get_mut(&stream.addr()).unwrap();
        stream.capturing = false;
        let commands = stream.commands.drain(..).collect();
        let fresh = world.fresh();
        world.graphs.insert(fresh, commands);
        *graph = name(fresh);
        0
    }
    cuEventCreate(event: *mut CUevent, _flags: u32) { *event = name(world().fresh()); 0 }
    cuEventDestroy_v2(_event: CUevent) { 0 }
    cuEventRecord(event: CUevent, stream: CUstream) { world().push(stream, Command::Mark(event.addr())) }
    cuEventQuery(event: CUevent) {
        let mut world = world();
        world.disturb(CURRENT.get());
        if world.crashed.contains(&CURRENT.get()) {
            return CRASHED;
        }
        if world.marks.get(&event.addr()).is_none_or(|(recorded, passed)| recorded == passed) { 0 } else { NOT_READY }
    }
    cuEventSynchronize(event: CUevent) {
        let mut world = world();
        world.disturb(CURRENT.get());
        let times = world.marks.get(&event.addr()).map_or(0, |(recorded, _)| *recorded);
        world.run_to(event.addr(), times);
        drop(world);
        crashed()
    }
    cuEventElapsedTime(time: *mut f32, _start: CUevent, _end: CUevent) { *time = 0.5; 0 }
    cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, _c: u32, _o: *mut u32, _v: *mut *mut c_void) {
        let image = CStr::from_ptr(image.cast()).to_str().unwrap();
        *module = name(KERNELS.iter().position(|kernel| kernel.0 == image).unwrap() + 1);
        crashed()
    }
    cuModuleUnload(_module: CUmodule) { 0 }
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, _name: *const c_char) {
        *function = name(module.addr());
        0
    }
    cuFuncGetAttribute(value: *mut i32, attribute: u32, _function: CUfunction) {
        *value = if attribute == 0 { 1024 } else { 16 };
        0
    }
    cuFuncSetAttribute(_a: CUfunction, _b: u32, _c: i32) { 0 }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut i32, _b: CUfunction, _c: i32, _d: usize) {
        *blocks = 8;
        0
    }
    cuLaunchKernel(
        function: CUfunction, _gx: u32, _gy: u32, _gz: u32, _bx: u32, _by: u32, _bz: u32, _shared: u32,
        stream: CUstream, parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) {
        let kernel = function.addr() - 1;
        let read = |(index, length): (usize, &usize)| {
            std::slice::from_raw_parts((*parameters.add(index)).cast::<u8>(), *length).to_vec()
        };
        let parameters = KERNELS[kernel].1.iter().enumerate().map(read).collect();
        world().push(stream, Command::Launch(kernel, parameters))
    }
    cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, _flags: u64) {
        let mut world = world();
        let fresh = world.fresh();
        let commands = world.graphs[&graph.addr()].clone();
        world.graphs.insert(fresh, commands);
        *exec = name(fresh);
        0
    }
    cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, _info: *mut CUgraphExecUpdateResultInfo) {
        let mut world = world();
        let commands = world.graphs[&graph.addr()].clone();
        world.graphs.insert(exec.addr(), commands);
        0
    }
    cuGraphLaunch(exec: CUgraphExec, stream: CUstream) {
        let mut world = world();
        let commands = world.graphs[&exec.addr()].clone();
        commands.into_iter().map(|command| world.push(stream, command)).max().unwrap_or(0)
    }
    cuGraphExecDestroy(exec: CUgraphExec) { result(world().graphs.remove(&exec.addr()).is_some()) }
    cuGraphDestroy(graph: CUgraph) { result(world().graphs.remove(&graph.addr()).is_some()) }
}
