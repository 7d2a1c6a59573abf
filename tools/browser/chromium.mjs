// Headless Chromium with WebGPU on its own software adapter, in a fresh profile, ended in every case.
import { existsSync } from 'node:fs';

/** What is missing on this machine, in one line: not a failure of what is tested. */
export class Missing extends Error {}

const EXECUTABLE = process.env.ANYWARP_CHROMIUM || '/usr/bin/chromium';

/** WebGPU on SwiftShader: needs no GPU, and is the same everywhere. */
const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

const QUIET = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];

/**
 * Starts Chromium, hands it to `use`, and ends it: in peace if it listens, else by its process id. Without
 * `webgpu` it finds no adapter, unless the machine has a GPU.
 * `use` gets the browser of playwright-core, and may run for ever: who calls limits it.
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

/** Why the page's browser has no WebGPU for what comes from `url`, or null if it has. */
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

/** Time was up. */
export class TimedOut extends Error {}

/** What `promise` gives, or `TimedOut` after so many milliseconds. */
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

/** A browser that hangs does not close: then its processes are ended, which this server started as one group. */
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
