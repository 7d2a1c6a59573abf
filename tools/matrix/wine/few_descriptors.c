/* A Vulkan layer that lowers a driver's limits of descriptors.
 * Wine's Direct3D 12 allocates as many as the driver allows, a million of each kind: gigabytes for each device on
 * Mesa's driver for the processor. The suite needs a few hundred.
 * Built with: cc -O2 -shared -fPIC -o few_descriptors.so few_descriptors.c */
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define MAX_DESCRIPTORS 16384u
#define INSTANCES 256

/* The next layer, by the pointer at the start of an instance and its physical devices. */
static struct {
    void *key;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkGetPhysicalDeviceProperties2 properties;
} below[INSTANCES];
static unsigned instances;

static int find(void *handle)
{
    void *key = *(void **)handle;
    /* The newest first: keys are reused after an instance is destroyed. */
    for (unsigned i = instances; i > 0; i--) {
        if (below[(i - 1) % INSTANCES].key == key) {
            return (int)((i - 1) % INSTANCES);
        }
    }
    return -1;
}

static void lower(uint32_t *limit)
{
    if (*limit > MAX_DESCRIPTORS) {
        *limit = MAX_DESCRIPTORS;
    }
}

#define LOWER(properties)                                                  \
    lower(&(properties)->maxUpdateAfterBindDescriptorsInAllPools);         \
    lower(&(properties)->maxPerStageDescriptorUpdateAfterBindSamplers);    \
    lower(&(properties)->maxPerStageDescriptorUpdateAfterBindUniformBuffers); \
    lower(&(properties)->maxPerStageDescriptorUpdateAfterBindStorageBuffers); \
    lower(&(properties)->maxPerStageDescriptorUpdateAfterBindSampledImages); \
    lower(&(properties)->maxPerStageDescriptorUpdateAfterBindStorageImages); \
    lower(&(properties)->maxPerStageUpdateAfterBindResources);             \
    lower(&(properties)->maxDescriptorSetUpdateAfterBindSamplers);         \
    lower(&(properties)->maxDescriptorSetUpdateAfterBindUniformBuffers);   \
    lower(&(properties)->maxDescriptorSetUpdateAfterBindStorageBuffers);   \
    lower(&(properties)->maxDescriptorSetUpdateAfterBindSampledImages);    \
    lower(&(properties)->maxDescriptorSetUpdateAfterBindStorageImages)

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *all)
{
    int at = find(device);
    if (at < 0 || !below[at].properties) {
        return;
    }
    below[at].properties(device, all);
    for (VkBaseOutStructure *part = all->pNext; part; part = part->pNext) {
        if (part->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES) {
            LOWER((VkPhysicalDeviceDescriptorIndexingProperties *)part);
        } else if (part->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
            LOWER((VkPhysicalDeviceVulkan12Properties *)part);
        }
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                             VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)) {
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    }
    if (!link) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = ((PFN_vkCreateInstance)get(VK_NULL_HANDLE, "vkCreateInstance"))(info, callbacks, instance);
    if (result == VK_SUCCESS) {
        unsigned at = instances++ % INSTANCES;
        below[at].key = *(void **)*instance;
        below[at].get = get;
        PFN_vkVoidFunction found = get(*instance, "vkGetPhysicalDeviceProperties2");
        found = found ? found : get(*instance, "vkGetPhysicalDeviceProperties2KHR");
        below[at].properties = (PFN_vkGetPhysicalDeviceProperties2)found;
    }
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char *name)
{
    if (!strcmp(name, "vkCreateInstance")) {
        return (PFN_vkVoidFunction)create;
    }
    if (!strcmp(name, "vkGetInstanceProcAddr")) {
        return (PFN_vkVoidFunction)get;
    }
    int at = instance ? find(instance) : -1;
    if (at < 0) {
        return NULL;
    }
    PFN_vkVoidFunction found = below[at].get(instance, name);
    int ours = !strcmp(name, "vkGetPhysicalDeviceProperties2") || !strcmp(name, "vkGetPhysicalDeviceProperties2KHR");
    return found && ours ? (PFN_vkVoidFunction)properties : found;
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = get;
    interface->pfnGetDeviceProcAddr = NULL;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
