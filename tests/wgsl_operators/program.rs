//! Whole kernels that read words and write words.

use anywarp::{Device, Wgsl};

use anywarp_testing_devices::outcome::TestResult;

/// A kernel with inputs, which writes `result: array<u32>`.
pub(crate) struct Program<'a> {
    source: String,
    inputs: Vec<(&'a str, Vec<u32>)>,
    overrides: Vec<(&'a str, f64)>,
    first: Vec<u32>,
    spare: Option<(&'a str, usize)>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), inputs: Vec::new(), overrides: Vec::new(), first: Vec::new(), spare: None }
    }

    /// Adds a read-only buffer.
    pub(crate) fn input(mut self, name: &'a str, words: &[u32]) -> Self {
        self.inputs.push((name, words.to_vec()));
        self
    }

    /// Sets the value of an override.
    pub(crate) fn set_override(mut self, name: &'a str, value: f64) -> Self {
        self.overrides.push((name, value));
        self
    }

    /// Sets the first words of the result before the kernel runs.
    pub(crate) fn starting(mut self, words: &[u32]) -> Self {
        self.first = words.to_vec();
        self
    }

    /// Adds a buffer of words that the kernel may write and that is not checked.
    pub(crate) fn spare(mut self, name: &'a str, words: usize) -> Self {
        self.spare = Some((name, words));
        self
    }

    /// Runs `groups` workgroups; returns the first `length` words of the result.
    pub(crate) fn run(
        &self,
        device: &Device,
        length: usize,
        groups: impl Into<anywarp::Extent>,
    ) -> TestResult<Vec<u32>> {
        let mut words = self.first.clone();
        words.resize(length, 0);
        let overrides = self.overrides.iter();
        let wgsl = Wgsl::new(&self.source).file("program.wgsl");
        let kernel = device.kernel(overrides.fold(wgsl, |wgsl, (name, value)| wgsl.set_override(*name, *value)))?;
        let mut buffers = Vec::new();
        for (name, words) in &self.inputs {
            buffers.push((*name, device.buffer_from::<u8>(bytemuck::cast_slice(words))?));
        }
        let mut result = device.buffer_from::<u8>(bytemuck::cast_slice(&words))?;
        let launch = buffers.iter().fold(kernel.launch(), |launch, (name, buffer)| launch.bind(name, buffer));
        let launch = launch.bind("result", &mut result);
        match self.spare {
            Some((name, words)) => launch.bind(name, &mut device.buffer::<u32>(words)?).groups(groups)?,
            None => launch.groups(groups)?,
        };
        Ok(bytemuck::pod_collect_to_vec(&result.read()?))
    }
}
