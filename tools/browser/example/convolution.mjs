// Compares the page's picture with a plain convolution in JavaScript.

/**
 * The difference between the filtered picture and the original, convolved with the weights that the page lists: the
 * largest difference of a colour and of an opacity. Colours are compared where pixels are opaque: a canvas keeps
 * others multiplied by their opacity, rounded.
 */
export function differences(page) {
    return page.evaluate(() => {
        const pixels = (id) => {
            const canvas = document.getElementById(id);
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return { width: canvas.width, height: canvas.height, data };
        };
        const number = (text) => Number(text.replace('−', '-'));
        const weights = [...document.querySelectorAll('#weights td')].map((cell) => number(cell.textContent));
        const divisor = number(document.getElementById('divisor').textContent.match(/[\d.]+(?=\.$)/)?.[0] ?? '1');
        const passes = number(document.getElementById('about').textContent.match(/in (\d+) passes/)?.[1] ?? '1');
        const [{ width, height, data }, after] = [pixels('before'), pixels('after')];
        if (after.width !== width || after.height !== height) throw new Error(`after is ${after.width} x ${after.height}`);
        let values = Float64Array.from(data, (byte) => byte / 255);
        for (let pass = 0; pass < passes; pass++) {
            const next = Float64Array.from(values);
            for (let y = 0; y < height; y++) {
                for (let x = 0; x < width; x++) {
                    for (let channel = 0; channel < 3; channel++) {
                        let sum = 0;
                        for (let k = 0; k < 9; k++) {
                            const column = Math.min(Math.max(x + (k % 3) - 1, 0), width - 1);
                            const row = Math.min(Math.max(y + Math.floor(k / 3) - 1, 0), height - 1);
                            sum += (weights[k] / divisor) * values[4 * (row * width + column) + channel];
                        }
                        next[4 * (y * width + x) + channel] = sum;
                    }
                }
            }
            values = next;
        }
        const result = { colour: 0, opacity: 0, opaque: 0, changed: 0 };
        for (let i = 0; i < values.length; i += 4) {
            result.opacity = Math.max(result.opacity, Math.abs(after.data[i + 3] - data[i + 3]));
            if (data[i + 3] < 255) continue;
            result.opaque += 1;
            for (let channel = 0; channel < 3; channel++) {
                const expected = Math.round(Math.min(Math.max(values[i + channel], 0), 1) * 255);
                result.colour = Math.max(result.colour, Math.abs(after.data[i + channel] - expected));
                result.changed += after.data[i + channel] !== data[i + channel];
            }
        }
        return result;
    });
}
