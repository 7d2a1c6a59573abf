//! Memory of a card that the host can write: allocated and mapped by Vulkan, and exported for the driver.
//!
//! The driver itself maps no memory of a card for the host, but Vulkan has a type of memory that both reach. A device of
//! Vulkan's on the same card is only created for its allocations; no work is submitted to it. Vulkan's loader is found
//! at run time.

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;

use ash::{khr, vk};

/// The kind of the exported handles.
const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// An instance, and the loader that it belongs to.
struct Instance {
    native: ash::Instance,
    _loader: ash::Entry,
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the instance was created by `Exporter::open`, and each object of it is gone: it is the last field of
        // the exporter, or no object was made.
        unsafe { self.native.destroy_instance(None) };
    }
}

/// A device of Vulkan's on the card.
pub(in crate::driver) struct Exporter {
    device: ash::Device,
    exports: khr::external_memory_fd::Device,
    /// The index of the type of memory that lies on the card, and that the host can map.
    memory_type: u32,
    _instance: Instance,
}

/// Memory that the host has mapped for writing.
pub(in crate::driver) struct Exported {
    exporter: Arc<Exporter>,
    memory: vk::DeviceMemory,
    start: NonNull<u8>,
    bytes: u64,
}

/// A handle of exported memory; dropping it closes it.
pub(in crate::driver) struct Handle(OwnedFd);

// SAFETY: Vulkan's functions may be called from any thread, and no two calls get the same memory: `Exported` owns its
// own. The pointer is only given to the owner of this value.
unsafe impl Send for Exported {}
// SAFETY: as above.
unsafe impl Sync for Exported {}

fn said(function: &str) -> impl Fn(vk::Result) -> String {
    move |error| format!("{function} returned {error}")
}

impl Exporter {
    /// Opens the first device of Vulkan's whose UUID is accepted.
    ///
    /// # Errors
    /// The reason why its memory cannot be exported.
    pub(in crate::driver) fn open(accepts: impl Fn([u8; 16]) -> bool) -> Result<Arc<Self>, String> {
        // SAFETY: the loader's initialisers have no requirements, and it stays loaded while the instance exists.
        let loader =
            unsafe { ash::Entry::load() }.map_err(|error| format!("Vulkan's loader is not installed ({error})"))?;
        // SAFETY: the function has no requirements.
        let version = unsafe { loader.try_enumerate_instance_version() };
        if version.map_err(said("vkEnumerateInstanceVersion"))?.is_none_or(|version| version < vk::API_VERSION_1_1) {
            return Err("Vulkan's loader is older than version 1.1".to_owned());
        }
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the structures are complete, and live until the call returns.
        let native = unsafe { loader.create_instance(&info, None) }.map_err(said("vkCreateInstance"))?;
        let instance = Instance { native, _loader: loader };
        let native = &instance.native;
        // SAFETY: the instance is alive.
        let all = unsafe { native.enumerate_physical_devices() }.map_err(said("vkEnumeratePhysicalDevices"))?;
        let card = all.into_iter().find(|card| {
            let mut identity = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut identity);
            // SAFETY: the card is one of the instance's, which has version 1.1.
            unsafe { native.get_physical_device_properties2(*card, &mut properties) };
            accepts(identity.device_uuid)
        });
        let card = card.ok_or_else(|| "Vulkan does not know the card".to_owned())?;
        // SAFETY: as above.
        let extensions = unsafe { native.enumerate_device_extension_properties(card) };
        let extensions = extensions.map_err(said("vkEnumerateDeviceExtensionProperties"))?;
        let name = khr::external_memory_fd::NAME;
        if !extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name)) {
            return Err(format!("Vulkan lacks the extension {} for the card", name.to_string_lossy()));
        }
        // SAFETY: as above.
        let properties = unsafe { native.get_physical_device_memory_properties(card) };
        let wanted = vk::MemoryPropertyFlags::DEVICE_LOCAL
            | vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT;
        let types = properties.memory_types_as_slice().iter();
        let memory_type = (0..).zip(types).find(|(_, memory)| memory.property_flags.contains(wanted));
        let (memory_type, _) = memory_type.ok_or_else(|| "the host can map no memory of the card".to_owned())?;
        let priorities = [1.0];
        // A device has at least one queue; each card has a first family.
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let names = [name.as_ptr()];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
        // SAFETY: the card has the extension, and the structures live until the call returns.
        let device = unsafe { native.create_device(card, &info, None) }.map_err(said("vkCreateDevice"))?;
        let exports = khr::external_memory_fd::Device::new(native, &device);
        Ok(Arc::new(Self { device, exports, memory_type, _instance: instance }))
    }

    /// Allocates and maps memory; returns it with a handle for another driver.
    ///
    /// # Errors
    /// The reason, as a text.
    pub(in crate::driver) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<(Exported, Handle), String> {
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(HANDLE);
        let info = vk::MemoryAllocateInfo::default().allocation_size(bytes).memory_type_index(self.memory_type);
        // SAFETY: the device is alive, and the structures live until the call returns.
        let memory = unsafe { self.device.allocate_memory(&info.push_next(&mut export), None) };
        let memory = memory.map_err(said("vkAllocateMemory"))?;
        // From here on the memory is freed when this function fails.
        let mut exported = Exported { exporter: Arc::clone(self), memory, start: NonNull::dangling(), bytes };
        // SAFETY: the memory was just allocated with a type that the host can map, and is mapped once.
        let start = unsafe { self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        let start = start.map_err(said("vkMapMemory"))?;
        exported.start = NonNull::new(start.cast()).ok_or_else(|| "vkMapMemory returned nothing".to_owned())?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(HANDLE);
        // SAFETY: the memory was allocated for export by handles of this kind.
        let handle = unsafe { self.exports.get_memory_fd(&info) }.map_err(said("vkGetMemoryFdKHR"))?;
        // SAFETY: the function returns a new handle, which belongs to its caller.
        Ok((exported, Handle(unsafe { OwnedFd::from_raw_fd(handle) })))
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // SAFETY: each memory keeps the exporter, so none is left; nothing was submitted.
        unsafe { self.device.destroy_device(None) };
    }
}

impl Exported {
    /// The first byte, on the host; mapped while the value lives.
    pub(in crate::driver) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The size as allocated.
    pub(in crate::driver) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Handle {
    /// The number by which another driver imports the memory.
    pub(in crate::driver) fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Leaves the handle to the driver that has imported it, which closes it.
    pub(in crate::driver) fn give(self) {
        let _ = self.0.into_raw_fd();
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // SAFETY: the memory is freed once, which also ends its mapping. Other drivers keep what they have imported.
        unsafe { self.exporter.device.free_memory(self.memory, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_not_there_is_a_reason() {
        let reason = Exporter::open(|_| false).map(|_| ()).unwrap_err();
        assert!(reason.contains("Vulkan"), "{reason}");
    }

    /// Any device will do, also one of software.
    #[test]
    fn memory_is_mapped_and_exported() {
        let Ok(exporter) = Exporter::open(|_| true) else { return };
        let (exported, handle) = exporter.allocate(1 << 16).unwrap();
        // SAFETY: the memory is mapped, and has this size.
        let bytes = unsafe { std::slice::from_raw_parts_mut(exported.start().as_ptr(), 1 << 16) };
        bytes.fill(0x5a);
        assert_eq!((bytes[0], bytes[(1 << 16) - 1], exported.bytes()), (0x5a, 0x5a, 1 << 16));
        let size = std::fs::File::from(handle.0).metadata().map(|file| file.len());
        assert!(size.is_ok(), "{size:?}");
        drop(exporter);
        drop(exported);
    }
}
