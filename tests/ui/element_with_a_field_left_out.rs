#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Particle {
    position: [f32; 3],
    mass: f32,
}
anywarp::element!(Particle { position });

fn main() {}
