// 64 rounds of mixing for each message of 16 words, of the kind that SHA-256 makes.
const ROUNDS = 64u;

@group(0) @binding(0) var<storage> constants: array<u32, ROUNDS>;
@group(0) @binding(1) var<storage> messages: array<array<u32, 16>>;
@group(0) @binding(2) var<storage, read_write> digests: array<array<u32, 8>>;

fn turned(word: u32, by: u32) -> u32 {
    return (word >> by) | (word << (32u - by));
}

@compute @workgroup_size(64)
fn digest(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&messages) {
        return;
    }
    var words: array<u32, ROUNDS>;
    for (var i = 0u; i < 16u; i++) {
        words[i] = messages[id.x][i];
    }
    for (var i = 16u; i < ROUNDS; i++) {
        let near = turned(words[i - 15u], 7u) ^ turned(words[i - 15u], 18u) ^ (words[i - 15u] >> 3u);
        let far = turned(words[i - 2u], 17u) ^ turned(words[i - 2u], 19u) ^ (words[i - 2u] >> 10u);
        words[i] = words[i - 16u] + near + words[i - 7u] + far;
    }
    var state: array<u32, 8>;
    for (var i = 0u; i < 8u; i++) {
        state[i] = constants[i];
    }
    for (var round = 0u; round < ROUNDS; round++) {
        let e = state[4];
        let choice = (e & state[5]) ^ (~e & state[6]);
        let spread = turned(e, 6u) ^ turned(e, 11u) ^ turned(e, 25u);
        let first = state[7] + spread + choice + constants[round] + words[round];
        let a = state[0];
        let majority = (a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2]);
        let second = (turned(a, 2u) ^ turned(a, 13u) ^ turned(a, 22u)) + majority;
        for (var i = 7u; i > 0u; i--) {
            state[i] = state[i - 1u];
        }
        state[4] += first;
        state[0] = first + second;
    }
    for (var i = 0u; i < 8u; i++) {
        digests[id.x][i] = state[i] + constants[i];
    }
}
