// One step of bodies that all attract each other.
#define COUNT 4096
#define TILE 256
#define TIME_STEP 0.1f
// Limits the force between close bodies, and of a body on itself.
#define SOFTENING 0.01f

typedef struct {
    float4 position; // the mass is in w
    float4 velocity;
} Body;

__kernel void run(__global const Body *restrict bodies, __global Body *restrict moved) {
    __local float4 tile[TILE];
    int own = get_global_id(0);
    int local_id = get_local_id(0);
    float4 position = bodies[own].position;
    float3 acceleration = (float3)(0.0f);
    for (int start = 0; start < COUNT; start += TILE) {
        tile[local_id] = bodies[start + local_id].position;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++) {
            float4 body = tile[i];
            float3 offset = body.xyz - position.xyz;
            float inverse = rsqrt(dot(offset, offset) + SOFTENING);
            acceleration += body.w * inverse * inverse * inverse * offset;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 velocity = bodies[own].velocity.xyz + TIME_STEP * acceleration;
    moved[own].position = (float4)(position.xyz + TIME_STEP * velocity, position.w);
    moved[own].velocity = (float4)(velocity, 0.0f);
}
