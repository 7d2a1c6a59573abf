"""Makes cases of real layers, with the results of onnxruntime, in the form of ONNX's node tests.

    python layers.py DIR

A case is a folder with a model, its inputs and onnxruntime's outputs on the processor: the layers of ResNet-50 for one
image of 224 x 224, one of its blocks, and the layers of a transformer with 256 tokens of 512 numbers, and a whole block.
Elements of convolutions and products are small multiples of powers of two, so that sums are exact in any order. Cases of
`float16` have the results of `float`, rounded.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
RANDOM = np.random.default_rng(20)


def dyadic(*shape, step=8):
    """Multiples of 1 / step between -1 and 1."""
    return (RANDOM.integers(-step, step, shape, endpoint=True) / step).astype(np.float32)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def model(nodes, inputs, output, kind):
    number = TensorProto.FLOAT if kind == np.float32 else TensorProto.FLOAT16
    ports = [helper.make_tensor_value_info(name, number, array.shape) for name, array in inputs.items()]
    graph = helper.make_graph(nodes, "layer", ports, [helper.make_tensor_value_info("y", number, output)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def write(folder, name, nodes, inputs, kind=np.float32):
    """Writes a case whose graph computes `y`."""
    inputs = {key: array.astype(kind).astype(np.float32) for key, array in inputs.items()}
    session = onnxruntime.InferenceSession(
        model(nodes, inputs, None, np.float32).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (y,) = session.run(["y"], inputs)
    assert np.isfinite(y).all() and np.unique(y).size > 1, name
    case = folder / f"test_{name}"
    (case / "test_data_set_0").mkdir(parents=True, exist_ok=True)
    onnx.save(model(nodes, inputs, y.shape, kind), case / "model.onnx")
    files = [(f"input_{at}.pb", array) for at, array in enumerate(inputs.values())] + [("output_0.pb", y)]
    for file, array in files:
        tensor = numpy_helper.from_array(array.astype(kind))
        (case / "test_data_set_0" / file).write_bytes(tensor.SerializeToString())


def node(operator, inputs, output="y", **attributes):
    return helper.make_node(operator, inputs.split(), [output], **attributes)


# The side of x, channels of x, channels of y, taps along an axis, stride.
CONVOLUTIONS = [
    (224, 3, 64, 7, 2),
    (56, 64, 64, 1, 1),
    (56, 64, 64, 3, 1),
    (56, 64, 256, 1, 1),
    (56, 256, 128, 1, 1),
    (56, 128, 128, 3, 2),
    (56, 256, 512, 1, 2),
    (28, 128, 128, 3, 1),
    (28, 512, 256, 1, 1),
    (14, 256, 256, 3, 1),
    (14, 1024, 512, 1, 1),
    (14, 1024, 2048, 1, 2),
    (7, 512, 512, 3, 1),
    (7, 2048, 512, 1, 1),
]


def convolutions(folder):
    for at, (side, inputs, outputs, taps, stride) in enumerate(CONVOLUTIONS):
        nodes = [node("Conv", "x w b", strides=[stride] * 2, pads=[taps // 2] * 4)]
        arrays = {
            "x": dyadic(1, inputs, side, side),
            "w": dyadic(outputs, inputs, taps, taps),
            "b": dyadic(outputs),
        }
        name = f"conv_{side}_{inputs}_{outputs}_{taps}x{taps}_{stride}"
        write(folder, name, nodes, arrays)
        # Half of them, as each form takes the processor as long.
        if at % 2 == 0:
            write(folder, f"{name}_f16", nodes, arrays, np.float16)


def head(folder):
    """The other layers of ResNet-50, and one of its blocks."""
    write(folder, "max_pool", [node("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)],
          {"x": normal(1, 64, 112, 112)})
    write(folder, "average_pool", [node("GlobalAveragePool", "x")], {"x": dyadic(1, 2048, 7, 7)})
    write(folder, "gemm", [node("Gemm", "x w b", transB=1)],
          {"x": dyadic(1, 2048), "w": dyadic(1000, 2048), "b": dyadic(1000)})
    write(folder, "softmax_1000", [node("Softmax", "x", axis=1)], {"x": 4 * normal(1, 1000)})
    block = [
        node("Conv", "x w1 b1", "a", kernel_shape=[1, 1]),
        node("Relu", "a", "b"),
        node("Conv", "b w2 b2", "c", kernel_shape=[3, 3], pads=[1] * 4),
        node("BatchNormalization", "c scale shift mean variance", "d"),
        node("Relu", "d", "e"),
        node("Conv", "e w3 b3", "f", kernel_shape=[1, 1]),
        node("Add", "f x", "g"),
        node("Relu", "g"),
    ]
    write(folder, "block_of_resnet", block, {
        "x": normal(1, 256, 14, 14),
        "w1": normal(64, 256, 1, 1) / 16, "b1": normal(64),
        "w2": normal(64, 64, 3, 3) / 24, "b2": normal(64),
        "scale": normal(64), "shift": normal(64), "mean": normal(64), "variance": 1 + abs(normal(64)),
        "w3": normal(256, 64, 1, 1) / 8, "b3": normal(256),
    })


def transformer(folder):
    tokens, width, heads, hidden = 256, 512, 8, 2048
    each = width // heads
    for kind, suffix in [(np.float32, ""), (np.float16, "_f16")]:
        for name, (rows, depth, columns) in {
            "keys": (tokens, width, 3 * width), "up": (tokens, width, hidden), "down": (tokens, hidden, width),
        }.items():
            write(folder, f"matmul_{name}{suffix}", [node("MatMul", "a b")],
                  {"a": dyadic(rows, depth), "b": dyadic(depth, columns)}, kind)
        write(folder, f"scores{suffix}", [node("MatMul", "q k")],
              {"q": dyadic(1, heads, tokens, each), "k": dyadic(1, heads, each, tokens)}, kind)
        write(folder, f"softmax_{tokens}{suffix}", [node("Softmax", "x", axis=-1)],
              {"x": 4 * normal(1, heads, tokens, tokens)}, kind)
    norm = {"scale": normal(width), "shift": normal(width)}
    write(folder, "layer_norm", [node("LayerNormalization", "x scale shift", axis=-1, epsilon=1e-5)],
          {"x": normal(1, tokens, width), **norm})
    write(folder, "gelu", [node("Gelu", "x")], {"x": 2 * normal(1, tokens, hidden)})

    def split(array, name, order):
        shape = f"shape_{name}"
        constant = helper.make_node("Constant", [], [shape], value=numpy_helper.from_array(
            np.array([1, tokens, heads, each], dtype=np.int64)))
        return [constant, node("Reshape", f"{array} {shape}", f"{name}_parts"),
                node("Transpose", f"{name}_parts", name, perm=order)]

    joined = helper.make_node("Constant", [], ["joined"], value=numpy_helper.from_array(
        np.array([1, tokens, width], dtype=np.int64)))
    block = [
        node("LayerNormalization", "x scale shift", "n", axis=-1, epsilon=1e-5),
        node("MatMul", "n wq", "all_q"), node("MatMul", "n wk", "all_k"), node("MatMul", "n wv", "all_v"),
        *split("all_q", "q", [0, 2, 1, 3]), *split("all_k", "k", [0, 2, 3, 1]), *split("all_v", "v", [0, 2, 1, 3]),
        node("MatMul", "q k", "s"),
        node("Softmax", "s", "p", axis=-1),
        node("MatMul", "p v", "o"),
        node("Transpose", "o", "t", perm=[0, 2, 1, 3]),
        joined,
        node("Reshape", "t joined", "u"),
        node("MatMul", "u wo", "z"),
        node("Add", "z x", "r"),
        node("LayerNormalization", "r scale shift", "m", axis=-1, epsilon=1e-5),
        node("MatMul", "m w1", "h"), node("Add", "h b1", "i"), node("Gelu", "i", "g"), node("MatMul", "g w2", "d"),
        node("Add", "d r"),
    ]
    root = np.float32(width ** -0.5)
    write(folder, "block_of_transformer", block, {
        "x": normal(1, tokens, width), **norm,
        # Scores are divided by the root of the numbers of a head.
        "wq": root / 8 * normal(width, width),
        **{name: root * normal(width, width) for name in ["wk", "wv", "wo"]},
        "w1": root * normal(width, hidden), "b1": normal(hidden), "w2": root * normal(hidden, width) / 2,
    })


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    convolutions(target)
    head(target)
    transformer(target)
    print(f"{len(list(target.iterdir()))} cases by onnxruntime {onnxruntime.__version__}")
