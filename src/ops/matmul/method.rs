//! The ways to compute a matrix product.

use std::fmt;

/// A way to compute a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MatmulMethod {
    /// The device's library: cuBLAS on NVIDIA through CUDA, the crate `matrixmultiply` on the processor. Both multiply
    /// factors of 16 bits into `f32`, and matrices with strides.
    Library,
    /// A WGSL kernel with cooperative matrices, which tensor cores multiply: `f16` with sums in `f32`. Rows begin at
    /// multiples of four elements, and have a multiple of four elements.
    Cooperative,
    /// A WGSL kernel in tiles of 128 x 128, for `f32`.
    WideTiles,
    /// A WGSL kernel in tiles of 64 x 64: any elements, any device.
    Tiles,
    /// WGSL kernels that read each element of the larger matrix once: at most eight rows of `a`, or columns of `b`.
    Vector,
}

impl MatmulMethod {
    /// The needs of the method, for errors.
    pub(super) fn needs(self) -> &'static str {
        match self {
            Self::Library => {
                "it needs a library of the device with this precision, this type of results and, if there are any, \
                 strides (`Caps::library`), rows that do not overlap and, for an epilogue of 16 bits, a `c` without gaps"
            }
            Self::Cooperative => {
                "it needs f16, rows in memory that begin at multiples of four elements and have a multiple of four, \
                 subgroups of 32, 24 KiB of workgroup memory, and products of cooperative matrices of 16 x 16 \
                 (`Caps::cooperative`)"
            }
            Self::WideTiles => "it needs f32, and 16.5 KiB of workgroup memory",
            Self::Tiles => "it needs nothing",
            Self::Vector => "it needs at most eight rows of `a`, or eight columns of `b`",
        }
    }
}

impl fmt::Display for MatmulMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Library => "the library",
            Self::Cooperative => "cooperative matrices",
            Self::WideTiles => "wide tiles",
            Self::Tiles => "tiles",
            Self::Vector => "vectors",
        })
    }
}
