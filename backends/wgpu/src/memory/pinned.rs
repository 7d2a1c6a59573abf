//! Staging memory in the host's own cached memory that stays mapped: for Vulkan devices with memory of their own.
//!
//! wgpu allocates upload buffers in device memory where the host can address it. The host's stores then cross the bus
//! one by one, and even with several threads they reach only half of the bus's rate. The device fetches data in the
//! host's memory by itself at the rate of the bus, while the host writes the next part of the data into its caches. No
//! usage of wgpu requests such memory, so it is allocated here and the buffer is passed to wgpu.

use std::ptr::NonNull;

use ash::vk;
use wgpu::hal::api::Vulkan;

use crate::memory::upload::Whose;

/// The smallest size in bytes of memory that is allocated here. For smaller sizes the kind of memory makes no
/// difference, and drivers limit the number of allocations.
pub(crate) const SMALLEST: u64 = 1 << 20;

/// A buffer that copy commands read, and its address on the host.
pub(crate) struct Pinned {
    pub(crate) buffer: wgpu::Buffer,
    /// The host's address of the buffer, readable and writable for as long as the buffer lives.
    pub(crate) start: NonNull<u8>,
}

/// Allocates `bytes` of zeroed memory; `None` on devices without such memory.
pub(crate) fn allocate(
    device: &wgpu::Device,
    whose: Whose,
    bytes: u64,
    label: Option<&str>,
) -> Result<Option<Pinned>, vk::Result> {
    // SAFETY: the handle is used only to create new objects; no object of wgpu is destroyed.
    let Some(hal) = (unsafe { device.as_hal::<Vulkan>() }) else { return Ok(None) };
    let (memory_properties, raw) = (properties(&hal), hal.raw_device());
    let Ok(length) = usize::try_from(bytes) else { return Ok(None) };
    let information = vk::BufferCreateInfo::default().size(bytes).usage(vk::BufferUsageFlags::TRANSFER_SRC);
    // SAFETY: the description is valid; the buffer is destroyed below, or owned by wgpu.
    let buffer = unsafe { raw.create_buffer(&information, None)? };
    // SAFETY: the buffer was just made by this device.
    let requirements = unsafe { raw.get_buffer_memory_requirements(buffer) };
    let memory = match memory_type(&memory_properties, requirements.memory_type_bits, whose) {
        Some(index) => {
            let wanted = vk::MemoryAllocateInfo::default().allocation_size(requirements.size).memory_type_index(index);
            // SAFETY: the size and the type are what the buffer requires.
            unsafe { raw.allocate_memory(&wanted, None) }.map(Some)
        }
        None => Ok(None),
    };
    let undo = |memory: Option<vk::DeviceMemory>| {
        // SAFETY: the buffer and the memory were created above, and nothing uses them.
        unsafe {
            raw.destroy_buffer(buffer, None);
            if let Some(memory) = memory {
                raw.free_memory(memory, None);
            }
        }
    };
    let memory = match memory {
        Ok(Some(memory)) => memory,
        Ok(None) => {
            undo(None);
            return Ok(None);
        }
        Err(error) => {
            undo(None);
            return Err(error);
        }
    };
    // SAFETY: the memory has the required size and type, and is neither bound nor mapped yet. It stays mapped until
    // wgpu frees it with the buffer.
    let mapped = unsafe {
        raw.bind_buffer_memory(buffer, memory, 0)
            .and_then(|()| raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()))
    };
    let start = match mapped.map(|start| NonNull::new(start.cast::<u8>())) {
        Ok(Some(start)) => start,
        Ok(None) => {
            undo(Some(memory));
            return Err(vk::Result::ERROR_MEMORY_MAP_FAILED);
        }
        Err(error) => {
            undo(Some(memory));
            return Err(error);
        }
    };
    // SAFETY: the mapping is at least as long as the buffer, and no other code has it yet.
    unsafe { start.as_ptr().write_bytes(0, length) };
    // SAFETY: wgpu alone owns the buffer and the memory from here on; the range is the whole allocation.
    let owned = unsafe { wgpu::hal::vulkan::Buffer::from_raw_managed(buffer, memory, 0, requirements.size) };
    drop(hal);
    let description =
        wgpu::BufferDescriptor { label, size: bytes, usage: wgpu::BufferUsages::COPY_SRC, mapped_at_creation: false };
    // SAFETY: the buffer is of this device, was made for this use and size, and is initialised.
    let buffer = unsafe { device.create_buffer_from_hal::<Vulkan>(owned, &description) };
    Ok(Some(Pinned { buffer, start }))
}

fn properties(device: &wgpu::hal::vulkan::Device) -> vk::PhysicalDeviceMemoryProperties {
    let physical = device.raw_physical_device();
    // SAFETY: the physical device belongs to this instance.
    unsafe { device.shared_instance().raw_instance().get_physical_device_memory_properties(physical) }
}

/// The index of a cached and coherent memory type among those that `allowed` has bits for: a type of the host's own
/// memory if there is one, and otherwise, if `whose` allows it, any such type.
fn memory_type(properties: &vk::PhysicalDeviceMemoryProperties, allowed: u32, whose: Whose) -> Option<u32> {
    use vk::MemoryPropertyFlags as Flags;
    let wanted = Flags::HOST_VISIBLE | Flags::HOST_COHERENT | Flags::HOST_CACHED;
    let flags = |index: &u32| properties.memory_types[*index as usize].property_flags;
    let mut fitting =
        (0..properties.memory_type_count).filter(|index| allowed & (1 << index) != 0 && flags(index).contains(wanted));
    match fitting.clone().find(|index| !flags(index).contains(Flags::DEVICE_LOCAL)) {
        None if whose == Whose::Any => fitting.next(),
        hosts => hosts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::MemoryPropertyFlags as Flags;

    fn properties(types: &[Flags]) -> vk::PhysicalDeviceMemoryProperties {
        let mut properties = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: types.len() as u32,
            ..vk::PhysicalDeviceMemoryProperties::default()
        };
        for (place, flags) in properties.memory_types.iter_mut().zip(types) {
            place.property_flags = *flags;
        }
        properties
    }

    #[test]
    fn only_the_hosts_cached_memory_is_taken() {
        let host = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let types = [
            Flags::DEVICE_LOCAL,
            host,
            host | Flags::HOST_CACHED | Flags::DEVICE_LOCAL,
            host | Flags::HOST_CACHED,
            host | Flags::DEVICE_LOCAL,
        ];
        assert_eq!(memory_type(&properties(&types), u32::MAX, Whose::Hosts), Some(3));
        assert_eq!(memory_type(&properties(&types), u32::MAX, Whose::Any), Some(3));
        assert_eq!(memory_type(&properties(&types), 0b10111, Whose::Hosts), None, "a type that is not allowed");
        assert_eq!(memory_type(&properties(&types[..3]), u32::MAX, Whose::Hosts), None, "one memory for both");
        assert_eq!(memory_type(&properties(&types[..3]), u32::MAX, Whose::Any), Some(2));
    }
}
