// `node verdicts.mjs KERNELS [--record FILE]`: whether Chromium says of kernels what is expected.
//
// KERNELS is JSON, an array of { name, wgsl, verdict }, as the test `verdicts` of anywarp-wgsl writes it. A verdict is
// `error`, `warning`, `info` or `accepted`. With --record they are not compared but written, a line each with the name.
// Chromium's remarks that are not about uniformity do not count, unless they are errors.
//
// Ends with 0 if all agree, 1 if not, 2 if the browser or its WebGPU is missing, 3 if the time was up.
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

/** What the browser says of each kernel. */
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

/** The status for what ended the run, told in one line. */
function explain(error) {
    if (error instanceof Missing) {
        console.log(`browser: ${error.message}`);
        return 2;
    }
    console.log(`browser: ${firstLine(error)}`);
    return error instanceof TimedOut ? 3 : 1;
}
