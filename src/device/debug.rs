//! What kernels print, as devices give it out.

use super::Device;
use crate::debug::{DebugOutput, collect};
use crate::error::Error;

impl Device {
    /// What kernels have printed since the last call: hands recorded work over, waits for all of it,
    /// and takes the output away.
    ///
    /// A kernel prints by calling a *debug function*: an empty function without a result, marked by
    /// the comment `// anywarp:debug` before it. Its parameters, scalars and vectors of 16 words at
    /// most, are what is printed. To other implementations of WGSL it is a function that does
    /// nothing.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// use anywarp::{DebugValue, Wgsl};
    ///
    /// let source = "\
    /// // anywarp:debug
    /// fn debug(label: u32, value: f32) {}
    ///
    /// @compute @workgroup_size(1)
    /// fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///     if id.x == 2 { debug(7, f32(id.x) / 4); }
    /// }";
    /// let kernel = device.kernel(Wgsl::new(source).file("main.wgsl"))?;
    /// kernel.launch().threads(64)?;
    ///
    /// let output = device.debug_output()?;
    /// assert_eq!(output.to_string(), "main.wgsl:6: debug(label = 7, value = 0.5) at [2, 0, 0]\n");
    /// assert_eq!(output.lines[0].arguments[1].value, DebugValue::F32(0.5));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Output of a kernel before it was stopped is collected, too; the stop itself is an error of
    /// [`synchronize`](Self::synchronize) and by reads of what it wrote.
    ///
    /// Each line goes to the log as well, at level `info` with the target `anywarp::debug`, when it
    /// comes to the host. While that target is enabled (`RUST_LOG=anywarp::debug=info` with
    /// `env_logger`), [`synchronize`](Self::synchronize) brings it there too; the next call of this
    /// method still returns it, up to 65 536 lines.
    ///
    /// Output that is not collected stays on the device, up to the size that `ANYWARP_DEBUG_BYTES` gives
    /// when the device is opened (1 MiB unless set); calls beyond it are counted
    /// ([`DebugOutput::dropped`]). Launches that print run one after the other. A kernel that calls
    /// no debug function pays nothing; one that does has one more storage buffer, and is larger and
    /// slower also where it prints nothing.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn debug_output(&self) -> Result<DebugOutput, Error> {
        Ok(collect::output(&self.context, self.kernels().debug())?)
    }

    /// [`debug_output`](Self::debug_output) without blocking. Output that is on its way when the
    /// future is dropped is lost.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// print!("{}", pollster::block_on(device.debug_output_async())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn debug_output_async(&self) -> Result<DebugOutput, Error> {
        Ok(collect::output_async(&self.context, self.kernels().debug()).await?)
    }
}
