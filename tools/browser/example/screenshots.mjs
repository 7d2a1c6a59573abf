// Pictures of the page beside pictures that were kept (`references/`).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const REFERENCES = new URL('../references/', import.meta.url);
const DIFFERENT = new URL('../../../target/browser/', import.meta.url);

/** So many pixels of the page are one of a kept picture: small files, and letters become grey. */
const SHRINK = 4;

/** What other fonts change: how far the page's height, and how many pixels by how much. */
const [HEIGHT, SHARE, THRESHOLD] = [0.08, 0.06, 0.25];

/** Compares the page with the picture kept under this name, or keeps it; what differs is in target/browser. */
export async function compare(page, name, { write }) {
    // What is measured and what the adapter is called differ from machine to machine.
    await page.addStyleTag({ content: '.measured { visibility: hidden !important; }' });
    const full = await page.screenshot({ fullPage: true, animations: 'disabled' });
    const seen = shrink(PNG.sync.read(full));
    const file = new URL(`${name}.png`, REFERENCES);
    mkdirSync(DIFFERENT, { recursive: true });
    if (write) {
        writeFileSync(file, PNG.sync.write(seen));
        writeFileSync(new URL(`${name}.png`, DIFFERENT), full);
        return;
    }
    const kept = PNG.sync.read(readFileSync(file));
    const fault = difference(kept, seen);
    if (fault) {
        const path = new URL(`${name}.png`, DIFFERENT);
        writeFileSync(path, full);
        throw new Error(`${fault}; the new picture is ${fileURLToPath(path)}`);
    }
}

function difference(kept, seen) {
    if (kept.width !== seen.width) return `the page is ${seen.width} wide, not ${kept.width}`;
    if (Math.abs(kept.height - seen.height) > HEIGHT * kept.height) {
        return `the page is ${seen.height * SHRINK} high, not about ${kept.height * SHRINK}`;
    }
    const height = Math.min(kept.height, seen.height);
    const bytes = 4 * kept.width * height;
    const [a, b] = [kept, seen].map((picture) => picture.data.subarray(0, bytes));
    const different = pixelmatch(a, b, null, kept.width, height, { threshold: THRESHOLD }) / (kept.width * height);
    return different > SHARE ? `${(100 * different).toFixed(1)} % of the page look different` : null;
}

/** Each pixel the mean of a square. */
function shrink(picture) {
    const [width, height] = [Math.floor(picture.width / SHRINK), Math.floor(picture.height / SHRINK)];
    const small = new PNG({ width, height });
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            for (let channel = 0; channel < 4; channel++) {
                let sum = 0;
                for (let k = 0; k < SHRINK * SHRINK; k++) {
                    const row = y * SHRINK + Math.floor(k / SHRINK);
                    sum += picture.data[4 * (row * picture.width + x * SHRINK + (k % SHRINK)) + channel];
                }
                small.data[4 * (y * width + x) + channel] = Math.round(sum / (SHRINK * SHRINK));
            }
        }
    }
    return small;
}
