// Tests of the pages of `insight::Page`: how they look at two widths in both themes, and what the timeline does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

/** The pages with the numbers of their lanes. */
const PAGES = { timeline: 4, both: 2, inspection: 0, hostile: 2, large: 2, names: 64, empty: 0 };

const looks = Object.entries(PAGES).flatMap(([page, lanes]) => [DESKTOP, PHONE].flatMap((viewport) => (
    ['light', 'dark'].map((colorScheme) => ({
        name: `${page} ${viewport.width} ${colorScheme}`,
        file: `${page}.html`,
        context: { viewport, colorScheme, deviceScaleFactor: viewport === PHONE ? 2 : 1 },
        run: (at, picture) => look(at, lanes, picture),
    }))
)));

const acts = [DESKTOP, PHONE].flatMap((viewport) => Object.entries({
    'buttons zoom and move': buttons,
    'wheel and drag zoom and move': mouse,
    'keys zoom, move and choose': keyboard,
    'a bar shows its times': bars,
}).map(([name, run]) => ({ name: `${name} ${viewport.width}`, file: 'timeline.html', context: { viewport }, run })));

export const cases = [
    ...looks,
    ...acts,
    { name: 'fingers zoom', file: 'timeline.html', context: { viewport: PHONE, hasTouch: true, isMobile: true }, run: fingers },
    { name: 'colours follow the theme', file: 'timeline.html', context: { viewport: DESKTOP }, run: theme },
    { name: 'many spans are quick', file: 'large.html', context: { viewport: DESKTOP }, run: quick },
    { name: 'without scripts', file: 'timeline.html', context: { viewport: DESKTOP, javaScriptEnabled: false }, run: still },
    { name: 'without scripts on a phone', file: 'timeline.html', context: { viewport: PHONE, javaScriptEnabled: false }, run: still },
];

// Looks

async function look(page, lanes, picture) {
    await drawn(page);
    await page.screenshot({ path: picture, fullPage: true, animations: 'disabled' });
    await fits(page);
    assert.equal(await page.locator('.lane').count(), lanes, 'the number of lanes');
    const painted = await page.locator('.lane canvas').evaluateAll((all) => all.map((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, at) => at % 4 === 3 && value > 0);
    }));
    assert.deepEqual(painted, Array(lanes).fill(true), 'each lane has bars');
    await accessible(page);
}

/** The page itself never scrolls sideways; wide tables and source lines do within their own area. */
async function fits(page) {
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `the page is ${content} wide in a window of ${window}`);
}

/** Names of all parts, contrast of all text, and more: the rules of axe. */
async function accessible(page) {
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations);
    const found = violations.map(({ id, nodes }) => `${id} at ${nodes.slice(0, 3).map((node) => node.target).join(' ')}`);
    assert.deepEqual(found, []);
}

async function still(page, picture) {
    await page.screenshot({ path: picture, fullPage: true });
    const lanes = page.locator('.lane svg');
    assert.equal(await lanes.count(), PAGES.timeline);
    for (const lane of await lanes.all()) {
        const { width, height } = await lane.boundingBox();
        assert.ok(width > 300 && height >= 18, `a lane is ${width} x ${height}`);
    }
    assert.ok(!(await page.locator('#controls').isVisible()), 'buttons without a script do nothing, and are hidden');
}

// The timeline

async function buttons(page) {
    const whole = await state(page);
    await click(page, 'Zoom in');
    const half = await state(page);
    near(half.to - half.from, (whole.to - whole.from) / 2, 'half of the time is shown');
    assert.notEqual(half.pixels, whole.pixels, 'the picture changes');
    await click(page, 'Earlier');
    const earlier = await state(page);
    near(half.from - earlier.from, (half.to - half.from) / 4, 'a quarter earlier');
    for (let turn = 0; turn < 4; turn++) await click(page, 'Earlier');
    assert.equal((await state(page)).from, whole.from, 'nothing before the start is shown');
    await click(page, 'Zoom out');
    await click(page, 'Zoom out');
    assert.deepEqual(await state(page), whole);
    for (let turn = 0; turn < 40; turn++) await page.locator('[data-do=in]').click();
    await drawn(page);
    const least = await state(page);
    near(least.to - least.from, 100, 'a hundred nanoseconds at the least');
    await click(page, 'Whole');
    assert.deepEqual(await state(page), whole);
}

async function mouse(page) {
    const whole = await state(page);
    const box = await page.locator('#lanes').boundingBox();
    const [x, y] = [box.x + box.width / 4, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, 10);
    assert.deepEqual(await state(page), whole, 'the wheel alone scrolls the page');
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    const zoomed = await state(page);
    assert.ok(zoomed.to - zoomed.from < (whole.to - whole.from) / 2, 'it shows less than half');
    const under = ({ from, to }) => from + (to - from) / 4;
    near(under(zoomed), under(whole), 'the time under the pointer stays', 0.02 * (whole.to - whole.from));
    await page.mouse.down();
    await page.mouse.move(x + box.width / 10, y, { steps: 4 });
    await page.mouse.up();
    const moved = await state(page);
    near(zoomed.from - moved.from, (zoomed.to - zoomed.from) / 10, 'the time moves with the pointer', 0.02 * (whole.to - whole.from));
    near(moved.to - moved.from, zoomed.to - zoomed.from, 'the zoom stays');
    await page.mouse.dblclick(x, y);
    const twice = await state(page);
    near(twice.to - twice.from, (moved.to - moved.from) / 4, 'a double click shows a quarter');
}

async function keyboard(page) {
    const whole = await state(page);
    await page.locator('#lanes').focus();
    const outline = await page.locator('#lanes').evaluate((box) => getComputedStyle(box).outlineStyle);
    await press(page, '+');
    const zoomed = await state(page);
    near(zoomed.to - zoomed.from, (whole.to - whole.from) / 2, 'half of the time is shown');
    assert.notEqual(outline, 'none', 'the focus is visible');
    await press(page, 'ArrowRight');
    assert.ok((await state(page)).from > zoomed.from, 'later');
    await press(page, 'ArrowLeft');
    assert.deepEqual(await state(page), zoomed);
    await press(page, 'Home');
    assert.deepEqual(await state(page), whole);
    const said = () => page.locator('#said').innerText();
    await press(page, 'ArrowDown');
    assert.equal(await said(), 'lane stream 0');
    await press(page, 'n');
    assert.match(await said(), /^copy\n40 us, at 770 us\n4096 bytes, submission 7$/);
    await press(page, 'n');
    assert.match(await said(), /^kernel softmax\.wgsl:main\n128 us, at 812 us\n96 workgroups, submission 7$/);
    assert.notEqual((await state(page)).pixels, whole.pixels, 'the chosen bar has a frame');
    await press(page, 'p');
    assert.match(await said(), /^copy\n/);
    await press(page, 'Escape');
    assert.equal(await said(), 'No bar is chosen.');
}

async function bars(page) {
    await drawn(page);
    const lane = page.locator('.lane canvas').nth(2);
    await lane.scrollIntoViewIfNeeded();
    const { x, y, width } = await lane.boundingBox();
    // blur.wgsl:columns of the first step: from 905 to 1010 of 3950 microseconds.
    const at = [x + (960 / 3950) * width, y + 8];
    await page.mouse.move(...at);
    const tip = page.locator('#tip');
    await tip.waitFor();
    const words = 'kernel blur.wgsl:columns\n105 us, at 905 us\n96 workgroups, submission 7';
    assert.equal(await tip.innerText(), words);
    const { x: left, width: wide } = await tip.boundingBox();
    assert.ok(left >= 0 && left + wide <= page.viewportSize().width, 'the tip is within the window');
    await page.mouse.click(...at);
    assert.equal(await page.locator('#said').innerText(), words);
    assert.equal(await page.locator('.lane.chosen p').innerText(), 'stream 1');
    await page.mouse.move(2, 2);
    await tip.waitFor({ state: 'hidden' });
}

/** Two fingers, as events of the page, because only one can be simulated otherwise. */
async function fingers(page) {
    const whole = await state(page);
    await page.evaluate(() => {
        const box = document.getElementById('lanes');
        const { left, top, width } = box.getBoundingClientRect();
        const send = (type, pointerId, part) => box.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: 'touch', clientX: left + part * width, clientY: top + 30, button: 0, bubbles: true,
        }));
        box.setPointerCapture = () => {};
        send('pointerdown', 11, 0.4);
        send('pointerdown', 12, 0.6);
        for (const step of [0.1, 0.2]) {
            send('pointermove', 11, 0.4 - step);
            send('pointermove', 12, 0.6 + step);
        }
        send('pointerup', 11, 0.2);
        send('pointerup', 12, 0.8);
    });
    const zoomed = await state(page);
    near(zoomed.to - zoomed.from, (whole.to - whole.from) / 3, 'a third is shown');
    near((zoomed.to + zoomed.from) / 2, (whole.to + whole.from) / 2, 'the middle stays');
}

async function theme(page) {
    await page.locator('#lanes').focus();
    await press(page, 'n');
    const light = await state(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(50);
    const dark = await state(page);
    assert.notEqual(light.pixels, dark.pixels, 'the frame of the chosen bar has the colour of the theme');
}

async function quick(page) {
    await drawn(page);
    const milliseconds = await page.evaluate(async () => {
        const before = performance.now();
        for (let turn = 0; turn < 10; turn++) {
            document.querySelector('[data-do=in]').click();
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }
        return performance.now() - before;
    });
    assert.ok(milliseconds < 3000, `ten steps take ${milliseconds} ms`);
    const { from, to } = await state(page);
    near(to - from, 1e9 / 1024, 'the time after ten steps');
}

// Steps

async function click(page, name) {
    await page.getByRole('button', { name, exact: true }).click();
    await drawn(page);
}

async function press(page, key) {
    await page.keyboard.press(key);
    await drawn(page);
}

/** Waits until the script has drawn. */
async function drawn(page) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The window in nanoseconds, and the pixels of all lanes. */
async function state(page) {
    await drawn(page);
    return page.evaluate(() => {
        const { from, to } = document.getElementById('lanes').dataset;
        const pixels = [...document.querySelectorAll('.lane canvas')].map((canvas) => canvas.toDataURL()).join();
        return { from: Number(from), to: Number(to), pixels };
    });
}

function near(value, expected, message, tolerance = 0.01 * Math.abs(expected) + 2) {
    assert.ok(Math.abs(value - expected) <= tolerance, `${message}: ${value}, not ${expected}`);
}
