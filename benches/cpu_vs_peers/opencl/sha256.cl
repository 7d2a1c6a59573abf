// SHA-256 of messages of one block, already padded: the sixteen words of a block are columns.
#define COUNT (1 << 17)

__constant uint K[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u
};
__constant uint START[8] = {
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u
};

// Turned to the right.
uint rotated(uint x, uint by) {
    return rotate(x, 32 - by);
}

__kernel void run(__global const uint *restrict blocks, __global uint *restrict digests) {
    int at = get_global_id(0);
    uint w[16];
    for (int i = 0; i < 16; i++) {
        w[i] = blocks[i * COUNT + at];
    }
    uint a = START[0], b = START[1], c = START[2], d = START[3];
    uint e = START[4], f = START[5], g = START[6], h = START[7];
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            uint low = rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3);
            uint high = rotated(y, 17) ^ rotated(y, 19) ^ (y >> 10);
            w[i & 15] += low + w[(i + 9) & 15] + high;
        }
        uint high = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
        uint choice = (e & f) ^ (~e & g);
        uint one = h + high + choice + K[i] + w[i & 15];
        uint low = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
        uint majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + low + majority;
    }
    digests[at] = START[0] + a;
    digests[COUNT + at] = START[1] + b;
    digests[2 * COUNT + at] = START[2] + c;
    digests[3 * COUNT + at] = START[3] + d;
    digests[4 * COUNT + at] = START[4] + e;
    digests[5 * COUNT + at] = START[5] + f;
    digests[6 * COUNT + at] = START[6] + g;
    digests[7 * COUNT + at] = START[7] + h;
}
