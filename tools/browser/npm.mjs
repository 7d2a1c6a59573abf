// npm.mjs FOLDER: checks the package for npm that `build.sh npm FOLDER` has made: its files, its exports, its types, and
// that its module loads. It needs no browser: in Node, and without WebGPU, a device must be refused with an error.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2] ?? "");
const read = (name) => readFileSync(resolve(folder, name));
const manifest = JSON.parse(read("package.json"));
const workspace = readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8");
assert.equal(manifest.version, /\[workspace\.package\]\nversion = "([^"]+)"/.exec(workspace)[1], "the version");

// The files that npm would publish.
const packed = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", folder], { encoding: "utf8" }));
const files = packed[0].files.map((file) => file.path).sort();
assert.deepEqual(files, [...manifest.files, "README.md", "package.json"].sort(), "the published files");

// The exports, from the path that the manifest names.
const script = await import(pathToFileURL(resolve(folder, manifest.exports["."].default)));
const classes = ["Buffer", "Device", "Kernel", "Launch"];
assert.deepEqual(Object.keys(script).sort(), [...classes, "default", "initSync"].sort(), "the exports");
const types = read(manifest.types).toString();
for (const name of classes) assert.match(types, new RegExp(`export class ${name}\\b`), `the type ${name}`);
for (const method of [
    "static open(): Promise<Device>",
    "set(path: string, numbers: ArrayLike<number>): void",
    "threads(count: number): void",
    "read(): Promise<Uint8Array>",
]) {
    assert.ok(types.includes(method), `no '${method}' in the types`);
}

// The module itself, in Node, and then with the names that a page without WebGPU has.
const refuses = (wanted) => assert.rejects(script.Device.open(), { name: "Error", message: wanted });
script.initSync({ module: read("anywarp_bg.wasm") });
await refuses(/neither a page nor a worker/);
Object.assign(globalThis, { Window: class {} });
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
await refuses(/device|adapter|GPU/);
console.log(`passed: ${files.length} files, ${packed[0].size} bytes packed`);
