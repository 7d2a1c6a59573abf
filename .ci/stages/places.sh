# The suite on other kinds of devices, and checks in place of machines that are not available. Sourced by `.ci/run`.

# Runs the suite on one place: installs the requirements and prints one line.
place() { # NAME
    say "the suite: $1"
    cargo run --quiet -p anywarp-matrix -- run "$1"
}

cpu() { place cpu; }
vulkan() { place vulkan-lavapipe; }
swiftshader() { place vulkan-swiftshader; }
dx12() { place dx12; }
webgpu() { place webgpu; }
windows() { place cpu-windows; }
aarch64() { place cpu-aarch64; }

# Compares the front end's verdicts on kernels with those of Chromium.
verdicts() {
    say "Chromium's verdicts on kernels"
    # The path is absolute, because a test runs in the folder of its package.
    local folder="$PWD/target/matrix/verdicts" status=0
    mkdir -p "$folder"
    # The recorded kernels, and new kernels of random statements.
    cargo test --quiet -p anywarp-wgsl --test verdicts -- --write "$folder/recorded.json"
    cargo test --quiet -p anywarp-wgsl --test verdicts -- --random 1500 7 "$folder/random.json"
    npm ci --prefix tools/browser --no-audit --no-fund --cache "$folder/npm" >"$folder/npm.log" 2>&1
    for kernels in recorded random; do
        node tools/browser/verdicts.mjs "$folder/$kernels.json" >"$folder/$kernels.log" 2>&1 || status=$?
        if [ $status = 2 ] && [ "${ANYWARP_MATRIX_ALLOW_MISSING:-}" = 1 ]; then
            echo "$kernels ... skipped: $(tail -n 1 "$folder/$kernels.log")"
            status=0
        elif [ $status = 0 ]; then
            echo "$kernels ... $(tail -n 1 "$folder/$kernels.log")"
        else
            cat "$folder/$kernels.log"
            return 1
        fi
    done
}

# Tests pages in a browser: that of examples/web, and those that the library writes. Each part is a stage, too.
page() {
    example_page
    insight_page
}

# Tests the example for browsers, at the width of a desktop and of a phone.
example_page() {
    say "the page of examples/web"
    local folder=target/matrix/page
    mkdir -p "$folder"
    tools/browser/build.sh release "$folder/site" >"$folder/build.log" 2>&1 || { cat "$folder/build.log" && return 1; }
    in_browser example "$folder" "$folder/site"
}

# Tests the pages about runs (`insight::Page`) at both widths, in the light and the dark theme. Screenshots are kept in
# target/browser/insight.
insight_page() {
    say "the pages of insight"
    local folder=target/matrix/insight-page
    mkdir -p "$folder"
    cargo test --workspace --quiet --test insight pages >"$folder/build.log" 2>&1 || { cat "$folder/build.log" && return 1; }
    in_browser insight "$folder" target/tmp/pages
}

# Runs tools/browser/NAME.mjs on the pages of a folder, and prints one line.
in_browser() { # NAME LOGS PAGES
    local name="$1" folder="$2" pages="$3" status=0
    { npm ci --prefix tools/browser --no-audit --no-fund --cache "$folder/npm" &&
        node "tools/browser/$name.mjs" "$pages" --log "$folder/console.log"; } >"$folder/page.log" 2>&1 || status=$?
    if [ $status = 2 ] && [ "${ANYWARP_MATRIX_ALLOW_MISSING:-}" = 1 ]; then
        echo "$name page ... skipped: $(tail -n 1 "$folder/page.log")"
    elif [ $status = 0 ]; then
        echo "$name page ... $(tail -n 1 "$folder/page.log")"
    else
        cat "$folder/page.log"
        echo "$name page ... FAILED, status $status"
        return 1
    fi
}

# No machine here runs MSL: the library is only type-checked for Apple's machines. One of the tests
# checks that all kernels can be translated to MSL.
metal() {
    say "metal: type-checked"
    local target=aarch64-apple-darwin log=target/matrix/metal.log
    mkdir -p target/matrix
    if ! rustup target add "$target" >"$log" 2>&1; then
        [ "${ANYWARP_MATRIX_ALLOW_MISSING:-}" = 1 ] && echo "metal ... skipped: $(tail -n 1 "$log")" && return
        echo "metal ... FAILED: rustup cannot add $target: $(tail -n 1 "$log")"
        return 1
    fi
    # Clippy checks what `cargo check` does, and more.
    if cargo clippy --target "$target" --workspace --lib --bins --quiet -- -D warnings >"$log" 2>&1; then
        echo "metal ... type-checked; not run here"
    else
        cat "$log"
        echo "metal ... FAILED"
        return 1
    fi
}

# Makes the package for npm, loads it in node, and runs its README's example in a browser.
npm_package() {
    say "the package for npm"
    local folder=target/matrix/npm
    mkdir -p "$folder"
    tools/browser/build.sh npm-quick "$folder/package" >"$folder/build.log" 2>&1 ||
        { cat "$folder/build.log" && return 1; }
    node tools/browser/npm.mjs "$folder/package"
    in_browser npm-page "$folder" "$folder/package"
}

# Checks that the table of docs/places.md matches the records.
table() {
    say "the table of places"
    cargo run --quiet -p anywarp-matrix -- table --check
}
