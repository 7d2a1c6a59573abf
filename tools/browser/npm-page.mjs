// `node npm-page.mjs FOLDER`: the example in the README of the package for npm, which `build.sh npm FOLDER` has made, and
// errors of a launch, in headless Chromium.
//
// Exit statuses: 0 passed, 1 failed, 2 no browser or no WebGPU.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { Missing, withChromium, withoutWebgpu } from './chromium.mjs';

const folder = resolve(process.argv[2] ?? '');
const readme = readFileSync(resolve(folder, 'README.md'), 'utf8');
const example = /```js\n([^]*?)```/.exec(readme)[1];

/** Calls after the example, with its variables, whose errors must say what is wrong. */
const ERRORS = [
    ['launch.set("params.b", [3])', "'params.b'"],
    ['launch.set("params.a", [1, 2])', 'needs 1 numbers, found 2'],
    ['kernel.launch().threads(3)', 'params'],
    ['device.kernel("fn wrong(")', '1:'],
    ['y.read(), launch.threads(3)', 'being read'],
    ['(await y.read(), launch.bind("x", y), launch.threads(3))', 'bound to two'],
];
const script = `
    const said = [];
    console.log = (...values) => said.push(values.map((value) => value.join?.() ?? value).join(' '));
    ${example.replace('from "anywarp"', 'from "./anywarp.js"')}
    for (const call of ${JSON.stringify(ERRORS.map(([call]) => call))}) {
        try {
            await new (async () => {}).constructor('device', 'kernel', 'launch', 'y', call)(device, kernel, launch, y);
            said.push('no error');
        } catch (error) {
            said.push(error instanceof Error ? error.message : 'no Error: ' + error);
        }
    }
    window.said = said;`;
const html = `<!doctype html><script type="module">${script}</script>`;

try {
    const { serve } = await import('./serve.mjs').catch((error) => {
        throw new Missing(`npm ci --prefix tools/browser: ${error.message}`);
    });
    const server = await serve(folder);
    try {
        await withChromium({ deadline: 120_000 }, async (browser) => {
            const page = await browser.newPage();
            const reason = await withoutWebgpu(page, server.url);
            if (reason) throw new Missing(reason);
            const address = new URL('example', server.url).href;
            await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: html }));
            const failed = new Promise((_, refuse) => page.on('pageerror', refuse));
            await page.goto(address);
            await Promise.race([failed, page.waitForFunction(() => window.said)]);
            const [result, ...errors] = await page.evaluate(() => window.said);
            assert.equal(result, '3,6,9', 'the result of the example');
            ERRORS.forEach(([call, wanted], at) => assert.match(errors[at], new RegExp(wanted), call));
        });
    } finally {
        await server.close();
    }
    console.log(`passed: the example of the README, ${ERRORS.length} errors`);
} catch (error) {
    console.error(error instanceof Missing ? error.message : error);
    process.exitCode = error instanceof Missing ? 2 : 1;
}
