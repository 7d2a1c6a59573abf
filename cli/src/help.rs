//! The long parts of `--help`.

/// The exit codes of all subcommands but `check`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the device or the kernel failed, or a file could not be read, written or parsed
  2  the command line is wrong: an unknown option or key, a missing binding, a value out of range
  3  a condition of --fail-on holds; or the device is checked (--device cpu:checked) and has findings
     about the kernel: stderr shows them line by line. Notes (reads of variables that were never written, so they are zero) count
     only with --strict";

/// Variables of the environment, and the classes of errors.
pub(crate) const ENVIRONMENT: &str = "\
Environment:
  ANYWARP_DEVICE  the device, if --device is not given
  ANYWARP_CACHE   the folder of compiled kernels, or `off` [default: the user's cache folder]
  ANYWARP_LOG     what to log to stderr: error, warn (default), info, debug, trace, or per module

With --json an error's class is usage (exit code 2), findings (3), file, or a class of the library: retryable,
resource, programmer or fatal. A failed stage of `translate` has the class translation; files with findings of
`check` have the class check.";

/// The sources and options that `run` takes.
pub(crate) const RUN_NOTES: &str = "\
SOURCE is one of
  FILE.npy                a NumPy array: little-endian, C order; its dtype must be the variable's
  FILE.bin                raw bytes
  FILE.png                a picture
  zeros:DTYPE:COUNT       COUNT zeros
  zeros:BYTES             this many bytes of zeros
  ones:DTYPE:COUNT        COUNT ones
  range:DTYPE:COUNT       0, 1, 2, ..
  rand:SEED:DTYPE:COUNT   COUNT random numbers: f32 or f16 in [0, 1), any i32, any u32

DTYPE is f16, f32, f64, i16, i32, i64, u16, u32 or u64, or its name in NumPy: float32, int32, uint32.
COUNT and BYTES may end in Ki, Mi or Gi, as may the numbers of --threads and --groups: 64Ki.

A .png can be bound to
  array<u32>                           one pixel per element, in the format of unpack4x8unorm: red in the lowest byte
  array<f32>, array<f16>               one gray level per element, 0 to 1; colours become 0.2126 R + 0.7152 G + 0.0722 B
  array<vec4<f32>>, array<vec4<f16>>   red, green, blue and alpha per element, 0 to 1
row by row from the top. Levels are those of the file; no colour space is converted. A written picture has 8 bits per
channel; numbers outside of 0 to 1 are clamped, and the report counts them.

Two keys with the same SOURCE get two buffers. Every storage and uniform variable that the entry
point uses needs a --bind, except a uniform that --set covers. To list the variables of a kernel, run
it without any --bind.

Random numbers are SplitMix64 (Steele, Lea, Flood 2014) started at SEED, one output z per element:
  f32  (z >> 40) / 2^24      f16  (z >> 53) / 2^11      i32, u32  z >> 32

VALUE of --set is one number, or several with commas for a vector, a matrix (column by column), an
array or a struct: 3, -0.5, 1e-3, 0x10.

FILE of --out ends in .npy, .bin or .png. A .npy has the variable's scalar type if the variable consists of one
scalar type without padding, else its bytes as uint8. Its shape is the first that is known: the shape after the file
(y.npy:512x512), --shape, the shape of the .npy or .png that was bound to the variable, flat. A .png takes
WIDTHxHEIGHT in the same way, and last the size of the only picture that was bound to another variable.";

/// Command lines of `run`.
pub(crate) const EXAMPLE: &str = "\
Examples:
  anywarp run saxpy.wgsl --threads 1024 --set params.a=3 \\
      --bind x=x.npy --bind y=rand:1:f32:1Ki --out y=y.npy:32x32
  anywarp run blur.wgsl --threads 640,480 --bind image=photo.png --bind out=zeros:f32:307200 --out out=blurred.png";

/// The tools that the stages need.
pub(crate) const TRANSLATE_NOTES: &str = "\
wgsl, spirv, msl, hlsl, cuda, clif and asm work on any machine. ptx needs NVRTC, CUDA's compiler:
`pip install nvidia-cuda-nvrtc`, and ANYWARP_NVRTC set to its folder, or the CUDA toolkit.
sass needs nvdisasm as well: ANYWARP_NVDISASM names it or its folder. Neither needs a GPU.

If both stages of --side-by-side have line information (source, spirv, cuda, ptx and sass), the output
follows the file line by line; else it shows both from top to bottom.";

/// Command lines of `translate`.
pub(crate) const TRANSLATE_EXAMPLE: &str = "\
Examples:
  anywarp translate saxpy.wgsl --to spirv
  anywarp translate saxpy.wgsl --side-by-side source,sass --arch sm_120
  anywarp translate saxpy.wgsl --to ptx --line 13";

/// The form of a call of `op`.
pub(crate) const OP_NOTES: &str = "\
anywarp op NAME INPUT.npy.. -o OUTPUT.npy.. [--PARAMETER VALUE]..

Inputs and outputs are .npy files in the operator's order, parameters have the names of the Rust builders. Elements have
the type of the first file. Without -o the first elements of each result are printed. An output whose length the device
counts, such as that of select, is written with that length.

  anywarp op sum x.npy --axis 1 -o sums.npy
  anywarp op sort x.npy --descending -o sorted.npy
  anywarp op elementwise x.npy y.npy 2.5 --inputs 'x: T, y: T, a: T' --outputs 'z: T' --operation 'z = a * x + y'";

/// The notation of values, and the kept results.
pub(crate) const TUNE_NOTES: &str = "\
Comments in the WGSL list the values to try, and restrict their combinations:
  override TILE: u32 = 16;  // anywarp:tune 8, 16, 32
  override WG: u32 = 128;   // anywarp:tune 64..512 x2
  // anywarp:where TILE * TILE * 4 <= 4096

--bind and --set are as for `run`. Every candidate must have the results of the default values. The result is kept, and
programs that tune the same kernel on this device use it, for the sizes of --key rounded up to powers of two. `tune show`
lists what is kept, `tune export`, `tune import` and `tune clear` copy and remove it.

  anywarp tune sum.wgsl --threads '1Mi / EACH' --bind x=rand:1:f32:1Mi --bind sums=zeros:f32:1Ki

`tune op` tries all kernels that an operator has for its inputs. Programs that call the operator on this device use the
fastest, for about these sizes; no candidate has a lower precision than the default:

  anywarp tune op matmul --sizes 4096 --dtype f16
  anywarp tune op softmax logits.npy --set axis=1 --svg softmax.svg";

/// The known GPUs and the conditions of `inspect`.
pub(crate) fn inspect_notes() -> String {
    let models: Vec<&str> = anywarp::insight::Model::names().collect();
    format!(
        "\
--model is one of {}; or measured, or a file,
for the rates of a device that `anywarp bench device --save` has measured. --bind and --set are as for `run`.

MEASURE of --fail-on is sectors/request or wavefronts/request (of any access), active (percent of lanes, of a kernel),
gain (percent of the kernel's time, of a finding) or findings (their number).

  anywarp inspect transpose.wgsl --threads 1024,1024 --bind x=rand:1:f32:1Mi --bind y=zeros:f32:1Mi
  anywarp inspect transpose.wgsl .. --fail-on 'sectors/request > 8' --fail-on 'active < 90'",
        models.join(", ")
    )
}
