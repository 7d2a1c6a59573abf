# Stages that take long, for runs before a release or overnight. Sourced by `.ci/run`.

# Runs all tests repeatedly, on cores that other processes keep busy: no test may depend on timing.
load() {
    local times="${ANYWARP_LOAD_TIMES:-20}" failed=0 busy=() turn
    cargo test --workspace --no-run
    for ((turn = 0; turn < $(nproc); turn++)); do
        sh -c 'while :; do :; done' &
        busy+=("$!")
    done
    trap 'kill "${busy[@]}"' EXIT
    mkdir -p target/load
    for ((turn = 1; turn <= times; turn++)); do
        say "tests under load, $turn of $times"
        if ! cargo test --workspace --no-fail-fast >"target/load/$turn.log" 2>&1; then
            failed=$((failed + 1))
            grep -E 'FAILED|panicked|^error' "target/load/$turn.log" | head -n 20
        fi
    done
    kill "${busy[@]}"
    trap - EXIT
    echo "$failed of $times runs failed"
    [ "$failed" = 0 ]
}

# Checks the oldest and the newest dependencies, the public API, and the packages to publish.
versions() {
    say "versions and packages"
    tools/versions
}

# Tests mutants of the middle end: changes in one place at a time, each of which a test should detect. All mutants take
# more than a day on one core. `ANYWARP_MUTANTS=0/75` runs one in 75, `ANYWARP_MUTANTS_DIFF=main...` only mutants in
# code that differs from `main`.
mutations() {
    say "mutation tests of the middle end"
    local out=target/mutants/mutants.out chosen=() status=0
    if ! command -v cargo-mutants >/dev/null && [ ! -x "$tools/bin/cargo-mutants" ]; then
        cargo install cargo-mutants --version 27.1.0 --locked --quiet --root "$tools"
    fi
    mkdir -p target/mutants
    [ -z "${ANYWARP_MUTANTS:-}" ] || chosen+=(--shard "$ANYWARP_MUTANTS")
    if [ -n "${ANYWARP_MUTANTS_DIFF:-}" ]; then
        git diff "$ANYWARP_MUTANTS_DIFF" -- middle/src >target/mutants/changes.diff
        chosen+=(--in-diff target/mutants/changes.diff)
    fi
    # Some mutants allocate without end: 16 GB are more than compilers and tests need.
    (ulimit -v 16000000 && PATH="$PATH:$tools/bin" cargo mutants --package anywarp-middle "${chosen[@]}") || status=$?
    # 2 and 3: mutants were missed, or ended by the time limit, which counts as detected.
    case $status in 0 | 2 | 3) ;; *) return $status ;; esac
    if [ -s $out/missed.txt ]; then
        echo "no test detects the mutants of $out/missed.txt"
        return 1
    fi
}

# Runs the programs of `fuzz/`, which mutate inputs towards new branches of the code: a minute each, or
# `ANYWARP_FUZZ_SECONDS`. They need a nightly compiler, and a build of their own with a sanitizer. New inputs are kept
# in
# `fuzz/corpus`, inputs that fail in `fuzz/artifacts`. The stage `tests` runs the same functions without a fuzzer.
fuzzers() {
    local seconds="${ANYWARP_FUZZ_SECONDS:-60}" name seeds
    say "fuzzing, $seconds s for each program"
    if ! command -v cargo-fuzz >/dev/null && [ ! -x "$tools/bin/cargo-fuzz" ]; then
        cargo install cargo-fuzz --version 0.13.2 --locked --quiet --root "$tools"
    fi
    PATH="$PATH:$tools/bin"
    rustup toolchain list | grep -q '^nightly' || rustup toolchain install nightly --profile minimal
    for name in front_end compose compile npy idx csv cache; do
        case $name in front_end | compose | compile) seeds=wgsl ;; *) seeds=$name ;; esac
        mkdir -p "fuzz/corpus/$name" "fuzz/seeds/$seeds"
        echo "$name"
        cargo +nightly fuzz run "$name" "fuzz/corpus/$name" "fuzz/seeds/$seeds" \
            --features libfuzzer --target-dir target/fuzz -- \
            -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1
    done
}

# Tests with sanitizers: ThreadSanitizer over the parts that share memory between threads (the queue of the CPU backend,
# timeline, completions, loader), AddressSanitizer over the CPU backend, its operators and the host sides of wgpu and CUDA.
# They need a nightly compiler and builds of their own, an hour on two busy cores. Cranelift's machine code and drivers
# are not instrumented: `cpu:checked` and the differential tests find races and wrong accesses in kernels.
sanitizers() {
    rustup toolchain list | grep -q '^nightly' || rustup toolchain install nightly --profile minimal
    # ThreadSanitizer has to know how the standard library synchronises, so that is built with it.
    rustup component list --toolchain nightly | grep -q '^rust-src (installed)' || rustup component add rust-src --toolchain nightly
    say "ThreadSanitizer"
    export VK_DRIVER_FILES=/none ANYWARP_REQUIRE=cpu
    sanitized thread -Zbuild-std --package anywarp-host --package anywarp-cpu --lib
    sanitized thread -Zbuild-std --package anywarp --no-default-features --features cpu \
        --lib --test asynchronous --test conformance --test library --test loader
    unset VK_DRIVER_FILES
    say "AddressSanitizer"
    export ANYWARP_REQUIRE=cpu,vulkan
    # Drivers keep memory until the process ends.
    export ASAN_OPTIONS=detect_leaks=0
    # AddressSanitizer makes the frames of naga's recursion larger, so that they exceed the usual stacks of test
    # threads.
    export RUST_MIN_STACK=268435456
    sanitized address --package anywarp --package anywarp-cpu --package anywarp-cuda --package anywarp-host \
        --package anywarp-wgpu --lib --test cancelled --test conformance --test lost --test ops --test pinned
}

# Builds and runs tests with a sanitizer.
sanitized() { # SANITIZER ARGUMENTS_OF_CARGO..
    local name="$1" target
    shift
    target="$(rustc +nightly -vV | sed -n 's/^host: //p')"
    RUSTFLAGS="-Zsanitizer=$name -Cunsafe-allow-abi-mismatch=sanitizer" \
        cargo +nightly test --target "$target" --target-dir "target/sanitizers/$name" "$@"
}
