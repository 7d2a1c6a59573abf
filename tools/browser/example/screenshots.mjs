// Compares screenshots of the page with stored ones (`references/`).
//
// A stored screenshot consists of the page's parts, one below the other, each scaled to a size of its own: other fonts
// make parts higher, and must not move the parts below them. At that size letters become grey. The positions of the
// parts are stored next to it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const REFERENCES = new URL('../references/', import.meta.url);
const DIFFERENT = new URL('../../../target/browser/', import.meta.url);

/** The share of pixels that may differ: in parts with text only, which other fonts place differently, and in others. */
const [LETTERS, SHARE] = [0.35, 0.15];

/** The compared parts, if visible: rows in a stored screenshot, share of pixels that may differ. */
const PARTS = [
    ['header', 24, LETTERS],
    ['.notice', 40, LETTERS],
    ['.pick', 48, SHARE],
    ['#filters', 48, SHARE],
    ['#before', 80, SHARE],
    ['#after', 80, SHARE],
    ['.facts', 64, SHARE],
    ['footer', 16, LETTERS],
];

/** Pixels in a row of a stored screenshot. */
const WIDTH = 160;

/** The maximum difference of two colours that count as equal. */
const THRESHOLD = 0.15;

/** Tolerances of a part's position: sideways; vertically as a share; and vertically at least two lines. */
const [SIDEWAYS, HIGHER, LINES] = [8, 0.2, 50];

/** Compares the page with the screenshot of this name, or stores it; differences are written to target/browser. */
export async function compare(page, name, { write }) {
    // Measured values and the adapter's name differ between machines.
    await page.addStyleTag({ content: '.measured { visibility: hidden !important; }' });
    const full = await page.screenshot({ fullPage: true, animations: 'disabled' });
    const seen = await parts(page, PNG.sync.read(full));
    const [picture, places] = ['png', 'json'].map((end) => new URL(`${name}.${end}`, REFERENCES));
    let fault = null;
    if (write) {
        writeFileSync(picture, PNG.sync.write(stacked(seen)));
        writeFileSync(places, `${JSON.stringify(seen.map(({ selector, box }) => ({ selector, ...box })), null, 1)}\n`);
    } else {
        fault = existsSync(picture)
            ? moved(JSON.parse(readFileSync(places)), seen) ?? changed(PNG.sync.read(readFileSync(picture)), seen)
            : 'there is no stored screenshot';
    }
    if (!write && !fault) return;
    mkdirSync(DIFFERENT, { recursive: true });
    const whole = new URL(`${name}.png`, DIFFERENT);
    writeFileSync(whole, full);
    if (fault) throw new Error(`${fault}; the new picture is ${fileURLToPath(whole)}`);
}

/** The visible parts of the page, each at its size in a stored screenshot. */
async function parts(page, picture) {
    const found = [];
    for (const [selector, rows, share] of PARTS) {
        for (const part of await page.locator(selector).filter({ visible: true }).all()) {
            const box = await part.boundingBox();
            for (const side of Object.keys(box)) box[side] = Math.round(box[side]);
            found.push({ selector, rows, share, box, data: scaled(picture, box, rows) });
        }
    }
    return found;
}

/** Describes the first part whose position or size has changed; null if there is none. */
function moved(kept, seen) {
    const names = (parts) => parts.map(({ selector }) => selector).join(' ');
    if (names(kept) !== names(seen)) return `the page shows ${names(seen)}, not ${names(kept)}`;
    for (const [index, { selector, box }] of seen.entries()) {
        const was = kept[index];
        const sideways = Math.max(Math.abs(box.x - was.x), Math.abs(box.width - was.width));
        const higher = Math.abs(box.height - was.height);
        if (sideways > SIDEWAYS || higher > Math.max(HIGHER * was.height, LINES)) {
            return `${selector} is ${box.width} x ${box.height} at ${box.x}, not ${was.width} x ${was.height} at ${was.x}`;
        }
    }
    return null;
}

/** Describes the first part whose pixels have changed; null if there is none. */
function changed(kept, seen) {
    let start = 0;
    for (const { selector, rows, share, data } of seen) {
        const before = kept.data.subarray(start, start + data.length);
        const different = pixelmatch(before, data, null, WIDTH, rows, { threshold: THRESHOLD }) / (WIDTH * rows);
        if (different > share) return `${(100 * different).toFixed(1)} % of ${selector} look different`;
        start += data.length;
    }
    return null;
}

function stacked(seen) {
    const picture = new PNG({ width: WIDTH, height: seen.reduce((sum, part) => sum + part.rows, 0) });
    picture.data = Buffer.concat(seen.map((part) => part.data));
    return picture;
}

/** Scales a box of the picture: each pixel is the mean of the pixels that it covers. */
function scaled(picture, { x, y, width, height }, rows) {
    const data = Buffer.alloc(4 * WIDTH * rows);
    const edges = (start, length, count, most) =>
        Array.from({ length: count + 1 }, (_, index) => Math.min(Math.round(start + (length * index) / count), most));
    const [columns, lines] = [edges(x, width, WIDTH, picture.width), edges(y, height, rows, picture.height)];
    for (let row = 0; row < rows; row++) {
        for (let column = 0; column < WIDTH; column++) {
            const sums = [0, 0, 0, 0];
            let count = 0;
            for (let line = lines[row]; line < Math.max(lines[row + 1], lines[row] + 1); line++) {
                for (let at = columns[column]; at < Math.max(columns[column + 1], columns[column] + 1); at++) {
                    for (let channel = 0; channel < 4; channel++) {
                        sums[channel] += picture.data[4 * (line * picture.width + at) + channel];
                    }
                    count += 1;
                }
            }
            data.set(sums.map((sum) => Math.round(sum / count)), 4 * (row * WIDTH + column));
        }
    }
    return data;
}
