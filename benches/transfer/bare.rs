//! Transfers through raw wgpu.

use std::hint::black_box;

use crate::data::{check, fill};
use crate::ours::PROBE;
use crate::shared::{Outcome, Raw, timed};

const PAGE: usize = 4 << 10;

/// The raw side for one size: mapped staging buffers that are reused or, in unified memory, plain copies on the host.
pub(crate) struct Bare<'a> {
    raw: &'a Raw,
    unified: bool,
    buffer: wgpu::Buffer,
    source: wgpu::Buffer,
    probe: wgpu::Buffer,
    upload: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// The words on the host. Those in use start at a page boundary, as mapped memory does.
    host: Vec<u32>,
    page: usize,
}

impl<'a> Bare<'a> {
    pub(crate) fn new(raw: &'a Raw, words: usize, unified: bool) -> Outcome<Self> {
        use wgpu::BufferUsages as Usage;
        // Plain copies need no staging.
        let bytes = if unified { PROBE } else { words * 4 } as u64;
        let device = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let host = if unified { vec![1; words + PAGE / 4] } else { Vec::new() };
        let bare = Self {
            raw,
            unified,
            buffer: raw.buffer(bytes, device),
            source: raw.buffer(bytes, device),
            probe: raw.buffer(PROBE as u64, Usage::COPY_DST),
            upload: raw.buffer(bytes, Usage::MAP_WRITE | Usage::COPY_SRC),
            readback: raw.buffer(bytes, Usage::MAP_READ | Usage::COPY_DST),
            page: host.as_ptr().align_offset(PAGE),
            host,
        };
        bare.stage(|words| fill(words, 1))?;
        let mut encoder = raw.encoder();
        encoder.copy_buffer_to_buffer(&bare.upload, 0, &bare.source, 0, bytes);
        raw.finish(encoder)?;
        Ok(bare)
    }

    /// Maps the upload buffer and fills it with `write`.
    pub(crate) fn stage(&self, write: impl FnOnce(&mut [u32])) -> Outcome<()> {
        self.raw.map(&self.upload, wgpu::MapMode::Write)?;
        let mut view = self.upload.get_mapped_range_mut(..)?;
        let bytes = view.slice(..).as_raw_ptr();
        // SAFETY: the view covers the mapped buffer, whose start is aligned to 8 bytes and whose length is a multiple
        // of 4. Nothing else accesses it until it is dropped. The mapping was zeroed or written before, and every bit
        // pattern is a `u32`.
        write(unsafe { std::slice::from_raw_parts_mut(bytes.cast::<u32>().as_ptr(), bytes.len() / 4) });
        drop(view);
        self.upload.unmap();
        Ok(())
    }

    pub(crate) fn use_on_device(&self, mut encoder: wgpu::CommandEncoder) -> Outcome<()> {
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &self.probe, 0, PROBE as u64);
        self.raw.finish(encoder)
    }

    /// Uploads with `write_buffer`, which stages internally; in unified memory with a plain copy.
    pub(crate) fn upload(&mut self, from: &[u32]) -> Outcome<f64> {
        timed(|| {
            if self.unified {
                self.plain().copy_from_slice(from);
            } else {
                self.raw.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(from));
            }
            self.use_on_device(self.raw.encoder())
        })
    }

    /// Uploads through the mapped buffer. The time excludes the writes to the buffer, but in unified memory includes
    /// them.
    pub(crate) fn upload_in_place(&mut self, seed: u32) -> Outcome<f64> {
        if self.unified {
            return timed(|| {
                fill(self.plain(), seed);
                self.use_on_device(self.raw.encoder())
            });
        }
        self.stage(|words| fill(words, seed))?;
        timed(|| {
            let mut encoder = self.raw.encoder();
            encoder.copy_buffer_to_buffer(&self.upload, 0, &self.buffer, 0, self.buffer.size());
            self.use_on_device(encoder)
        })
    }

    fn plain(&mut self) -> &mut [u32] {
        let words = self.host.len() - PAGE / 4;
        black_box(&mut self.host[self.page..][..words])
    }

    pub(crate) fn download(&mut self, read: impl FnOnce(&[u32])) -> Outcome<f64> {
        if self.unified {
            let words = self.host.len() - PAGE / 4;
            return timed(|| {
                read(black_box(&self.host[self.page..][..words]));
                Ok(())
            });
        }
        let mut encoder = self.raw.encoder();
        encoder.copy_buffer_to_buffer(&self.source, 0, &self.buffer, 0, self.buffer.size());
        self.raw.finish(encoder)?;
        timed(|| {
            let mut encoder = self.raw.encoder();
            encoder.copy_buffer_to_buffer(&self.buffer, 0, &self.readback, 0, self.buffer.size());
            self.raw.queue.submit([encoder.finish()]);
            self.raw.map(&self.readback, wgpu::MapMode::Read)?;
            let view = self.readback.get_mapped_range(..)?;
            read(bytemuck::cast_slice(&view));
            drop(view);
            self.readback.unmap();
            Ok(())
        })
    }

    pub(crate) fn verify(&mut self, host: &mut [u32]) -> Outcome<()> {
        if self.unified {
            return Ok(());
        }
        self.download(|words| host.copy_from_slice(words))?;
        check("raw wgpu", host, 1)
    }
}
