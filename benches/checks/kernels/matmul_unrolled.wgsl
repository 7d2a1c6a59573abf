// product = a * b, row-major: 256 threads compute a tile of 128x128, each thread 8x8 elements, from strips of eight
// columns of a and eight rows of b. Every loop of known length is unrolled by hand.
const TILE = 128u;
const STRIP = 8u;
const SIDE = 16u;

struct Params {
    // Rows of a and the product.
    rows: u32,
    // Columns of b and the product.
    columns: u32,
    // Columns of a, rows of b.
    depth: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> product: array<f32>;

var<workgroup> a_strip: array<array<f32, TILE>, STRIP>;
var<workgroup> b_strip: array<array<f32, TILE>, STRIP>;

@compute @workgroup_size(SIDE, SIDE)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first_row = group.y * TILE;
    let first_column = group.x * TILE;
    var sum00 = 0.0; var sum01 = 0.0; var sum02 = 0.0; var sum03 = 0.0;
    var sum04 = 0.0; var sum05 = 0.0; var sum06 = 0.0; var sum07 = 0.0;
    var sum10 = 0.0; var sum11 = 0.0; var sum12 = 0.0; var sum13 = 0.0;
    var sum14 = 0.0; var sum15 = 0.0; var sum16 = 0.0; var sum17 = 0.0;
    var sum20 = 0.0; var sum21 = 0.0; var sum22 = 0.0; var sum23 = 0.0;
    var sum24 = 0.0; var sum25 = 0.0; var sum26 = 0.0; var sum27 = 0.0;
    var sum30 = 0.0; var sum31 = 0.0; var sum32 = 0.0; var sum33 = 0.0;
    var sum34 = 0.0; var sum35 = 0.0; var sum36 = 0.0; var sum37 = 0.0;
    var sum40 = 0.0; var sum41 = 0.0; var sum42 = 0.0; var sum43 = 0.0;
    var sum44 = 0.0; var sum45 = 0.0; var sum46 = 0.0; var sum47 = 0.0;
    var sum50 = 0.0; var sum51 = 0.0; var sum52 = 0.0; var sum53 = 0.0;
    var sum54 = 0.0; var sum55 = 0.0; var sum56 = 0.0; var sum57 = 0.0;
    var sum60 = 0.0; var sum61 = 0.0; var sum62 = 0.0; var sum63 = 0.0;
    var sum64 = 0.0; var sum65 = 0.0; var sum66 = 0.0; var sum67 = 0.0;
    var sum70 = 0.0; var sum71 = 0.0; var sum72 = 0.0; var sum73 = 0.0;
    var sum74 = 0.0; var sum75 = 0.0; var sum76 = 0.0; var sum77 = 0.0;
    for (var start = 0u; start < params.depth; start += STRIP) {
        let a_row0 = (thread + 0u) / STRIP;
        let a_k0 = (thread + 0u) % STRIP;
        var a_value0 = 0.0;
        if first_row + a_row0 < params.rows && start + a_k0 < params.depth {
            a_value0 = a[(first_row + a_row0) * params.depth + start + a_k0];
        }
        a_strip[a_k0][a_row0] = a_value0;
        let a_row1 = (thread + 256u) / STRIP;
        let a_k1 = (thread + 256u) % STRIP;
        var a_value1 = 0.0;
        if first_row + a_row1 < params.rows && start + a_k1 < params.depth {
            a_value1 = a[(first_row + a_row1) * params.depth + start + a_k1];
        }
        a_strip[a_k1][a_row1] = a_value1;
        let a_row2 = (thread + 512u) / STRIP;
        let a_k2 = (thread + 512u) % STRIP;
        var a_value2 = 0.0;
        if first_row + a_row2 < params.rows && start + a_k2 < params.depth {
            a_value2 = a[(first_row + a_row2) * params.depth + start + a_k2];
        }
        a_strip[a_k2][a_row2] = a_value2;
        let a_row3 = (thread + 768u) / STRIP;
        let a_k3 = (thread + 768u) % STRIP;
        var a_value3 = 0.0;
        if first_row + a_row3 < params.rows && start + a_k3 < params.depth {
            a_value3 = a[(first_row + a_row3) * params.depth + start + a_k3];
        }
        a_strip[a_k3][a_row3] = a_value3;
        let b_column0 = (thread + 0u) % TILE;
        let b_k0 = (thread + 0u) / TILE;
        var b_value0 = 0.0;
        if first_column + b_column0 < params.columns && start + b_k0 < params.depth {
            b_value0 = b[(start + b_k0) * params.columns + first_column + b_column0];
        }
        b_strip[b_k0][b_column0] = b_value0;
        let b_column1 = (thread + 256u) % TILE;
        let b_k1 = (thread + 256u) / TILE;
        var b_value1 = 0.0;
        if first_column + b_column1 < params.columns && start + b_k1 < params.depth {
            b_value1 = b[(start + b_k1) * params.columns + first_column + b_column1];
        }
        b_strip[b_k1][b_column1] = b_value1;
        let b_column2 = (thread + 512u) % TILE;
        let b_k2 = (thread + 512u) / TILE;
        var b_value2 = 0.0;
        if first_column + b_column2 < params.columns && start + b_k2 < params.depth {
            b_value2 = b[(start + b_k2) * params.columns + first_column + b_column2];
        }
        b_strip[b_k2][b_column2] = b_value2;
        let b_column3 = (thread + 768u) % TILE;
        let b_k3 = (thread + 768u) / TILE;
        var b_value3 = 0.0;
        if first_column + b_column3 < params.columns && start + b_k3 < params.depth {
            b_value3 = b[(start + b_k3) * params.columns + first_column + b_column3];
        }
        b_strip[b_k3][b_column3] = b_value3;
        workgroupBarrier();
        {
            let left0 = a_strip[0][local.y + 0u];
            let left1 = a_strip[0][local.y + 16u];
            let left2 = a_strip[0][local.y + 32u];
            let left3 = a_strip[0][local.y + 48u];
            let left4 = a_strip[0][local.y + 64u];
            let left5 = a_strip[0][local.y + 80u];
            let left6 = a_strip[0][local.y + 96u];
            let left7 = a_strip[0][local.y + 112u];
            let right0 = b_strip[0][local.x + 0u];
            let right1 = b_strip[0][local.x + 16u];
            let right2 = b_strip[0][local.x + 32u];
            let right3 = b_strip[0][local.x + 48u];
            let right4 = b_strip[0][local.x + 64u];
            let right5 = b_strip[0][local.x + 80u];
            let right6 = b_strip[0][local.x + 96u];
            let right7 = b_strip[0][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[1][local.y + 0u];
            let left1 = a_strip[1][local.y + 16u];
            let left2 = a_strip[1][local.y + 32u];
            let left3 = a_strip[1][local.y + 48u];
            let left4 = a_strip[1][local.y + 64u];
            let left5 = a_strip[1][local.y + 80u];
            let left6 = a_strip[1][local.y + 96u];
            let left7 = a_strip[1][local.y + 112u];
            let right0 = b_strip[1][local.x + 0u];
            let right1 = b_strip[1][local.x + 16u];
            let right2 = b_strip[1][local.x + 32u];
            let right3 = b_strip[1][local.x + 48u];
            let right4 = b_strip[1][local.x + 64u];
            let right5 = b_strip[1][local.x + 80u];
            let right6 = b_strip[1][local.x + 96u];
            let right7 = b_strip[1][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[2][local.y + 0u];
            let left1 = a_strip[2][local.y + 16u];
            let left2 = a_strip[2][local.y + 32u];
            let left3 = a_strip[2][local.y + 48u];
            let left4 = a_strip[2][local.y + 64u];
            let left5 = a_strip[2][local.y + 80u];
            let left6 = a_strip[2][local.y + 96u];
            let left7 = a_strip[2][local.y + 112u];
            let right0 = b_strip[2][local.x + 0u];
            let right1 = b_strip[2][local.x + 16u];
            let right2 = b_strip[2][local.x + 32u];
            let right3 = b_strip[2][local.x + 48u];
            let right4 = b_strip[2][local.x + 64u];
            let right5 = b_strip[2][local.x + 80u];
            let right6 = b_strip[2][local.x + 96u];
            let right7 = b_strip[2][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[3][local.y + 0u];
            let left1 = a_strip[3][local.y + 16u];
            let left2 = a_strip[3][local.y + 32u];
            let left3 = a_strip[3][local.y + 48u];
            let left4 = a_strip[3][local.y + 64u];
            let left5 = a_strip[3][local.y + 80u];
            let left6 = a_strip[3][local.y + 96u];
            let left7 = a_strip[3][local.y + 112u];
            let right0 = b_strip[3][local.x + 0u];
            let right1 = b_strip[3][local.x + 16u];
            let right2 = b_strip[3][local.x + 32u];
            let right3 = b_strip[3][local.x + 48u];
            let right4 = b_strip[3][local.x + 64u];
            let right5 = b_strip[3][local.x + 80u];
            let right6 = b_strip[3][local.x + 96u];
            let right7 = b_strip[3][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[4][local.y + 0u];
            let left1 = a_strip[4][local.y + 16u];
            let left2 = a_strip[4][local.y + 32u];
            let left3 = a_strip[4][local.y + 48u];
            let left4 = a_strip[4][local.y + 64u];
            let left5 = a_strip[4][local.y + 80u];
            let left6 = a_strip[4][local.y + 96u];
            let left7 = a_strip[4][local.y + 112u];
            let right0 = b_strip[4][local.x + 0u];
            let right1 = b_strip[4][local.x + 16u];
            let right2 = b_strip[4][local.x + 32u];
            let right3 = b_strip[4][local.x + 48u];
            let right4 = b_strip[4][local.x + 64u];
            let right5 = b_strip[4][local.x + 80u];
            let right6 = b_strip[4][local.x + 96u];
            let right7 = b_strip[4][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[5][local.y + 0u];
            let left1 = a_strip[5][local.y + 16u];
            let left2 = a_strip[5][local.y + 32u];
            let left3 = a_strip[5][local.y + 48u];
            let left4 = a_strip[5][local.y + 64u];
            let left5 = a_strip[5][local.y + 80u];
            let left6 = a_strip[5][local.y + 96u];
            let left7 = a_strip[5][local.y + 112u];
            let right0 = b_strip[5][local.x + 0u];
            let right1 = b_strip[5][local.x + 16u];
            let right2 = b_strip[5][local.x + 32u];
            let right3 = b_strip[5][local.x + 48u];
            let right4 = b_strip[5][local.x + 64u];
            let right5 = b_strip[5][local.x + 80u];
            let right6 = b_strip[5][local.x + 96u];
            let right7 = b_strip[5][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[6][local.y + 0u];
            let left1 = a_strip[6][local.y + 16u];
            let left2 = a_strip[6][local.y + 32u];
            let left3 = a_strip[6][local.y + 48u];
            let left4 = a_strip[6][local.y + 64u];
            let left5 = a_strip[6][local.y + 80u];
            let left6 = a_strip[6][local.y + 96u];
            let left7 = a_strip[6][local.y + 112u];
            let right0 = b_strip[6][local.x + 0u];
            let right1 = b_strip[6][local.x + 16u];
            let right2 = b_strip[6][local.x + 32u];
            let right3 = b_strip[6][local.x + 48u];
            let right4 = b_strip[6][local.x + 64u];
            let right5 = b_strip[6][local.x + 80u];
            let right6 = b_strip[6][local.x + 96u];
            let right7 = b_strip[6][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        {
            let left0 = a_strip[7][local.y + 0u];
            let left1 = a_strip[7][local.y + 16u];
            let left2 = a_strip[7][local.y + 32u];
            let left3 = a_strip[7][local.y + 48u];
            let left4 = a_strip[7][local.y + 64u];
            let left5 = a_strip[7][local.y + 80u];
            let left6 = a_strip[7][local.y + 96u];
            let left7 = a_strip[7][local.y + 112u];
            let right0 = b_strip[7][local.x + 0u];
            let right1 = b_strip[7][local.x + 16u];
            let right2 = b_strip[7][local.x + 32u];
            let right3 = b_strip[7][local.x + 48u];
            let right4 = b_strip[7][local.x + 64u];
            let right5 = b_strip[7][local.x + 80u];
            let right6 = b_strip[7][local.x + 96u];
            let right7 = b_strip[7][local.x + 112u];
            sum00 += left0 * right0; sum01 += left0 * right1; sum02 += left0 * right2; sum03 += left0 * right3;
            sum04 += left0 * right4; sum05 += left0 * right5; sum06 += left0 * right6; sum07 += left0 * right7;
            sum10 += left1 * right0; sum11 += left1 * right1; sum12 += left1 * right2; sum13 += left1 * right3;
            sum14 += left1 * right4; sum15 += left1 * right5; sum16 += left1 * right6; sum17 += left1 * right7;
            sum20 += left2 * right0; sum21 += left2 * right1; sum22 += left2 * right2; sum23 += left2 * right3;
            sum24 += left2 * right4; sum25 += left2 * right5; sum26 += left2 * right6; sum27 += left2 * right7;
            sum30 += left3 * right0; sum31 += left3 * right1; sum32 += left3 * right2; sum33 += left3 * right3;
            sum34 += left3 * right4; sum35 += left3 * right5; sum36 += left3 * right6; sum37 += left3 * right7;
            sum40 += left4 * right0; sum41 += left4 * right1; sum42 += left4 * right2; sum43 += left4 * right3;
            sum44 += left4 * right4; sum45 += left4 * right5; sum46 += left4 * right6; sum47 += left4 * right7;
            sum50 += left5 * right0; sum51 += left5 * right1; sum52 += left5 * right2; sum53 += left5 * right3;
            sum54 += left5 * right4; sum55 += left5 * right5; sum56 += left5 * right6; sum57 += left5 * right7;
            sum60 += left6 * right0; sum61 += left6 * right1; sum62 += left6 * right2; sum63 += left6 * right3;
            sum64 += left6 * right4; sum65 += left6 * right5; sum66 += left6 * right6; sum67 += left6 * right7;
            sum70 += left7 * right0; sum71 += left7 * right1; sum72 += left7 * right2; sum73 += left7 * right3;
            sum74 += left7 * right4; sum75 += left7 * right5; sum76 += left7 * right6; sum77 += left7 * right7;
        }
        workgroupBarrier();
    }
    let row0 = first_row + local.y + 0u;
    let row1 = first_row + local.y + 16u;
    let row2 = first_row + local.y + 32u;
    let row3 = first_row + local.y + 48u;
    let row4 = first_row + local.y + 64u;
    let row5 = first_row + local.y + 80u;
    let row6 = first_row + local.y + 96u;
    let row7 = first_row + local.y + 112u;
    let column0 = first_column + local.x + 0u;
    let column1 = first_column + local.x + 16u;
    let column2 = first_column + local.x + 32u;
    let column3 = first_column + local.x + 48u;
    let column4 = first_column + local.x + 64u;
    let column5 = first_column + local.x + 80u;
    let column6 = first_column + local.x + 96u;
    let column7 = first_column + local.x + 112u;
    if row0 < params.rows && column0 < params.columns { product[row0 * params.columns + column0] = sum00; }
    if row0 < params.rows && column1 < params.columns { product[row0 * params.columns + column1] = sum01; }
    if row0 < params.rows && column2 < params.columns { product[row0 * params.columns + column2] = sum02; }
    if row0 < params.rows && column3 < params.columns { product[row0 * params.columns + column3] = sum03; }
    if row0 < params.rows && column4 < params.columns { product[row0 * params.columns + column4] = sum04; }
    if row0 < params.rows && column5 < params.columns { product[row0 * params.columns + column5] = sum05; }
    if row0 < params.rows && column6 < params.columns { product[row0 * params.columns + column6] = sum06; }
    if row0 < params.rows && column7 < params.columns { product[row0 * params.columns + column7] = sum07; }
    if row1 < params.rows && column0 < params.columns { product[row1 * params.columns + column0] = sum10; }
    if row1 < params.rows && column1 < params.columns { product[row1 * params.columns + column1] = sum11; }
    if row1 < params.rows && column2 < params.columns { product[row1 * params.columns + column2] = sum12; }
    if row1 < params.rows && column3 < params.columns { product[row1 * params.columns + column3] = sum13; }
    if row1 < params.rows && column4 < params.columns { product[row1 * params.columns + column4] = sum14; }
    if row1 < params.rows && column5 < params.columns { product[row1 * params.columns + column5] = sum15; }
    if row1 < params.rows && column6 < params.columns { product[row1 * params.columns + column6] = sum16; }
    if row1 < params.rows && column7 < params.columns { product[row1 * params.columns + column7] = sum17; }
    if row2 < params.rows && column0 < params.columns { product[row2 * params.columns + column0] = sum20; }
    if row2 < params.rows && column1 < params.columns { product[row2 * params.columns + column1] = sum21; }
    if row2 < params.rows && column2 < params.columns { product[row2 * params.columns + column2] = sum22; }
    if row2 < params.rows && column3 < params.columns { product[row2 * params.columns + column3] = sum23; }
    if row2 < params.rows && column4 < params.columns { product[row2 * params.columns + column4] = sum24; }
    if row2 < params.rows && column5 < params.columns { product[row2 * params.columns + column5] = sum25; }
    if row2 < params.rows && column6 < params.columns { product[row2 * params.columns + column6] = sum26; }
    if row2 < params.rows && column7 < params.columns { product[row2 * params.columns + column7] = sum27; }
    if row3 < params.rows && column0 < params.columns { product[row3 * params.columns + column0] = sum30; }
    if row3 < params.rows && column1 < params.columns { product[row3 * params.columns + column1] = sum31; }
    if row3 < params.rows && column2 < params.columns { product[row3 * params.columns + column2] = sum32; }
    if row3 < params.rows && column3 < params.columns { product[row3 * params.columns + column3] = sum33; }
    if row3 < params.rows && column4 < params.columns { product[row3 * params.columns + column4] = sum34; }
    if row3 < params.rows && column5 < params.columns { product[row3 * params.columns + column5] = sum35; }
    if row3 < params.rows && column6 < params.columns { product[row3 * params.columns + column6] = sum36; }
    if row3 < params.rows && column7 < params.columns { product[row3 * params.columns + column7] = sum37; }
    if row4 < params.rows && column0 < params.columns { product[row4 * params.columns + column0] = sum40; }
    if row4 < params.rows && column1 < params.columns { product[row4 * params.columns + column1] = sum41; }
    if row4 < params.rows && column2 < params.columns { product[row4 * params.columns + column2] = sum42; }
    if row4 < params.rows && column3 < params.columns { product[row4 * params.columns + column3] = sum43; }
    if row4 < params.rows && column4 < params.columns { product[row4 * params.columns + column4] = sum44; }
    if row4 < params.rows && column5 < params.columns { product[row4 * params.columns + column5] = sum45; }
    if row4 < params.rows && column6 < params.columns { product[row4 * params.columns + column6] = sum46; }
    if row4 < params.rows && column7 < params.columns { product[row4 * params.columns + column7] = sum47; }
    if row5 < params.rows && column0 < params.columns { product[row5 * params.columns + column0] = sum50; }
    if row5 < params.rows && column1 < params.columns { product[row5 * params.columns + column1] = sum51; }
    if row5 < params.rows && column2 < params.columns { product[row5 * params.columns + column2] = sum52; }
    if row5 < params.rows && column3 < params.columns { product[row5 * params.columns + column3] = sum53; }
    if row5 < params.rows && column4 < params.columns { product[row5 * params.columns + column4] = sum54; }
    if row5 < params.rows && column5 < params.columns { product[row5 * params.columns + column5] = sum55; }
    if row5 < params.rows && column6 < params.columns { product[row5 * params.columns + column6] = sum56; }
    if row5 < params.rows && column7 < params.columns { product[row5 * params.columns + column7] = sum57; }
    if row6 < params.rows && column0 < params.columns { product[row6 * params.columns + column0] = sum60; }
    if row6 < params.rows && column1 < params.columns { product[row6 * params.columns + column1] = sum61; }
    if row6 < params.rows && column2 < params.columns { product[row6 * params.columns + column2] = sum62; }
    if row6 < params.rows && column3 < params.columns { product[row6 * params.columns + column3] = sum63; }
    if row6 < params.rows && column4 < params.columns { product[row6 * params.columns + column4] = sum64; }
    if row6 < params.rows && column5 < params.columns { product[row6 * params.columns + column5] = sum65; }
    if row6 < params.rows && column6 < params.columns { product[row6 * params.columns + column6] = sum66; }
    if row6 < params.rows && column7 < params.columns { product[row6 * params.columns + column7] = sum67; }
    if row7 < params.rows && column0 < params.columns { product[row7 * params.columns + column0] = sum70; }
    if row7 < params.rows && column1 < params.columns { product[row7 * params.columns + column1] = sum71; }
    if row7 < params.rows && column2 < params.columns { product[row7 * params.columns + column2] = sum72; }
    if row7 < params.rows && column3 < params.columns { product[row7 * params.columns + column3] = sum73; }
    if row7 < params.rows && column4 < params.columns { product[row7 * params.columns + column4] = sum74; }
    if row7 < params.rows && column5 < params.columns { product[row7 * params.columns + column5] = sum75; }
    if row7 < params.rows && column6 < params.columns { product[row7 * params.columns + column6] = sum76; }
    if row7 < params.rows && column7 < params.columns { product[row7 * params.columns + column7] = sum77; }
}
