// Headless Chromium with WebGPU on its own software adapter, in a fresh profile. The process is always ended.
import { existsSync } from 'node:fs';

/** A requirement that this machine lacks, in one line: not a test failure. */
export class Missing extends Error {}

const EXECUTABLE = process.env.ANYWARP_CHROMIUM || '/usr/bin/chromium';

/** WebGPU on SwiftShader: needs no GPU, and behaves identically on all machines. */
const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

const QUIET = [
    '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/**
 * Starts Chromium, passes it to `use`, and ends it: by a close request or, if it does not respond, by its process id.
 * Without `webgpu` the browser finds no adapter, unless the machine has a GPU.
 * `use` receives the browser of playwright-core, and may never return: the caller limits the time.
 */
export async function withChromium({ webgpu = true, deadline = null } = {}, use) {
    const chromium = await playwright();
    if (!existsSync(EXECUTABLE)) {
        throw new Missing(`there is no Chromium at ${EXECUTABLE}: install it, or name it in ANYWARP_CHROMIUM`);
    }
    const server = await chromium
        .launchServer({
            executablePath: EXECUTABLE,
            headless: true,
            args: ['--no-sandbox', ...QUIET, ...(webgpu ? WEBGPU : [])],
        })
        .catch((error) => {
            throw new Missing(`Chromium at ${EXECUTABLE} does not start: ${firstLine(error)}`);
        });
    try {
        const browser = await chromium.connect(server.wsEndpoint());
        return await within(deadline, use(browser));
    } finally {
        await end(server);
    }
}

/** The reason why the browser has no WebGPU for pages from `url`, or null if it has. */
export async function withoutWebgpu(page, url) {
    const blank = new URL('blank', url).href;
    await page.route(blank, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(blank);
    const reason = await page.evaluate(async () => {
        if (!navigator.gpu) return 'it has no navigator.gpu';
        return (await navigator.gpu.requestAdapter()) ? null : 'it found no adapter';
    });
    return reason && `Chromium at ${EXECUTABLE} has no WebGPU: ${reason}`;
}

/** The time limit was reached. */
export class TimedOut extends Error {}

/** The result of `promise`, or `TimedOut` after this many milliseconds. */
export async function within(milliseconds, promise) {
    if (milliseconds === null) return promise;
    let timer;
    const late = new Promise((_, refuse) => {
        timer = setTimeout(() => refuse(new TimedOut(`${milliseconds / 1000} s have passed`)), milliseconds);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function playwright() {
    try {
        return (await import('playwright-core')).chromium;
    } catch (error) {
        throw new Missing(`playwright-core is not there (npm ci --prefix tools/browser): ${firstLine(error)}`);
    }
}

/** A browser that hangs does not close: then its process group, which this server started, is ended. */
async function end(server) {
    try {
        await within(5000, server.close());
    } catch {
        await server.kill();
    }
}

export function firstLine(error) {
    return String(error?.message ?? error).split('\n', 1)[0];
}
