//! The debug output of kernels, as methods of devices.

use super::Device;
use crate::debug::{DebugOutput, collect};
use crate::error::Error;

impl Device {
    /// Returns the debug output of kernels since the last call. Submits pending commands and waits for all work.
    ///
    /// A kernel prints by calling a *debug function*: an empty function without a result, marked by the comment `//
    /// anywarp:debug` before it. A call prints its arguments, which are scalars and vectors of at most 16 words of 32
    /// bits in total. In other implementations of WGSL the function has no effect.
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
    /// Output that a kernel printed before it was stopped is collected, too; the stop itself is reported by
    /// [`synchronize`](Self::synchronize) and by reads of the kernel's results.
    ///
    /// Each line is also logged when it reaches the host, at level `info` with the target `anywarp::debug`. While that
    /// target is enabled (`RUST_LOG=anywarp::debug=info` with `env_logger`), [`synchronize`](Self::synchronize) fetches
    /// and logs the output, too; the next call of this method still returns it, up to 65 536 lines.
    ///
    /// Output that is not collected stays on the device, up to the size given by `ANYWARP_DEBUG_BYTES` when the device
    /// was opened (default 1 MiB); calls whose output exceeds this size are only counted ([`DebugOutput::dropped`]).
    /// Launches of kernels that print run one after the other. A kernel without calls of debug functions has no
    /// overhead; one with such calls has an additional storage buffer, and is larger and slower even for invocations
    /// that do not print.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn debug_output(&self) -> Result<DebugOutput, Error> {
        Ok(collect::output(&self.context, self.kernels().debug())?)
    }

    /// [`debug_output`](Self::debug_output) without blocking. If the future is dropped, output that is being fetched is
    /// lost.
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
