//! NVIDIA's management library, which counts the energy of each card since its driver was loaded.

use std::ffi::{CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// A card's handle in the library.
type Handle = *mut c_void;
/// The result of every function: 0 for success.
type Code = c_int;

/// The functions of nvml.h that are used here. The library stays loaded as long as the process runs.
struct Functions {
    find: unsafe extern "C" fn(*const c_char, *mut Handle) -> Code,
    energy: unsafe extern "C" fn(Handle, *mut c_ulonglong) -> Code,
}

/// One card.
pub(super) struct Card {
    functions: &'static Functions,
    handle: Handle,
}

// SAFETY: the library's functions may be called from any thread, with handles of any thread (NVML API Reference, "Known
// issues" and "Thread safety").
unsafe impl Send for Card {}
// SAFETY: as above.
unsafe impl Sync for Card {}

impl std::fmt::Debug for Card {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Card")
    }
}

impl Card {
    /// The card at a place of the PCI bus; `None` without the library or such a card.
    pub(super) fn at(place: &str) -> Option<Self> {
        let functions = functions()?;
        let place = CString::new(place).ok()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the library reads a string that ends with zero, and writes one handle of this frame.
        let code = unsafe { (functions.find)(place.as_ptr(), &raw mut handle) };
        (code == 0 && !handle.is_null()).then_some(Self { functions, handle })
    }

    pub(super) fn joules(&self) -> Option<f64> {
        let mut millijoules = 0;
        // SAFETY: the handle is one of the library, which keeps it until it is shut down; it never is. The function
        // writes one number of this frame.
        let code = unsafe { (self.functions.energy)(self.handle, &raw mut millijoules) };
        (code == 0).then_some(millijoules as f64 / 1e3)
    }
}

fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    let loaded = FUNCTIONS.get_or_init(|| load().map_err(|error| log::debug!("no energy of cards: {error}")).ok());
    loaded.as_ref()
}

fn load() -> Result<Functions, String> {
    let name = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };
    let failed = |error: libloading::Error| error.to_string();
    // SAFETY: the library's initialisers are NVIDIA's and have no requirements.
    let library = unsafe { Library::new(name) }.map_err(failed)?;
    // SAFETY: the types are those of nvml.h, unchanged since these versions of the functions exist.
    let (start, functions) = unsafe {
        let start = *library.get::<unsafe extern "C" fn() -> Code>(b"nvmlInit_v2\0").map_err(failed)?;
        let find = *library.get(b"nvmlDeviceGetHandleByPciBusId_v2\0").map_err(failed)?;
        let energy = *library.get(b"nvmlDeviceGetTotalEnergyConsumption\0").map_err(failed)?;
        (start, Functions { find, energy })
    };
    // The functions are used as long as the process runs.
    std::mem::forget(library);
    // SAFETY: the function has no arguments, and may be called at any time.
    match unsafe { start() } {
        0 => Ok(functions),
        code => Err(format!("nvmlInit returned {}", code as c_uint)),
    }
}
