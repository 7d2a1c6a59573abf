//! Raw CUDA calls and launches on one buffer, on a real device.

use std::ffi::{CString, c_void};

use anywarp::Device;
use anywarp::interop::cuda::Handles;
use cudarc::driver::result;

/// A kernel in PTX that computes `x = 3 x + 1` for each word.
const TRIPLE: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry triple(.param .u64 data, .param .u32 length) {
    .reg .pred %past;
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [data];
    ld.param.u32 %r1, [length];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    setp.ge.u32 %past, %r2, %r1;
    @%past bra DONE;
    cvta.to.global.u64 %d1, %d1;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d1, %d1, %d2;
    ld.global.u32 %r5, [%d1];
    mad.lo.u32 %r5, %r5, 3, 1;
    st.global.u32 [%d1], %r5;
DONE:
    ret;
}
";

/// A kernel in WGSL that computes `x = 2 x + i` for word `i`.
const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) { data[id.x] = 2u * data[id.x] + id.x; }
}";

const LENGTH: usize = 100_000;

struct Raw {
    cuda: Handles,
    triple: cudarc::driver::sys::CUfunction,
}

impl Raw {
    fn new(cuda: Handles) -> Self {
        let (text, name) = (CString::new(TRIPLE).unwrap(), CString::new("triple").unwrap());
        // SAFETY: the context is the device's and lives as long as the process; the text is PTX and ends in a zero
        // byte.
        let triple = unsafe {
            result::ctx::set_current(cuda.context).unwrap();
            let module = result::module::load_data(text.as_ptr().cast()).unwrap();
            result::module::get_function(module, name).unwrap()
        };
        Self { cuda, triple }
    }

    /// Makes the context current, because any call of anywarp may have changed it.
    fn enter(&self) {
        // SAFETY: the context lives as long as the process.
        unsafe { result::ctx::set_current(self.cuda.context) }.unwrap();
    }

    fn launch(&self, pointer: u64) {
        self.enter();
        let (mut pointer, mut length) = (pointer, LENGTH as u32);
        let mut arguments = [(&raw mut pointer).cast::<c_void>(), (&raw mut length).cast::<c_void>()];
        let blocks = LENGTH.div_ceil(256) as u32;
        // SAFETY: the arguments match the kernel's parameters, and the buffer has `LENGTH` words.
        unsafe { result::launch_kernel(self.triple, (blocks, 1, 1), (256, 1, 1), 0, self.cuda.stream, &mut arguments) }
            .unwrap();
    }

    fn set(&self, pointer: u64, byte: u8) {
        self.enter();
        // SAFETY: the buffer has `LENGTH` words.
        unsafe { result::memset_d8_async(pointer, byte, LENGTH * 4, self.cuda.stream) }.unwrap();
    }
}

#[test]
fn raw_calls_and_launches_take_turns() -> anywarp::Result<()> {
    let device = match Device::open("cuda") {
        Ok(device) => device,
        Err(error) => {
            let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
            assert!(!required.contains("cuda"), "{error}");
            println!("skipped: {error}");
            return Ok(());
        }
    };
    let raw = Raw::new(device.cuda()?);
    let double = device.kernel(DOUBLE)?;
    let mut data = device.buffer_from(&[1u32; LENGTH])?;
    let mut expected = vec![1u32; LENGTH];
    let tripled = |x: &mut u32| *x = x.wrapping_mul(3).wrapping_add(1);
    for round in 0..20u8 {
        double.launch().bind("data", &mut data).threads(LENGTH)?;
        expected.iter_mut().zip(0..).for_each(|(x, i)| *x = x.wrapping_mul(2).wrapping_add(i));
        {
            let lent = data.lend_cuda_mut()?;
            if round % 7 == 3 {
                raw.set(lent.pointer(), round);
                expected.fill(u32::from_le_bytes([round; 4]));
            }
            raw.launch(lent.pointer());
            expected.iter_mut().for_each(tripled);
            assert!(others_are_free(&device, &double));
        }
        match round % 4 {
            0 => {
                data.slice_mut(..500).update()?.iter_mut().for_each(|x| *x ^= 1);
                expected[..500].iter_mut().for_each(|x| *x ^= 1);
            }
            1 => {
                data.slice_mut(500..).fill(3)?;
                expected[500..].fill(3);
            }
            _ => {}
        }
        if round % 3 == 0 {
            assert!(*data.read()? == *expected, "round {round}");
        }
    }
    assert!(*data.read()? == *expected);
    Ok(())
}

/// Checks that another buffer of the device can be used while raw code has this one.
fn others_are_free(device: &Device, double: &anywarp::Kernel) -> bool {
    let mut other = device.buffer_from(&[1u32; 4]).unwrap();
    double.launch().bind("data", &mut other).threads(4).unwrap();
    *other.read().unwrap() == [2, 3, 4, 5]
}
