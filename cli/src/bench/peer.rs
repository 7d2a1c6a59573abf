//! The peer beside an operator: a loop of Rust on a processor, torch on a CUDA device.

use std::process::Command;
use std::time::Duration;

use anywarp::Device;
use anywarp::backend::{BackendKind, DeviceKind};
use serde::Serialize;

use super::cases::Case;
use super::median;
use crate::op::Input;

/// The measurement of a peer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) seconds: f64,
}

/// The peers of a device.
pub(super) enum Peers {
    /// A plain loop on one thread.
    Host,
    /// The Python module `torch`.
    Torch,
    /// No peer, for this reason.
    None(String),
}

/// Measures an expression of torch, after a comparison with the same expression on the processor.
const SCRIPT: &str = r"
import sys, time, torch
expression, kind, n, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
h = (torch.arange(n, dtype=torch.int64) * 2654435761 % 2**32) // 2**24
host = (h / 256).to(torch.float32) if kind == 'f4' else h.to(torch.int32)
first = lambda y: (y[0] if isinstance(y, tuple) else y).cpu().double()
x, wait = host.cuda(), torch.cuda.synchronize
if not torch.allclose(first(eval(expression)), first(eval(expression, {'x': host})), rtol=1e-3):
    sys.exit('wrong result')
times = []
for _ in range(repeats + 2):
    wait()
    start = time.perf_counter()
    for _ in range(8):
        eval(expression)
    wait()
    times.append((time.perf_counter() - start) / 8)
print(sorted(times[2:])[repeats // 2])
";

impl Peers {
    /// Returns the peers that this machine has for `device`.
    pub(super) fn find(device: &Device) -> Self {
        let caps = device.caps();
        if caps.kind == DeviceKind::Software {
            return Self::Host;
        }
        if caps.backend != BackendKind::Cuda {
            return Self::None(format!("none is known for {}", caps.backend));
        }
        let torch = "import torch; assert torch.cuda.is_available()";
        match Command::new("python3").args(["-c", torch]).output() {
            Ok(output) if output.status.success() => Self::Torch,
            _ => Self::None("python3 cannot import torch, or torch finds no GPU".to_owned()),
        }
    }

    pub(super) fn none() -> Self {
        Self::None(String::new())
    }

    /// The reason why there is no peer; `None` if there is one.
    pub(super) fn missing(&self) -> Option<String> {
        match self {
            Self::None(reason) => Some(reason.clone()),
            Self::Host | Self::Torch => None,
        }
    }

    /// Measures the peer of a case; returns `None` if the case has none, or the measurement fails.
    pub(super) fn measure(
        &self,
        case: &Case,
        inputs: &[Input],
        n: usize,
        repeats: usize,
        budget: Duration,
    ) -> Option<Peer> {
        match self {
            Self::Host => {
                let host = case.host?;
                let seconds = median(repeats, budget, || {
                    host(inputs);
                    Ok(())
                });
                Some(Peer { name: "one thread of Rust".to_owned(), seconds: seconds.ok()? })
            }
            Self::Torch => {
                let mut python = Command::new("python3");
                let kind = inputs.first().map_or("f4", |input| input.array.dtype.name());
                python.args(["-c", SCRIPT, case.torch?, kind, &n.to_string(), &repeats.to_string()]);
                let output = python.output().ok().filter(|output| output.status.success())?;
                let seconds = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
                Some(Peer { name: "torch".to_owned(), seconds })
            }
            Self::None(_) => None,
        }
    }
}
