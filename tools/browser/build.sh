#!/usr/bin/env bash
# build.sh KIND FOLDER: a page with its WebAssembly, ready to be served.
#   suite     the conformance suite (tests/conformance), page browser.html
#   example   the convolution of a picture (examples/web), page index.html
# Needs rustup's target wasm32-unknown-unknown, which it adds, or Debian's rust-web-src and cargo-web in its place.
# wasm-bindgen is taken from PATH or target/ci-tools, in just the version of Cargo.lock, else installed there.
set -euo pipefail
if [ $# -ne 2 ]; then sed -n '2,4s/^# //p' "$0" >&2; exit 64; fi
kind=$1 out=$2
root="$(cd "$(dirname "$0")/../.." && pwd)"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
cd "$root"

target=wasm32-unknown-unknown
build_std=()

prepare_target() {
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then return; fi
    if rustup target add "$target" >&2; then return; fi
    echo "build.sh: rustup cannot add $target; trying Debian's Rust, which has the library's source" >&2
    if [ ! -d /usr/lib/rustlib/src/rust/library ] && [ ! -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src" ]; then
        echo "build.sh: neither is there: rustup target add $target, or apt-get install rustc-web cargo-web rust-web-src" >&2
        exit 1
    fi
    local linker
    linker="$(find "$(rustc --print sysroot)/lib/rustlib" -name rust-lld | head -n 1)"
    if [ -n "$linker" ]; then export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker"; fi
    export PATH=/usr/bin:/bin RUSTC_BOOTSTRAP=1
    build_std=(-Zbuild-std=std,panic_abort)
}

# The file that the last artifact of a build is in, from the messages of cargo.
artifact() {
    local field=$1
    shift
    cargo build "${build_std[@]}" --target "$target" --message-format=json-render-diagnostics "$@" |
        sed -n "s/.*\"$field\":\\[*\"\\([^\"]*\\.wasm\\)\".*/\\1/p" | tail -n 1
}

bindgen() {
    local version tools name wanted
    version="$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)"
    wanted="wasm-bindgen $version"
    tools="$root/target/ci-tools"
    for name in wasm-bindgen "$tools/bin/wasm-bindgen"; do
        if [ "$("$name" --version 2>/dev/null | cut -d' ' -f1,2)" = "$wanted" ]; then break; fi
        name=
    done
    if [ -z "$name" ]; then
        # A registry's mirror may not have yet what the lock file of the tool names.
        install_bindgen "$version" "$tools" --locked || install_bindgen "$version" "$tools"
        rm -rf "$tools/target"
        name="$tools/bin/wasm-bindgen"
    fi
    "$name" --target web --no-typescript --out-dir "$out" "$@"
}

install_bindgen() {
    CARGO_TARGET_DIR="$2/target" cargo install wasm-bindgen-cli --version "$1" --force --root "$2" "${@:3}" >&2
}

prepare_target
case "$kind" in
    suite)
        wasm="$(artifact executable -p anywarp --release --no-default-features --features wgpu --test conformance)"
        bindgen --out-name conformance "$wasm"
        cp tests/conformance/browser.html "$out/"
        ;;
    example)
        wasm="$(artifact filenames -p anywarp-web --profile web)"
        bindgen --out-name convolution --remove-name-section --remove-producers-section "$wasm"
        cp examples/web/page/* examples/data/rocket.jpg "$out/"
        ;;
    *)
        echo "build.sh: there is no '$kind': suite or example" >&2
        exit 64
        ;;
esac
for file in "$out"/*.wasm; do
    echo "$file: $(wc -c <"$file") bytes, $(gzip -9c "$file" | wc -c) after gzip"
done
