// Test pictures for the page, generated so that every pixel is known.
import { crc32, deflateSync } from 'node:zlib';

/** A PNG of coloured, partly transparent pixels. */
export function checkered(width, height) {
    const rows = Buffer.alloc(height * (1 + 4 * width));
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const opacity = [255, 255, 128, 0][(x + y) % 4];
            rows.set([(x * 37) % 256, (y * 59) % 256, (x * y * 11) % 256, opacity], y * (1 + 4 * width) + 1 + 4 * x);
        }
    }
    return png(width, height, [8, 6], rows);
}

/** A PNG of colours without transparency. */
export function opaque(width, height) {
    const rows = Buffer.alloc(height * (1 + 3 * width));
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            rows.set([(x * 83) % 256, (y * 101) % 256, ((x + y) * 47) % 256], y * (1 + 3 * width) + 1 + 3 * x);
        }
    }
    return png(width, height, [8, 2], rows);
}

/** A small file with very many pixels, all black, of one bit each. */
export function huge(width, height) {
    return png(width, height, [1, 0], Buffer.alloc(height * (1 + Math.ceil(width / 8))));
}

/** Rows with their filter byte as a PNG, by its specification. */
function png(width, height, [bits, colour], rows) {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([bits, colour], 8);
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(name, data) {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
}
