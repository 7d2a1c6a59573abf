#!/usr/bin/env bash
# build.sh KIND FOLDER: a page with its WebAssembly, ready to be served, or the package for npm.
#   suite     the conformance suite (tests/conformance), page browser.html
#   rings     the tests of rings (tests/ring), page browser.html
#   example   the page of examples/web, index.html: built quickly, to try it
#   release   the same page, smaller: linked by one core, which takes minutes
#   npm       the package `anywarp` for JavaScript (tools/npm), to be published by `npm publish FOLDER`
#   npm-quick the same package, built quickly, to try it
# Needs rustup's target wasm32-unknown-unknown, which it adds, or Debian's rust-web-src and cargo-web instead.
# wasm-bindgen is taken from PATH if its version is exactly that of Cargo.lock, else bindgen/ is built instead.
set -euo pipefail
if [ $# -ne 2 ]; then sed -n '2,8s/^# //p' "$0" >&2; exit 64; fi
kind=$1 out=$2
root="$(cd "$(dirname "$0")/../.." && pwd)"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
cd "$root"

target=wasm32-unknown-unknown
build_std=() # macOS has a bash that treats an empty array as unset

prepare_target() {
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then return; fi
    if rustup target add "$target" >&2; then return; fi
    echo "build.sh: rustup cannot add $target; trying Debian's Rust, which has the library's source" >&2
    if [ ! -d /usr/lib/rustlib/src/rust/library ] && [ ! -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src" ]; then
        echo "build.sh: found no library for $target: run rustup target add $target, or apt-get install rustc-web cargo-web rust-web-src" >&2
        exit 1
    fi
    local linker
    linker="$(find "$(rustc --print sysroot)/lib/rustlib" -name rust-lld | head -n 1)"
    if [ -n "$linker" ]; then export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker"; fi
    export PATH=/usr/bin:/bin RUSTC_BOOTSTRAP=1
    build_std=(-Zbuild-std=std,panic_abort)
}

# The file of a build's last artifact, from cargo's messages.
artifact() {
    local field=$1
    shift
    cargo build ${build_std[@]+"${build_std[@]}"} --target "$target" --message-format=json-render-diagnostics "$@" |
        sed -n "s/.*\"$field\":\\[*\"\\([^\"]*\\.wasm\\)\".*/\\1/p" | tail -n 1
}

# bindgen NAME MODULE [--small | --package]
bindgen() {
    local version small=(--no-typescript)
    version="$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)"
    if [ "$(wasm-bindgen --version 2>/dev/null | cut -d' ' -f1,2)" = "wasm-bindgen $version" ]; then
        case "${3:-}" in
            --small) small+=(--remove-name-section --remove-producers-section) ;;
            --package) small=(--remove-name-section --remove-producers-section) ;;
        esac
        wasm-bindgen --target web --out-dir "$out" --out-name "$1" ${small[@]+"${small[@]}"} "$2"
        return
    fi
    if ! grep -qF "wasm-bindgen-cli-support = \"=$version\"" tools/browser/bindgen/Cargo.toml; then
        echo "build.sh: Cargo.lock has wasm-bindgen $version: tools/browser/bindgen/Cargo.toml must require exactly that version" >&2
        exit 1
    fi
    cargo run --quiet --locked --manifest-path tools/browser/bindgen/Cargo.toml \
        --target-dir "$root/target/bindgen" -- "$2" "$out" "$1" "${@:3}"
}

page() { # PROFILE
    wasm="$(artifact filenames -p anywarp-web --profile "$1")"
    bindgen convolution "$wasm" --small
    cp examples/web/page/* examples/data/rocket.jpg "$out/"
}

package() { # PROFILE
    local version
    version="$(sed -n '/^\[workspace.package\]$/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)"
    wasm="$(artifact filenames -p anywarp-npm --profile "$1")"
    bindgen anywarp "$wasm" --package
    rm -f "$out/anywarp_bg.wasm.d.ts"
    cp tools/npm/README.md LICENSE-APACHE LICENSE-MIT "$out/"
    sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" tools/npm/package.json >"$out/package.json"
}

prepare_target
case "$kind" in
    suite)
        wasm="$(artifact executable -p anywarp --release --no-default-features --features wgpu --test conformance)"
        bindgen conformance "$wasm"
        cp tests/conformance/browser.html "$out/"
        ;;
    rings)
        wasm="$(artifact executable -p anywarp --release --no-default-features --features wgpu --test ring)"
        bindgen ring "$wasm"
        cp tests/ring/browser.html "$out/"
        ;;
    example) page web-quick ;;
    release) page web ;;
    npm) package web ;;
    npm-quick) package web-quick ;;
    *)
        echo "build.sh: unknown kind '$kind': expected suite, rings, example, release, npm or npm-quick" >&2
        exit 64
        ;;
esac
for file in "$out"/*.wasm; do
    echo "$file: $(wc -c <"$file") bytes, $(gzip -9c "$file" | wc -c) after gzip"
done
