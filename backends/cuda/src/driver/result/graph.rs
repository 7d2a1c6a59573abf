//! Graphs: captured, instantiated, launched.

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
        // SAFETY: as the caller says; writes one handle of this frame.
        let code = unsafe { (self.cuGraphInstantiateWithFlags)(&raw mut exec, graph, 0) };
        checked("cuGraphInstantiate", code).map(|()| exec)
    }

    /// Replaces an executable graph's nodes by those of another graph; runs in flight keep the nodes they were launched
    /// with.
    ///
    /// # Safety
    /// Both are alive.
    pub(in crate::driver) unsafe fn graph_update(&self, exec: CUgraphExec, graph: CUgraph) -> DriverResult<()> {
        let mut info = MaybeUninit::<CUgraphExecUpdateResultInfo>::uninit();
        // SAFETY: as the caller says; `info` has space for the driver's output, and is not read.
        checked("cuGraphExecUpdate", unsafe { (self.cuGraphExecUpdate_v2)(exec, graph, info.as_mut_ptr()) })
    }

    /// # Safety
    /// Both are alive. For the duration of the run, the graph's nodes may access everything that they access.
    pub(in crate::driver) unsafe fn graph_launch(&self, exec: CUgraphExec, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller says.
        checked("cuGraphLaunch", unsafe { (self.cuGraphLaunch)(exec, stream) })
    }

    /// # Safety
    /// The graph is alive, and not used after this; its runs have ended.
    pub(in crate::driver) unsafe fn graph_exec_destroy(&self, exec: CUgraphExec) -> DriverResult<()> {
        // SAFETY: as the caller says.
        checked("cuGraphExecDestroy", unsafe { (self.cuGraphExecDestroy)(exec) })
    }

    /// # Safety
    /// The graph is alive, and not used after this.
    pub(in crate::driver) unsafe fn graph_destroy(&self, graph: CUgraph) -> DriverResult<()> {
        // SAFETY: as the caller says.
        checked("cuGraphDestroy", unsafe { (self.cuGraphDestroy)(graph) })
    }
}
