// `node suite.mjs FOLDER PAGE [--filter TEXT] [--timeout SECONDS] [--log FILE]`: opens a page of tests in headless
// Chromium and prints its `#results` as they grow.
//
// Exits with 0 if the last line is `test result: ok`, 1 if it is FAILED or the page stopped with an error,
// 2 if the browser or its WebGPU is missing, 3 at the time limit.
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { Missing, TimedOut, firstLine, withChromium, withoutWebgpu } from './chromium.mjs';

const USAGE = 'usage: node suite.mjs FOLDER PAGE [--filter TEXT] [--timeout SECONDS] [--log FILE]';

/** The interval for reading the page's text, and the time that the page may continue after an uncaught error. */
const [INTERVAL, GRACE] = [200, 5000];

const { folder, page, filter, timeout, log } = read();
const log_file = log && createWriteStream(log);
process.exitCode = await run().catch(explain);
log_file?.end();

async function run() {
    const { serve } = await import('./serve.mjs').catch((error) => {
        throw new Missing(`npm packages are not there (npm ci --prefix tools/browser): ${firstLine(error)}`);
    });
    const server = await serve(folder);
    try {
        return await withChromium({ deadline: timeout * 1000 }, (browser) => follow(browser, server.url));
    } finally {
        await server.close();
    }
}

/** Prints the page's text until it contains the final result. */
async function follow(browser, url) {
    const tab = await browser.newPage();
    const missing = await withoutWebgpu(tab, url);
    if (missing) throw new Missing(missing);
    let failure = null;
    const fail = (text) => {
        failure ??= { text, at: Date.now() };
        note(`error: ${text}`);
    };
    tab.on('console', (message) => note(`${message.type()}: ${message.text()}`));
    tab.on('pageerror', (error) => fail(error.stack || firstLine(error)));
    tab.on('crash', () => fail('the page crashed'));
    tab.on('requestfailed', (request) => note(`request: ${request.url()} ${request.failure()?.errorText}`));
    tab.on('response', (response) => response.ok() || note(`request: ${response.url()} ${response.status()}`));
    const query = filter ? `?filter=${encodeURIComponent(filter)}` : '';
    await tab.goto(`${url}${page}${query}`);
    let printed = 0;
    for (;;) {
        const text = failure?.text === 'the page crashed' ? '' : await results(tab);
        process.stdout.write(text.slice(printed));
        printed = Math.max(printed, text.length);
        const last = text.trimEnd().split('\n').at(-1);
        if (last.startsWith('test result:')) {
            if (!text.endsWith('\n')) process.stdout.write('\n');
            return last.startsWith('test result: ok') ? 0 : 1;
        }
        if (failure && Date.now() - failure.at > GRACE) {
            console.log(`\nbrowser: the page stopped without a result: ${failure.text}`);
            return 1;
        }
        await new Promise((resume) => setTimeout(resume, INTERVAL));
    }
}

async function results(tab) {
    return tab.evaluate(() => document.getElementById('results')?.textContent ?? '');
}

/** Prints the reason for the end of the run in one line, and returns the exit status. */
function explain(error) {
    note(`error: ${error.stack ?? error}`);
    if (error instanceof Missing) {
        console.log(`browser: ${error.message}`);
        return 2;
    }
    if (error instanceof TimedOut) {
        console.log(`\nbrowser: no result after ${timeout} s; Chromium was ended${log ? `, its messages are in ${log}` : ''}`);
        return 3;
    }
    console.log(`\nbrowser: ${firstLine(error)}`);
    return 1;
}

function note(line) {
    log_file?.write(`${line}\n`);
}

function read() {
    try {
        const { values, positionals } = parseArgs({
            allowPositionals: true,
            options: {
                filter: { type: 'string' },
                timeout: { type: 'string', default: '600' },
                log: { type: 'string' },
            },
        });
        const timeout = Number(values.timeout);
        if (positionals.length !== 2) throw new Error('expected a folder and a page');
        if (!existsSync(join(...positionals))) throw new Error(`there is no page ${join(...positionals)}`);
        if (!(timeout > 0)) throw new Error(`--timeout is a number of seconds, not '${values.timeout}'`);
        return { folder: positionals[0], page: positionals[1], filter: values.filter, timeout, log: values.log };
    } catch (error) {
        console.error(`${error.message}\n${USAGE}`);
        process.exit(64);
    }
}
