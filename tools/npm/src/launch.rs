//! Launches of a kernel.

use std::rc::Rc;

use js_sys::Error;
use wasm_bindgen::prelude::*;

use crate::device::{Buffer, Memory, said};
use crate::numbers;

/// A launch that is being built: `bind` and `set`, then `threads` or `groups`.
#[wasm_bindgen]
pub struct Launch {
    kernel: anywarp::Kernel,
    buffers: Vec<(String, Rc<Memory>)>,
    values: Vec<(String, Vec<u8>)>,
}

impl Launch {
    pub(crate) fn new(kernel: anywarp::Kernel) -> Self {
        Self { kernel, buffers: Vec::new(), values: Vec::new() }
    }
}

#[wasm_bindgen]
impl Launch {
    /// Binds a buffer to a variable, by the variable's name.
    pub fn bind(&mut self, name: &str, buffer: &Buffer) {
        self.buffers.push((name.to_owned(), Rc::clone(&buffer.shared)));
    }

    /// Sets a uniform, or a part of one (`params.a`), to its numbers: one for a scalar, three for a `vec3`.
    ///
    /// # Errors
    /// The kernel has no such variable, or its type has no such values.
    pub fn set(
        &mut self,
        path: &str,
        // Otherwise the types would allow no array literal.
        #[wasm_bindgen(unchecked_param_type = "ArrayLike<number>")] numbers: &[f64],
    ) -> Result<(), Error> {
        let layout = self.kernel.layout_of(path);
        let layout = layout.ok_or_else(|| Error::new(&format!("'{path}': the kernel has no such uniform")))?;
        let bytes = numbers::bytes(&layout, numbers).map_err(|reason| Error::new(&format!("'{path}': {reason}")))?;
        self.values.push((path.to_owned(), bytes));
        Ok(())
    }

    /// Sets a uniform, or a part of one, to bytes in the layout of the WGSL.
    pub fn set_bytes(&mut self, path: &str, bytes: &[u8]) {
        self.values.push((path.to_owned(), bytes.to_vec()));
    }

    /// Launches at least so many threads: whole workgroups.
    ///
    /// # Errors
    /// An argument is missing or does not fit. Nothing has run then.
    pub fn threads(&self, count: u32) -> Result<(), Error> {
        self.run(|launch| launch.threads(count).map(|_| ()))
    }

    /// Launches so many workgroups in x, y and z.
    ///
    /// # Errors
    /// An argument is missing or does not fit. Nothing has run then.
    pub fn groups(&self, x: u32, y: u32, z: u32) -> Result<(), Error> {
        self.run(|launch| launch.groups([x, y, z]).map(|_| ()))
    }
}

impl Launch {
    fn run(&self, start: impl FnOnce(anywarp::Launch<'_>) -> Result<(), anywarp::LaunchError>) -> Result<(), Error> {
        let borrowed = self.buffers.iter().map(|(name, buffer)| Ok((name, buffer.for_launch()?)));
        let mut borrowed = borrowed.collect::<Result<Vec<_>, Error>>()?;
        let mut launch = self.kernel.launch();
        for (path, bytes) in &self.values {
            launch = launch.set_bytes(path, bytes);
        }
        for (name, buffer) in &mut borrowed {
            launch = launch.bind(name, &mut **buffer);
        }
        start(launch).map_err(said)
    }
}
