// `node verdicts.mjs KERNELS [--record FILE]`: compares Chromium's verdicts on kernels with the expected ones.
//
// KERNELS is JSON, an array of { name, wgsl, verdict }, as the test `verdicts` of anywarp-wgsl writes it. A verdict is
// `error`, `warning`, `info` or `accepted`. With --record, Chromium's verdicts are written to FILE instead, one line
// for each kernel with its name.
// Messages that are not about uniformity are ignored, unless they are errors.
//
// Exits with 0 if all agree, 1 if not, 2 if the browser or its WebGPU is missing, 3 at the time limit.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { Missing, TimedOut, firstLine, withChromium, withoutWebgpu } from './chromium.mjs';

const DEADLINE = 120_000;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { record: { type: 'string' } } });
const [file] = positionals;
process.exitCode = await run().catch(explain);

async function run() {
    const kernels = JSON.parse(readFileSync(file, 'utf8'));
    const found = await withChromium({ deadline: DEADLINE }, (browser) => judge(browser, kernels));
    if (values.record) {
        writeFileSync(values.record, found.map(({ name, verdict }) => `${name}\t${verdict}\n`).join(''));
        console.log(`${found.length} verdicts are recorded`);
        return 0;
    }
    const both = kernels.map((kernel, at) => ({ ...found[at], wanted: kernel.verdict }));
    const wrong = both.filter(({ verdict, wanted }) => verdict !== wanted);
    for (const { name, verdict, wanted, messages } of wrong) {
        console.log(`${name}: ${verdict}, expected: ${wanted}\n${messages.join('\n')}`);
    }
    const result = wrong.length === 0 ? 'ok' : 'FAILED';
    console.log(`test result: ${result}. ${found.length} kernels, ${wrong.length} with another verdict than expected`);
    return wrong.length === 0 ? 0 : 1;
}

/** The browser's verdict on each kernel. */
async function judge(browser, kernels) {
    const tab = await browser.newPage();
    const missing = await withoutWebgpu(tab, 'http://127.0.0.1:1/');
    if (missing) throw new Missing(missing);
    return tab.evaluate(async (kernels) => {
        const adapter = await navigator.gpu.requestAdapter();
        const wanted = ['subgroups', 'shader-f16'].filter((feature) => adapter.features.has(feature));
        const device = await adapter.requestDevice({ requiredFeatures: wanted });
        const found = [];
        for (const { name, wgsl } of kernels) {
            device.pushErrorScope('validation');
            const { messages } = await device.createShaderModule({ code: wgsl }).getCompilationInfo();
            await device.popErrorScope();
            const isMeant = (text) => /uniform/.test(text) && !/unrecognized/.test(text);
            const counts = messages.filter(({ type, message }) => type === 'error' || isMeant(message));
            const verdict = ['error', 'warning', 'info'].find((type) => counts.some((message) => message.type === type));
            const lines = messages.map(({ lineNum, linePos, message }) => `  ${lineNum}:${linePos} ${message}`);
            found.push({ name, verdict: verdict ?? 'accepted', messages: lines });
        }
        return found;
    }, kernels);
}

/** Prints the reason for the end of the run in one line, and returns the exit status. */
function explain(error) {
    if (error instanceof Missing) {
        console.log(`browser: ${error.message}`);
        return 2;
    }
    console.log(`browser: ${firstLine(error)}`);
    return error instanceof TimedOut ? 3 : 1;
}
