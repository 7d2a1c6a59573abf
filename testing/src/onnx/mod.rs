//! Models and tensors in files of ONNX, as far as its node tests need them.
//!
//! Field numbers are those of <https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>. Unknown fields are ignored;
//! bytes that are no message are an error, never a panic.

mod model;
mod protobuf;
mod tensor;

pub use model::{Attribute, Graph, Kind, Model, Node, Port};
pub use tensor::{Tensor, type_name};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with a length: its number, its bytes.
    fn part(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).unwrap();
        [&[number << 3 | 2, length], bytes].concat()
    }

    fn number(field: u8, value: u8) -> Vec<u8> {
        vec![field << 3, value]
    }

    /// `y = Elu(x)` with `alpha` = 2 for tensors of `f32`.
    fn model() -> Vec<u8> {
        let alpha = [part(1, b"alpha"), vec![2 << 3 | 5, 0, 0, 0, 0x40], vec![0xa0, 1, 1]].concat();
        let node = [part(1, b"x"), part(2, b"y"), part(4, b"Elu"), part(5, &alpha)].concat();
        let port = |name: &[u8]| [part(1, name), part(2, &part(1, &number(1, 1)))].concat();
        let graph = [part(1, &node), part(11, &port(b"x")), part(12, &port(b"y"))].concat();
        [part(7, &graph), part(8, &number(2, 22))].concat()
    }

    /// Two `f32`, in the form of `float_data`.
    fn tensor() -> Vec<u8> {
        let data: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|number| number.to_le_bytes()).collect();
        [number(1, 2), number(2, 1), part(4, &data), part(8, b"x")].concat()
    }

    #[test]
    fn a_model_is_read() {
        let model = Model::read(&model()).unwrap();
        assert_eq!(model.opset, 22);
        let [node] = &model.graph.nodes[..] else { panic!("expected one node, got {:?}", model.graph.nodes) };
        assert_eq!(
            (&node.operator[..], &node.inputs[..], &node.outputs[..]),
            ("Elu", &["x".into()][..], &["y".into()][..])
        );
        assert_eq!(node.attributes["alpha"], Attribute::Float(2.0));
        assert_eq!(model.graph.inputs, [Port { name: "x".to_owned(), kind: Kind::Tensor(1) }]);
        assert_eq!(model.graph.outputs, [Port { name: "y".to_owned(), kind: Kind::Tensor(1) }]);
    }

    #[test]
    fn a_tensor_has_the_same_bytes_in_each_form() {
        let read = Tensor::read(&tensor()).unwrap();
        assert_eq!((&read.name[..], read.element, &read.shape[..]), ("x", 1, &[2][..]));
        let raw = [number(1, 2), number(2, 1), part(9, &read.bytes), part(8, b"x")].concat();
        assert_eq!(Tensor::read(&raw).unwrap(), read);
        // Three i8 as varints: 1, -1 in ten bytes, -128.
        let minus_one = [[0xff; 9].as_slice(), &[1]].concat();
        let minus_128 = [[0x80, 0xff].as_slice(), &[0xff; 7], &[1]].concat();
        let packed = [&[1][..], &minus_one, &minus_128].concat();
        let bytes = [number(1, 3), number(2, 3), part(5, &packed)].concat();
        assert_eq!(Tensor::read(&bytes).unwrap().bytes, [1, 0xff, 0x80]);
    }

    #[test]
    fn a_shape_that_does_not_fit_the_bytes_is_an_error() {
        let bytes = [number(1, 3), number(2, 1), part(9, &[0; 8])].concat();
        assert_eq!(Tensor::read(&bytes).unwrap_err(), "a tensor of shape [3] has 8 bytes; expected 12");
        let extent = [1 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        let bytes = [&extent[..], &extent, &number(2, 1)].concat();
        assert!(Tensor::read(&bytes).unwrap_err().contains("too large"));
    }

    #[test]
    fn bad_bytes_are_never_a_panic() {
        let mut errors = 0;
        for whole in [model(), tensor()] {
            for at in 0..whole.len() {
                errors += usize::from(Model::read(&whole[..at]).is_err() || Tensor::read(&whole[..at]).is_err());
                for value in 0..=u8::MAX {
                    let mut changed = whole.clone();
                    changed[at] = value;
                    errors += usize::from(Model::read(&changed).is_err());
                    errors += usize::from(Tensor::read(&changed).is_err());
                }
            }
        }
        assert!(errors > 100, "{errors}");
    }

    #[test]
    fn graphs_in_graphs_end() {
        // An attribute with a graph, whose node has an attribute with a graph, and so on.
        let mut graph = Vec::new();
        for _ in 0..20_000 {
            let wrapped = |number: u8, bytes: &[u8]| {
                let mut length = bytes.len();
                let mut field = vec![number << 3 | 2];
                while length > 0x7f {
                    field.push(length as u8 | 0x80);
                    length >>= 7;
                }
                field.push(length as u8);
                [&field[..], bytes].concat()
            };
            graph = wrapped(1, &wrapped(5, &wrapped(6, &graph)));
            if graph.len() > 60_000 {
                break;
            }
        }
        let bytes = [
            vec![
                7 << 3 | 2,
                0x80 | (graph.len() & 0x7f) as u8,
                0x80 | (graph.len() >> 7 & 0x7f) as u8,
                (graph.len() >> 14) as u8,
            ],
            graph,
        ]
        .concat();
        assert!(Model::read(&bytes).is_ok());
    }
}
