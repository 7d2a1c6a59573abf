// Tests of the page of examples/web, at the width of a desktop and of a phone.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

import { differences } from './convolution.mjs';
import { checkered, huge, opaque } from './pictures.mjs';
import { compare } from './screenshots.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 360, height: 800 } };
const FILTERS = ['Blur', 'Wide blur', 'Sharpen', 'Edges', 'Emboss'];
/** The filter that the page shows first. */
const FIRST = 'Emboss';

/** For browsers with WebGPU; the names state the expectations. */
const WITH_WEBGPU = [
    ...FILTERS.map((name) => ({ name: `the sample is right after ${name}`, run: (page) => rightAfter(page, name) })),
    ...[DESKTOP, PHONE].flatMap((context) => at(context, [
        { name: 'nothing is wider than the window', run: fits },
        { name: 'every control can be reached and used by keyboard', run: keyboard },
        { name: 'a dropped picture is convolved', run: dropped },
        { name: 'the page matches its screenshot', run: async (page, how) => looks(page, context, 'page', how) },
        { name: 'no accessibility violation is found', run: accessible },
        { name: 'without WebGPU the page explains how to get it', before: noWebgpu, run: (page, how) => without(page, context, how) },
    ])),
    { name: 'dark: the page matches its screenshot', context: { colorScheme: 'dark' }, run: (page, how) => looks(page, DESKTOP, 'dark', how) },
    { name: 'dark: no accessibility violation is found', context: { colorScheme: 'dark' }, run: accessible },
    { name: 'nothing moves with reduced motion', context: { reducedMotion: 'reduce' }, run: still },
    { name: 'a chosen file is convolved', run: chosen },
    { name: 'opacity is unchanged', run: opacity },
    ...[[1, 1], [1, 40], [500, 1], [17, 33]].map(([width, height]) => (
        { name: `${width} x ${height} pixels are right`, run: (page) => sized(page, width, height) }
    )),
    { name: 'the picture requested last is shown', run: lastWins },
    { name: 'a file that is not a picture is refused with a message', run: notAPicture },
    { name: 'a picture that is too large is refused with a message', run: tooLarge },
    { name: 'dropped text is refused with a message', run: droppedText },
    { name: 'a lost device is reported', before: keepDevice, run: lost },
    { name: 'an asynchronous error of the browser is reported', before: refusePipelines, run: refusedLater },
    { name: 'kernels draw pictures of their own', run: drawn },
    { name: 'times, adapter and limits are shown', run: facts },
    { name: 'a missing program is reported', before: noProgram, run: (page) => missing(page, /could not be started/) },
];

/** For a browser without an adapter. */
const WITHOUT_ADAPTER = [
    { name: 'a browser without a GPU is reported', run: (page) => missing(page, /found no GPU/) },
];

export const tables = [
    { webgpu: true, cases: WITH_WEBGPU },
    { webgpu: false, cases: WITHOUT_ADAPTER },
];

function at(context, cases) {
    return cases.map((one) => ({ ...one, name: `${context.viewport.width}: ${one.name}`, context }));
}

// Results

async function rightAfter(page, filter) {
    await done(page, FIRST, 'rocket.jpg');
    if (filter !== FIRST) {
        await page.getByRole('radio', { name: filter, exact: true }).check();
        await done(page, filter, 'rocket.jpg');
    }
    await right(page);
}

async function right(page) {
    const { colour, opacity, opaque, changed } = await differences(page);
    assert.ok(colour <= 1, `colours are at most 1 from those of a plain convolution, not ${colour}`);
    assert.equal(opacity, 0, 'opacities stay');
    return { opaque, changed };
}

async function sized(page, width, height) {
    await choose(page, 'tiny.png', opaque(width, height));
    await done(page, FIRST, 'tiny.png');
    await right(page);
    await page.getByRole('radio', { name: 'Wide blur' }).check();
    await done(page, 'Wide blur', 'tiny.png');
    const { opaque: seen } = await right(page);
    assert.equal(seen, width * height, 'all pixels are opaque');
}

async function opacity(page) {
    await choose(page, 'checkered.png', checkered(61, 47));
    await done(page, FIRST, 'checkered.png');
    const { opaque: seen } = await right(page);
    assert.ok(seen > 1000 && seen < 61 * 47, `some pixels are opaque, not ${seen}`);
}

// Ways in

async function chosen(page) {
    const asked = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a picture' }).click();
    await (await asked).setFiles({ name: 'mine.png', mimeType: 'image/png', buffer: opaque(200, 90) });
    await done(page, FIRST, 'mine.png');
    const { changed } = await right(page);
    assert.ok(changed > 10_000, `the filter changes pixels, not ${changed} values`);
}

async function dropped(page) {
    await done(page, FIRST, 'rocket.jpg');
    await drop(page, { name: 'dropped.png', type: 'image/png', bytes: [...opaque(120, 80)] });
    await done(page, FIRST, 'dropped.png');
    await right(page);
}

async function droppedText(page) {
    await done(page, FIRST, 'rocket.jpg');
    await drop(page, null);
    await told(page, /not a file/);
}

async function lastWins(page) {
    await done(page, FIRST, 'rocket.jpg');
    await choose(page, 'first.png', opaque(900, 700));
    await choose(page, 'second.png', opaque(90, 70));
    await page.getByRole('radio', { name: 'Edges' }).check();
    await page.getByRole('radio', { name: 'Sharpen' }).check();
    await done(page, 'Sharpen', 'second.png');
    await right(page);
}

// Mistakes

async function notAPicture(page) {
    await done(page, FIRST, 'rocket.jpg');
    await choose(page, 'notes.txt', Buffer.from('Not a picture.'));
    await told(page, /notes\.txt is not a picture/);
    await page.getByRole('button', { name: 'Use the sample' }).click();
    await done(page, FIRST, 'rocket.jpg');
    await page.locator('#problem').waitFor({ state: 'hidden' });
}

async function tooLarge(page) {
    await done(page, FIRST, 'rocket.jpg');
    await choose(page, 'large.png', huge(16_000, 16_000));
    await told(page, /large\.png has 16.000 × 16.000 pixels, 256 megapixels\. [\d.]+ fit on this device/);
    await right(page);
}

/** Keeps the page's device in `window.device`. */
function keepDevice(page) {
    return page.addInitScript(() => {
        const request = GPUAdapter.prototype.requestDevice;
        GPUAdapter.prototype.requestDevice = async function (...options) {
            return (window.device = await request.apply(this, options));
        };
    });
}

async function lost(page) {
    await done(page, FIRST, 'rocket.jpg');
    await page.evaluate(() => window.device.destroy());
    await page.getByRole('radio', { name: 'Edges' }).check();
    await told(page, /The GPU could not do it: .*lost[^]*Reload the page/);
}

/** Makes pipelines invalid, which a browser reports only after the call has returned. */
function refusePipelines(page) {
    return page.addInitScript(() => {
        const create = GPUDevice.prototype.createComputePipeline;
        GPUDevice.prototype.createComputePipeline = function (descriptor) {
            return create.call(this, { ...descriptor, compute: { module: descriptor.compute.module, entryPoint: 'nothing' } });
        };
    });
}

async function refusedLater(page) {
    await told(page, /work handed over earlier failed: .*nothing/);
}

/** Simulates a browser without WebGPU. */
function noWebgpu(page) {
    return page.addInitScript(() => {
        delete Navigator.prototype.gpu;
    });
}

async function without(page, { viewport }, how) {
    await missing(page, /no WebGPU/);
    await check(page);
    await compare(page, `missing-${viewport.width}`, how);
}

function noProgram(page) {
    return page.route('**/convolution.js', (route) => route.abort());
}

async function missing(page, reason) {
    const notice = page.locator('#missing');
    await notice.waitFor();
    assert.match(await notice.innerText(), reason);
    assert.match(await notice.innerText(), /Chrome and Edge/);
    assert.ok(!(await page.locator('#work').isVisible()), 'the parts that need a GPU are hidden');
    await fits(page);
}

// The page itself

async function drawn(page) {
    await done(page, FIRST, 'rocket.jpg');
    await page.locator('#drawn').scrollIntoViewIfNeeded();
    await page.locator('#dish[aria-label^="A labyrinth"]').waitFor();
    const colours = (id) => page.evaluate((name) => {
        const canvas = document.getElementById(name);
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
    }, id);
    assert.ok(await colours('dish') > 500, 'the dish has many colours');
    assert.ok(await colours('mandelbrot') > 500, 'the Mandelbrot set has many colours');
    await page.getByRole('button', { name: 'Dive deeper' }).click();
    await page.locator('#mandelbrot[aria-label$="enlarged 5 times"]').waitFor();
}

async function facts(page) {
    await done(page, FIRST, 'rocket.jpg');
    for (const id of ['upload', 'kernel', 'read-back']) {
        assert.match(await page.locator(`#${id}`).innerText(), /^(under )?[\d.]+ ms$/, `${id} is a time`);
    }
    assert.match(await page.locator('#clock').innerText(), /clock/);
    assert.match(await page.locator('#adapter').innerText(), /swiftshader/i);
    assert.match(await page.locator('#binding').innerText(), /^[\d\u202f]+ MiB$/);
    assert.match(await page.locator('#largest').innerText(), /^[\d.]+ megapixels$/);
}

async function fits(page) {
    await page.locator('#loading').waitFor({ state: 'hidden' });
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `the page is ${content} wide in a window of ${window}`);
}

async function keyboard(page) {
    await done(page, FIRST, 'rocket.jpg');
    const focused = () => page.evaluate(() => {
        const at = document.activeElement;
        const ring = at.matches('input') ? at.nextElementSibling : at;
        const { outlineStyle, outlineWidth } = getComputedStyle(ring);
        const seen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        return { what: at.id || at.closest('label')?.innerText || at.innerText, seen };
    });
    for (const expected of ['drop', 'sample', FIRST, 'dive', 'again', 'anywarp', 'conv3x3.wgsl']) {
        await page.keyboard.press('Tab');
        const { what, seen } = await focused();
        assert.equal(what, expected, 'the order of the tab key');
        assert.ok(seen, `the focus is visible at ${what}`);
    }
    await page.getByRole('radio', { name: FIRST, exact: true }).focus();
    const first = FILTERS.indexOf(FIRST);
    for (const filter of [...FILTERS.slice(first + 1), ...FILTERS.slice(0, first + 1)]) {
        await page.keyboard.press('ArrowRight');
        await done(page, filter, 'rocket.jpg');
        assert.ok((await focused()).seen, `the focus is visible at ${filter}`);
    }
    const asked = page.waitForEvent('filechooser');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await (await asked).setFiles({ name: 'keys.png', mimeType: 'image/png', buffer: opaque(30, 20) });
    await done(page, FIRST, 'keys.png');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await done(page, FIRST, 'rocket.jpg');
}

async function looks(page, { viewport }, name, how) {
    await page.setViewportSize(viewport);
    await page.getByRole('radio', { name: 'Edges' }).check();
    await done(page, 'Edges', 'rocket.jpg');
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.activeElement.blur());
    await compare(page, `${name}-${viewport.width}`, how);
}

async function accessible(page) {
    await done(page, FIRST, 'rocket.jpg');
    await check(page);
}

async function check(page) {
    await page.addScriptTag({ path: AXE });
    const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations);
    const found = violations.map(({ id, nodes }) => `${id} at ${nodes.map((node) => node.target).join(' ')}`);
    assert.deepEqual(found, []);
}

async function still(page) {
    await done(page, FIRST, 'rocket.jpg');
    const moving = await page.evaluate(() =>
        [...document.querySelectorAll('*')].filter((one) => {
            const { transitionDuration, animationName } = getComputedStyle(one);
            return animationName !== 'none' || transitionDuration.split(',').some((duration) => parseFloat(duration) > 0);
        }).length);
    assert.equal(moving, 0, 'elements that move');
}

// Steps

/** Waits until the page reports that it shows this filter and picture. */
async function done(page, filter, name) {
    const status = page.locator('#status');
    const wanted = new RegExp(`^${filter}: ${name.replace('.', '\\.')}, .* Done\\.$`);
    await status.filter({ hasText: wanted }).waitFor().catch(async () => {
        const [said, problem] = [await status.innerText(), await page.locator('#problem').innerText()];
        throw new Error(`the page should say '${filter}: ${name}', but says '${said}' ${problem}`);
    });
}

async function told(page, words) {
    const problem = page.locator('#problem');
    await problem.waitFor();
    assert.match(await problem.innerText(), words);
}

async function choose(page, name, buffer) {
    await page.locator('#work').waitFor();
    await page.locator('#file').setInputFiles({ name, mimeType: 'image/png', buffer });
}

/** Drops a file on the page, or text if there is none. */
async function drop(page, file) {
    await page.evaluate((dropped) => {
        const dataTransfer = new DataTransfer();
        if (dropped) dataTransfer.items.add(new File([new Uint8Array(dropped.bytes)], dropped.name, { type: dropped.type }));
        else dataTransfer.setData('text/plain', 'a word');
        const target = document.querySelector('main');
        for (const type of ['dragenter', 'dragover', 'drop']) {
            target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        }
    }, file);
}
