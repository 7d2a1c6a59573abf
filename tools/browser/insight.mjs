// `node insight.mjs [FOLDER] [--filter TEXT] [--log FILE]`: tests of the pages of `insight::Page`, as
// `cargo test --test insight pages` writes them (target/tmp/pages by default), in headless Chromium. Screenshots go to
// target/browser/insight.
//
// Exit statuses as in suite.mjs: 0 all passed, 1 some failed, 2 no browser, 3 time limit reached.
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Missing, TimedOut, firstLine, withChromium, within } from './chromium.mjs';

const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { filter: { type: 'string', default: '' }, log: { type: 'string' } },
});
const folder = positionals[0] ?? fileURLToPath(new URL('../../target/tmp/pages', import.meta.url));
const pictures = fileURLToPath(new URL('../../target/browser/insight', import.meta.url));

/** Milliseconds for one case, and for all of them. */
const [CASE, ALL] = [60_000, 600_000];

const log = values.log && createWriteStream(values.log);
const note = (line) => log?.write(`${line}\n`);
const counts = { passed: 0, failed: 0, ignored: 0 };
process.exitCode = await runAll().catch(explain);
log?.end();

async function runAll() {
    const cases = await load();
    mkdirSync(pictures, { recursive: true });
    for (const { file } of cases) {
        if (!existsSync(`${folder}/${file}`)) {
            throw new Missing(`there is no ${file} in ${folder}: cargo test --workspace --test insight pages`);
        }
    }
    const wanted = cases.filter(({ name }) => name.includes(values.filter));
    counts.ignored = cases.length - wanted.length;
    await withChromium({ webgpu: false, deadline: ALL }, async (browser) => {
        for (const one of wanted) await report(one, within(CASE, runCase(browser, one)));
    });
    const { passed, failed, ignored } = counts;
    console.log(`\ntest result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; ${ignored} ignored`);
    return failed ? 1 : 0;
}

async function load() {
    try {
        return (await import('./insight/cases.mjs')).cases;
    } catch (error) {
        if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
        throw new Missing(`npm packages are not there (npm ci --prefix tools/browser): ${firstLine(error)}`);
    }
}

async function report({ name }, run) {
    note(`# ${name}`);
    try {
        await run;
        console.log(`ok     ${name}`);
        counts.passed += 1;
    } catch (error) {
        console.log(`FAILED ${name}: ${error.message}`);
        note(error.stack);
        counts.failed += 1;
    }
}

/** A case passes unless it throws, or the page throws, prints a warning, or requests anything. */
async function runCase(browser, { name, file, context, run }) {
    const own = await browser.newContext(context);
    try {
        const page = await own.newPage();
        const address = pathToFileURL(`${folder}/${file}`).href;
        const faults = [];
        page.on('pageerror', (error) => faults.push(`it threw ${error.stack ?? error.message}`));
        page.on('console', (message) => faults.push(`it printed ${message.type()}: ${message.text()}`));
        page.on('request', (request) => {
            if (request.url() !== address && !request.url().startsWith('data:')) faults.push(`it requested ${request.url()}`);
        });
        page.setDefaultTimeout(CASE / 4);
        await page.goto(address);
        await run(page, `${pictures}/${name.replaceAll(/[^a-z0-9]+/g, '-')}.png`);
        if (faults.length) throw new Error(faults[0]);
    } finally {
        await own.close();
    }
}

function explain(error) {
    note(error.stack);
    console.log(`browser: ${firstLine(error)}`);
    if (error instanceof Missing) return 2;
    return error instanceof TimedOut ? 3 : 1;
}
