# Suites beyond the README's test command. Sourced by `.ci/run`.

# Prints the folder of the WGSL conformance cases; fails if there is none.
case_folder() {
    local folder="${ANYWARP_CTS_DIR:-../shared/conformance}"
    [ -d "$folder/cases" ] && folder="$folder/cases"
    [ -d "$folder" ] && echo "$folder"
}

# Prints that cases are skipped; fails if a folder was named, so that a wrong path does not pass as a run.
no_case_folder() {
    if [ -n "${ANYWARP_CTS_DIR:-}" ]; then
        echo "ANYWARP_CTS_DIR: '$ANYWARP_CTS_DIR' is not a folder" >&2
        exit 1
    fi
    echo "no folder of cases (set ANYWARP_CTS_DIR): skipped"
}

# Runs the WGSL conformance cases, if their folder exists.
cases() {
    say "WGSL conformance cases"
    last cases
    local folder cpu=(--sample 4 --seed 1) checked=(--sample 1 --seed 1) vulkan=(--sample 1 --seed 1)
    if ! folder="$(case_folder)"; then
        no_case_folder
        return
    fi
    if whole; then cpu=() checked=(--sample 50 --seed 1) vulkan=(--sample 5 --seed 1); fi
    cargo test --workspace --test cts -- --device cpu --timeout 900 "${cpu[@]}" "$folder"
    # The findings, too, must be those of tests/cts/expected_findings.txt. Cases of memory models, which repeat races many
    # times, take a checked device more than a quarter of an hour each.
    local part
    for part in expression robust_access; do
        cargo test --workspace --test cts -- --device cpu:checked --timeout 900 --filter "$part" "${checked[@]}" "$folder"
    done
    cargo test --workspace --test cts -- --device vulkan --timeout 900 "${vulkan[@]}" "$folder"
}

# Installs NVIDIA's compiler and disassembler into the folder of tools, and sets the variables that name them. They need
# no NVIDIA GPU.
nvrtc() {
    if ! find "$tools" -name 'libnvrtc.so.*' 2>/dev/null | grep -q .; then
        { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet nvidia-cuda-nvrtc nvidia-cuda-nvdisasm; } || return 1
    fi
    ANYWARP_NVRTC="$(find "$tools" -name 'libnvrtc.so.*' -printf '%h\n' -quit)"
    ANYWARP_NVDISASM="$(find "$tools" -name nvdisasm -type f -print -quit)"
    chmod +x "$ANYWARP_NVDISASM"
    export ANYWARP_NVRTC ANYWARP_NVDISASM
}

# Compiles translated kernels to machine code for NVIDIA GPUs, which needs no GPU: those of the unit tests, of the tool's
# tests, and of the benches. A whole run also compiles the kernels of the suites, those that ship in all their forms, and a
# part of the conformance cases for all four generations of GPUs, which takes half an hour on two cores.
cubins() {
    say "CUDA without a card"
    last cubins
    nvrtc || { echo "NVRTC could not be installed: skipped" && return; }
    ANYWARP_REQUIRE=nvrtc cargo test --workspace --lib -- nvrtc stages translate
    ANYWARP_REQUIRE=nvrtc cargo test --workspace --test translate --test inspect
    ANYWARP_REQUIRE=nvrtc cargo test --workspace --test insight -- nvrtc
    whole || return 0
    local folder newest=() older=()
    if folder="$(case_folder)"; then
        newest=(--sample 2 --seed 1 "$folder") older=(--sample 0.5 --seed 2 "$folder")
    else
        no_case_folder
    fi
    ANYWARP_REQUIRE=nvrtc cargo test --workspace --test cubins -- --arch sm_90 "${newest[@]}"
    ANYWARP_REQUIRE=nvrtc cargo test --workspace --test cubins -- --arch sm_75,sm_80,sm_100 "${older[@]}"
}

# Operators within the limits of WebGPU and of phones, on lavapipe: right results, or an error that names the limit.
limits() {
    say "operators within the limits of weaker devices"
    last limits
    # Those of WebGPU are between these and the device's own, and take minutes.
    local cases=(vulkan-phone)
    if whole; then cases=(vulkan- --include-ignored); fi
    cargo test --workspace --test ops -- "${cases[@]}"
}

# ONNX's node tests, and real layers with the results of onnxruntime, on the processor; a whole run also has them on
# Vulkan.
onnx() {
    say "ONNX node tests"
    last onnx
    local release=1.22.0 folder
    folder="${ANYWARP_ONNX_DIR:-$tools/onnx-$release/onnx/backend/test/data/node}"
    if [ ! -d "$folder" ]; then
        # Only data is taken from the package; later releases have none.
        if ! { python3 -m venv "$tools" && "$tools/bin/pip" download --quiet --no-deps --only-binary :all: \
            --dest "$tools/onnx-$release" "onnx==$release"; }; then
            echo "the package onnx $release could not be downloaded: skipped"
            return
        fi
        python3 - "$tools/onnx-$release" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
    wheel.extractall(folder, [name for name in wheel.namelist() if "/data/node/" in name])
PYTHON
    fi
    cargo test --workspace --test onnx -- --check docs/onnx.md "$folder"
    local layers="$tools/layers"
    if { [ -x "$tools/bin/pip" ] || python3 -m venv "$tools"; } &&
        "$tools/bin/pip" install --quiet "onnx==$release" onnxruntime==1.32.0 &&
        "$tools/bin/python" tests/onnx/layers.py "$layers"; then
        cargo test --workspace --test onnx -- --absolute 1e-5 "$layers"
    else
        echo "onnxruntime could not be installed: its layers are skipped"
    fi
    whole || return 0
    cargo test --workspace --test onnx -- --device vulkan "$folder"
    [ ! -d "$layers" ] || cargo test --workspace --test onnx -- --absolute 1e-5 --device vulkan "$layers"
}

# Results of SciPy in double precision, for a sample of long transforms, on the processor; a whole run has 200 lengths to
# 2^24, and Vulkan, too. ANYWARP_SCIPY_DIR names a folder that has been made before.
scipy() {
    say "SciPy's results"
    last scipy
    local folder="${ANYWARP_SCIPY_DIR:-$tools/scipy-cases}" all=()
    if whole; then all=(--whole); fi
    if [ -z "${ANYWARP_SCIPY_DIR:-}" ]; then
        rm -rf "$folder"
        if ! { [ -x "$tools/bin/pip" ] || python3 -m venv "$tools"; } ||
            ! "$tools/bin/pip" install --quiet --only-binary :all: scipy==1.16.3; then
            echo "SciPy could not be installed: skipped"
            return
        fi
        # A failure here is one of the script, so that the stage fails.
        "$tools/bin/python" tests/ops/scipy/cases.py "${all[@]}" "$folder"
    fi
    ANYWARP_SCIPY_DIR="$folder" cargo test --workspace --test ops -- cpu::scipy
    ! whole || ANYWARP_SCIPY_DIR="$folder" cargo test --workspace --test ops -- vulkan::scipy
}

# Random kernels: the processor, software Vulkan and plain Rust must agree.
fuzz() {
    say "random kernels"
    last fuzz
    local part=14 suite=(cpu::)
    if whole; then part=1 suite=(); fi
    differential() { cargo test --workspace --test differential -- --shrink 5 "$@"; }
    differential --devices cpu,vulkan --count $((2000 / part)) --seed 1 --size 4
    differential --devices cpu --count $((300 / part)) --seed 1 --size 16
    say "random kernels with indices out of range, for the bounds checks"
    differential --bias checks --devices cpu --count $((14000 / part)) --seed 1
    differential --bias checks --devices cpu:checked --count $((4000 / part)) --seed 50000
    say "the same, and the suite, with variants of kernels for each launch"
    ANYWARP_VARIANTS=at-once differential --bias checks --devices cpu --count $((2000 / part)) --seed 70000
    ANYWARP_VARIANTS=at-once cargo test --workspace --test conformance -- "${suite[@]}"
}

# Runs for a quarter of a minute on each device, in which no use of resources may grow. An hour, before a release:
# ANYWARP_SOAK_SECONDS=3600 .ci/run soak.
soak() {
    say "soak"
    local seconds="${ANYWARP_SOAK_SECONDS:-15}" device
    for device in cpu vulkan; do
        ANYWARP_DEVICE=$device ANYWARP_SOAK_SECONDS=$seconds cargo test --workspace --test soak -- --nocapture |
            grep -E 'rounds|test result'
    done
}

examples() {
    say "examples"
    local folder root="$PWD" example picture device
    folder="$(mktemp -d)"
    cargo build --workspace --examples --bins --quiet
    (
        cd "$folder"
        run() { "$root/target/debug/examples/$1" "${@:2}"; }
        run 01_saxpy
        run 02_conv3x3
        run 02_conv3x3 --device cpu
        test -s conv3x3.png
        run 03_transfers --svg transfers.svg
        grep -q '</svg>' transfers.svg
        for example in 04_typed 05_elementwise 06_tiles 07_async 08_checked 09_loader 11_beside_wgpu 17_prefix_sum; do
            run "$example"
        done
        run 10_matmul 256
        run 12_mandelbrot 2 120
        run 13_nbody 512 20
        run 14_gray_scott 1 64
        run 15_edges
        run 16_sorted_pixels
        run 18_digits
        run 19_ring 10000
        for device in cpu vulkan; do ANYWARP_DEVICE=$device run 20_stream 10000; done
        for device in cpu vulkan; do ANYWARP_DEVICE=$device run 21_waves 1 96; done
        grep -q '</svg>' digits-loss.svg
        for picture in mandelbrot nbody gray-scott-00 edges sorted-pixels waves-00; do test -s "$picture.png"; done
        "$root/target/debug/anywarp" devices
    )
    rm -r "$folder"
}

# Runs the benches shortly, with the optimisation of tests: results are checked, times are not.
benches() {
    say "benches"
    bench() { cargo bench --profile dev --workspace --bench "$1" -- "${@:2}" --quick; }
    bench overhead --device vulkan
    bench transfer --device vulkan
    bench cpu_vs_peers
    bench elementwise --device cpu
    bench loader --device cpu
    bench checks
    bench ladder --device cpu
    bench small --device cpu
}
