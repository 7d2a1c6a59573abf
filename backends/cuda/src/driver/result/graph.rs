//! Graphs: instantiating, updating, launching and destroying them.

use std::mem::MaybeUninit;
use std::ptr::null_mut;

use super::checked;
use crate::driver::error::DriverResult;
use crate::driver::sys::{CUgraph, CUgraphExec, CUgraphExecUpdateResultInfo, CUstream, Driver};

impl Driver {
    /// # Safety
    /// The graph is alive.
    pub(in crate::driver) unsafe fn graph_instantiate(&self, graph: CUgraph) -> DriverResult<CUgraphExec> {
        let mut exec = null_mut();
        // SAFETY: as the caller guarantees; the function writes one handle of this frame.
        let code = unsafe { (self.cuGraphInstantiateWithFlags)(&raw mut exec, graph, 0) };
        checked("cuGraphInstantiate", code).map(|()| exec)
    }

    /// Replaces the nodes of an executable graph by those of another graph. Runs in flight keep the nodes that they
    /// were launched with.
    ///
    /// # Safety
    /// Both graphs are alive.
    pub(in crate::driver) unsafe fn graph_update(&self, exec: CUgraphExec, graph: CUgraph) -> DriverResult<()> {
        let mut info = MaybeUninit::<CUgraphExecUpdateResultInfo>::uninit();
        // SAFETY: as the caller guarantees; `info` has space for the driver's output, and is not read.
        checked("cuGraphExecUpdate", unsafe { (self.cuGraphExecUpdate_v2)(exec, graph, info.as_mut_ptr()) })
    }

    /// # Safety
    /// Graph and stream are alive. The memory and the kernels that the graph's nodes use stay valid for the duration of
    /// the run.
    pub(in crate::driver) unsafe fn graph_launch(&self, exec: CUgraphExec, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuGraphLaunch", unsafe { (self.cuGraphLaunch)(exec, stream) })
    }

    /// # Safety
    /// The executable graph is alive, and not used after this; its runs have ended.
    pub(in crate::driver) unsafe fn graph_exec_destroy(&self, exec: CUgraphExec) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuGraphExecDestroy", unsafe { (self.cuGraphExecDestroy)(exec) })
    }

    /// # Safety
    /// The graph is alive, and not used after this.
    pub(in crate::driver) unsafe fn graph_destroy(&self, graph: CUgraph) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuGraphDestroy", unsafe { (self.cuGraphDestroy)(graph) })
    }
}
