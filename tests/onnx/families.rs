//! Families of operators.

/// The families with their operators, in the order of the table. The last family is for all other operators.
#[rustfmt::skip] // several in a line
const FAMILIES: &[(&str, &[&str])] = &[
    ("elementwise", &[
        "Abs", "Acos", "Acosh", "Add", "And", "Asin", "Asinh", "Atan", "Atanh", "BitShift", "BitwiseAnd", "BitwiseNot",
        "BitwiseOr", "BitwiseXor", "Ceil", "Celu", "Clip", "Cos", "Cosh", "Div", "Dropout", "Elu", "Equal", "Erf", "Exp",
        "Floor", "Gelu", "Greater", "GreaterOrEqual", "HardSigmoid", "HardSwish", "IsInf", "IsNaN", "LeakyRelu", "Less",
        "LessOrEqual", "Log", "Max", "Mean", "Min", "Mish", "Mod", "Mul", "Neg", "Not", "Or", "PRelu", "Pow", "Reciprocal",
        "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Sub", "Sum",
        "Swish", "Tan", "Tanh", "ThresholdedRelu", "Where", "Xor",
    ]),
    ("conversion", &["BitCast", "Cast", "CastLike"]),
    ("reduce", &[
        "ArgMax", "ArgMin", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
        "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
    ]),
    ("scan", &["CumProd", "CumSum"]),
    ("sort and select", &["Compress", "NonZero", "TopK", "Unique"]),
    ("movement", &[
        "CenterCropPad", "Concat", "DepthToSpace", "Expand", "Flatten", "Identity", "Pad", "Reshape", "ReverseSequence",
        "Shape", "Size", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Trilu", "Unsqueeze",
    ]),
    ("gather and scatter", &[
        "Gather", "GatherElements", "GatherND", "OneHot", "Scatter", "ScatterElements", "ScatterND", "TensorScatter",
    ]),
    ("creation", &[
        "Bernoulli", "BlackmanWindow", "Constant", "ConstantOfShape", "EyeLike", "HammingWindow", "HannWindow",
        "MelWeightMatrix", "Range",
    ]),
    ("matrix products", &["Det", "Einsum", "Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"]),
    ("quantisation", &["DequantizeLinear", "DynamicQuantizeLinear", "QuantizeLinear"]),
    ("softmax and losses", &[
        "Hardmax", "LogSoftmax", "NegativeLogLikelihoodLoss", "Softmax", "SoftmaxCrossEntropyLoss",
    ]),
    ("norms", &[
        "BatchNormalization", "GroupNormalization", "InstanceNormalization", "LRN", "LayerNormalization",
        "LpNormalization", "MeanVarianceNormalization", "RMSNormalization",
    ]),
    ("attention", &["Attention", "FlexAttention", "LinearAttention", "RotaryEmbedding"]),
    ("convolution", &[
        "CausalConvWithState", "Col2Im", "Conv", "ConvInteger", "ConvTranspose", "DeformConv", "QLinearConv",
    ]),
    ("pooling", &[
        "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool", "MaxPool", "MaxUnpool", "RoiAlign",
    ]),
    ("resize", &["AffineGrid", "GridSample", "Resize", "Upsample"]),
    ("Fourier transforms", &["DFT", "STFT"]),
    ("recurrent networks", &["GRU", "LSTM", "RNN"]),
    ("sequences and control flow", &[
        "If", "Loop", "OptionalGetElement", "OptionalHasElement", "Scan", "SequenceInsert", "SequenceMap",
        "SplitToSequence",
    ]),
    ("strings, images, trees, training", &[]),
];

/// The names of all families, in the order of the table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _)| *name)
}

/// The family of an operator.
pub(crate) fn of(operator: &str) -> &'static str {
    let found = FAMILIES.iter().find(|(_, operators)| operators.contains(&operator)).or(FAMILIES.last());
    found.map_or("", |(name, _)| *name)
}
