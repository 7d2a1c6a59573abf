// `node example.mjs [FOLDER] [--filter TEXT] [--references write] [--log FILE]`: tests of examples/web, as built by
// `build.sh example FOLDER` (target/web by default), in headless Chromium.
//
// Exit statuses as in suite.mjs: 0 all passed, 1 some failed, 2 no browser or no WebGPU, 3 time limit reached.
import { createWriteStream, existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

import { Missing, TimedOut, firstLine, withChromium, withoutWebgpu, within } from './chromium.mjs';

const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        filter: { type: 'string', default: '' },
        references: { type: 'string', default: 'compare' },
        log: { type: 'string' },
    },
});
const folder = positionals[0] ?? fileURLToPath(new URL('../../target/web', import.meta.url));

/** Milliseconds for one case, and for all of them. */
const [CASE, ALL] = [120_000, 900_000];

const log = values.log && createWriteStream(values.log);
const note = (line) => log?.write(`${line}\n`);
const counts = { passed: 0, failed: 0, ignored: 0 };
process.exitCode = await runAll().catch(explain);
log?.end();

async function runAll() {
    if (!existsSync(`${folder}/index.html`)) {
        throw new Missing(`there is no page in ${folder}: tools/browser/build.sh example ${folder}`);
    }
    const { serve, tables } = await packages();
    const server = await serve(folder);
    try {
        for (const { webgpu, cases } of tables) {
            const wanted = cases.filter(({ name }) => name.includes(values.filter));
            counts.ignored += cases.length - wanted.length;
            if (wanted.length) {
                await withChromium({ webgpu, deadline: ALL }, (browser) => runTable(browser, webgpu, wanted, server.url));
            }
        }
    } finally {
        await server.close();
    }
    const { passed, failed, ignored } = counts;
    console.log(`\ntest result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; ${ignored} ignored`);
    return failed ? 1 : 0;
}

async function packages() {
    try {
        return { ...(await import('./serve.mjs')), ...(await import('./example/cases.mjs')) };
    } catch (error) {
        if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
        throw new Missing(`npm packages are not there (npm ci --prefix tools/browser): ${firstLine(error)}`);
    }
}

async function runTable(browser, webgpu, cases, url) {
    if (webgpu) {
        const page = await browser.newPage();
        const missing = await withoutWebgpu(page, url);
        if (missing) throw new Missing(missing);
        await page.close();
    }
    for (const one of cases) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...one.context });
        note(`# ${one.name}`);
        try {
            await within(CASE, runCase(context, one, url));
            console.log(`ok     ${one.name}`);
            counts.passed += 1;
        } catch (error) {
            console.log(`FAILED ${one.name}: ${error.message}`);
            note(error.stack);
            counts.failed += 1;
        }
        await within(CASE, context.close());
    }
}

/** A case passes unless it or the page throws. */
async function runCase(context, { before, run }, url) {
    const page = await context.newPage();
    const thrown = [];
    page.on('console', (message) => note(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => thrown.push(error.stack ?? error.message));
    page.setDefaultTimeout(CASE / 2);
    await before?.(page);
    await page.goto(url);
    await run(page, { write: values.references === 'write' });
    if (thrown.length) throw new Error(`the page threw ${thrown[0]}`);
}

function explain(error) {
    note(error.stack);
    console.log(`browser: ${firstLine(error)}`);
    if (error instanceof Missing) return 2;
    return error instanceof TimedOut ? 3 : 1;
}
