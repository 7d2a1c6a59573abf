//! Operators of ONNX, computed with `anywarp::ops`.

mod arrange;
mod attention;
mod channels;
mod creation;
mod einsum;
mod elementwise;
mod indexing;
mod line;
mod matrices;
mod movement;
mod ordering;
mod reductions;
mod resizes;
mod rows;
mod spectra;
mod windows;

use anywarp_testing::onnx::{Attribute, Node};
use anywarp_testing_devices::outcome::{TestResult, skip};

use crate::array::Array;
use crate::graph::Call;

/// A function that computes the outputs of a node.
pub(crate) type Operator = fn(&Call<'_>) -> TestResult<Vec<Array>>;

/// The operator of a node; skips the case, with the reason, if there is none.
pub(crate) fn find(node: &Node) -> TestResult<Operator> {
    if node.attributes.values().any(|value| *value == Attribute::Graph) {
        return skip("graphs as attributes");
    }
    let standard = node.domain.is_empty() || node.domain == "ai.onnx";
    let found = elementwise::find(&node.operator).or_else(|| other(&node.operator)).filter(|_| standard);
    found.map_or_else(|| skip(format!("no operator for {}", node.operator)), Ok)
}

#[rustfmt::skip] // one a line
fn other(name: &str) -> Option<Operator> {
    let operator: Operator = match name {
        "ArgMax" | "ArgMin" => reductions::arg,
        "Attention" => attention::attention,
        "AveragePool" | "LpPool" | "MaxPool" => windows::pool,
        "BatchNormalization" => channels::batch_norm,
        "BitCast" => elementwise::bit_cast,
        "BitShift" => elementwise::bit_shift,
        "BlackmanWindow" | "HammingWindow" | "HannWindow" => creation::window,
        "Cast" | "CastLike" => elementwise::convert,
        "CausalConvWithState" => windows::causal_conv,
        "CenterCropPad" => movement::center_crop_pad,
        "Clip" => elementwise::clip,
        "Col2Im" => windows::columns,
        "Compress" => ordering::compress,
        "Concat" => movement::concat,
        "Constant" => creation::constant,
        "ConstantOfShape" => creation::constant_of_shape,
        "Conv" => windows::conv,
        "ConvInteger" => windows::conv_integer,
        "ConvTranspose" => windows::conv_transposed,
        "CumProd" | "CumSum" => ordering::scan,
        "DFT" => spectra::dft,
        "DepthToSpace" | "SpaceToDepth" => movement::blocks,
        "DequantizeLinear" => matrices::dequantise,
        "Det" => einsum::determinant,
        "Dropout" => elementwise::dropout,
        "DynamicQuantizeLinear" => matrices::dynamic,
        "Einsum" => einsum::einsum,
        "Expand" => movement::expand,
        "EyeLike" => creation::eye,
        "Flatten" => movement::flatten,
        "Gather" => indexing::gather,
        "GatherElements" => indexing::gather_elements,
        "GatherND" => indexing::gather_nd,
        "Gelu" => elementwise::gelu,
        "Gemm" => matrices::gemm,
        "GlobalAveragePool" | "GlobalMaxPool" => reductions::global_pool,
        "GroupNormalization" | "InstanceNormalization" => rows::group_norm,
        "Hardmax" => reductions::hardmax,
        "Identity" => movement::identity,
        "LRN" => channels::local_response,
        "LayerNormalization" | "RMSNormalization" => rows::layer_norm,
        "LogSoftmax" | "Softmax" => rows::softmax,
        "LpNormalization" => reductions::lp_normalisation,
        "MatMul" => matrices::matmul,
        "MatMulInteger" => matrices::matmul_integer,
        "Max" | "Mean" | "Min" | "Sum" => elementwise::several,
        "MeanVarianceNormalization" => rows::mean_variance,
        "Mod" => elementwise::modulo,
        "NegativeLogLikelihoodLoss" | "SoftmaxCrossEntropyLoss" => rows::loss,
        "NonZero" => ordering::nonzero,
        "OneHot" => indexing::one_hot,
        "Pad" => movement::pad,
        "Pow" => elementwise::power,
        "QLinearConv" => windows::quantised_conv,
        "QLinearMatMul" => matrices::quantised_matmul,
        "QuantizeLinear" => matrices::quantise,
        "Range" => creation::range,
        "ReduceL1" | "ReduceL2" | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceMax" | "ReduceMean" | "ReduceMin"
        | "ReduceProd" | "ReduceSum" | "ReduceSumSquare" => reductions::reduction,
        "Reshape" => movement::reshape,
        "Resize" => resizes::resize,
        "ReverseSequence" => indexing::reverse_sequence,
        "RotaryEmbedding" => attention::rotary_embedding,
        "Scatter" | "ScatterElements" => indexing::scatter_elements,
        "STFT" => spectra::stft,
        "ScatterND" => indexing::scatter_nd,
        "Shape" | "Size" => movement::shape,
        "Slice" => movement::slice,
        "Split" => movement::split,
        "Squeeze" => movement::squeeze,
        "TensorScatter" => indexing::tensor_scatter,
        "Tile" => movement::tile,
        "TopK" => ordering::top_k,
        "Transpose" => movement::transpose,
        "Trilu" => creation::triangle,
        "Unique" => ordering::unique,
        "Unsqueeze" => movement::unsqueeze,
        "Upsample" => resizes::upsample,
        "Where" => elementwise::where_,
        _ => return None,
    };
    Some(operator)
}
