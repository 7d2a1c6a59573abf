import super::writes::write;

@compute @workgroup_size(1)
fn main() {
    write(4);
}
