// The page: reads pictures, shows them, shows results and errors. The GPU code is in Rust (../src).

import { draw } from './drawings.js';

const RUNS = 5;
const SAMPLE = 'rocket.jpg';

const FILTERS = [
  { name: 'Blur', weights: [1, 2, 1, 2, 4, 2, 1, 2, 1], divisor: 16, passes: 1, about: 'Each pixel becomes a mean of its neighbours.' },
  { name: 'Wide blur', weights: [1, 2, 1, 2, 4, 2, 1, 2, 1], divisor: 16, passes: 3, about: 'The blur in 3 passes: it reaches 7 × 7 pixels.' },
  { name: 'Sharpen', weights: [0, -1, 0, -1, 5, -1, 0, -1, 0], divisor: 1, passes: 1, about: 'Differences between neighbours grow.' },
  { name: 'Edges', weights: [-1, -1, -1, -1, 8, -1, -1, -1, -1], divisor: 1, passes: 1, about: 'Only differences between neighbours remain.' },
  { name: 'Emboss', weights: [-2, -1, 0, -1, 1, 1, 0, 1, 2], divisor: 1, passes: 1, about: 'Light from the upper left.' },
];

const BROWSERS = [
  'Chrome and Edge have WebGPU since version 113, Safari since 26, Firefox since 141 on Windows.',
  'On Linux it may have to be turned on: chrome://flags/#enable-unsafe-webgpu.',
  'On a machine whose graphics driver is old or blocked, an update of the driver may help.',
];

/** A mistake that the page explains: its message is shown as it is. */
class Told extends Error {}

const $ = (id) => document.getElementById(id);

let convolution;
let picture = null; // { name, width, height, rgba }
let filter = FILTERS.find(({ name }) => name === 'Emboss'); // its effect is obvious
let asked = false; // there is something to run
let running = false;

start();

async function start() {
  try {
    await openGpu();
  } catch (error) {
    missing(error instanceof Told ? error : new Told(`The program could not be started: ${error.message ?? error}`));
    return;
  } finally {
    $('loading').hidden = true;
  }
  listFilters();
  takePictures();
  $('work').hidden = false;
  await showSample();
  draw(convolution, problem); // on the GPU time that the picture leaves free
}

async function openGpu() {
  if (!window.isSecureContext) {
    throw new Told('Browsers offer WebGPU to pages from https:// and from this very machine only. Open this page from there.');
  }
  if (!navigator.gpu) throw new Told('This browser has no WebGPU, or it is turned off.');
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Told('This browser has WebGPU, but found no GPU that it may use.');
  const program = await import('./convolution.js');
  await program.default();
  convolution = await program.Convolution.open();
  $('adapter').textContent = nameOf(adapter.info);
  $('binding').textContent = `${count(convolution.largest_binding() / (1 << 20))} MiB`;
  $('invocations').textContent = count(convolution.workgroup_invocations());
  $('largest').textContent = `${megapixels(convolution.max_pixels())} megapixels`;
}

/** The browser's description of its adapter: often just the maker and the family. */
function nameOf(info = {}) {
  const family = [info.vendor, info.architecture].filter(Boolean).join(', ');
  return info.description || info.device || family || convolution.name();
}

function missing(error) {
  $('missing-title').textContent = 'No GPU to run on';
  $('missing-reason').textContent = error.message;
  $('missing-advice').replaceChildren(...BROWSERS.map((advice) => element('li', advice)));
  $('missing').hidden = false;
}

// Filters

function listFilters() {
  $('choices').replaceChildren(
    ...FILTERS.map((choice) => {
      const input = element('input');
      Object.assign(input, { type: 'radio', name: 'filter', checked: choice === filter });
      input.addEventListener('change', () => {
        filter = choice;
        explainFilter();
        run();
      });
      const label = element('label');
      label.append(input, element('span', choice.name));
      return label;
    }),
  );
  explainFilter();
}

function explainFilter() {
  const rows = [0, 3, 6].map((first) => {
    const row = element('tr');
    row.append(...filter.weights.slice(first, first + 3).map((weight) => element('td', String(weight).replace('-', '−'))));
    return row;
  });
  $('weights').tBodies[0].replaceChildren(...rows);
  $('divisor').textContent = filter.divisor === 1 ? '' : `÷ ${filter.divisor}.`;
  $('about').textContent = filter.about;
}

// Pictures

function takePictures() {
  const choose = $('file');
  $('drop').addEventListener('click', () => choose.click());
  $('sample').addEventListener('click', showSample);
  choose.addEventListener('change', () => {
    if (choose.files.length) showFile(choose.files[0]);
    choose.value = ''; // the same file may be chosen again
  });
  const hint = (on) => document.body.classList.toggle('dropping', on);
  addEventListener('dragover', (event) => {
    event.preventDefault();
    hint(true);
  });
  addEventListener('dragleave', (event) => event.relatedTarget || hint(false));
  addEventListener('drop', (event) => {
    event.preventDefault();
    hint(false);
    const file = event.dataTransfer.files[0];
    if (file) showFile(file);
    else problem('The dropped item is not a file. Save the picture, then drop the file.');
  });
}

async function showSample() {
  await show(SAMPLE, new URL(SAMPLE, import.meta.url).href);
}

async function showFile(file) {
  const address = URL.createObjectURL(file);
  await show(file.name, address);
  URL.revokeObjectURL(address);
}

let shown = 0; // only the picture requested last is shown

async function show(name, address) {
  const number = ++shown;
  problem(null);
  status(`Reading ${name}…`);
  try {
    const image = await load(name, address);
    if (number === shown) picture = pixelsOf(name, image);
  } catch (error) {
    if (number === shown) {
      status(picture ? `Still showing ${picture.name}.` : '');
      problem(error instanceof Told ? error.message : `${name} could not be read: ${error.message ?? error}`);
    }
    return;
  }
  if (number === shown) await run();
}

/** The picture, not decoded yet: its size is known before it takes memory. */
async function load(name, address) {
  const image = new Image();
  await new Promise((loaded, refuse) => {
    image.onload = loaded;
    image.onerror = () => refuse(new Told(`${name} is not a picture that this browser can read. PNG, JPEG, WebP and AVIF work everywhere.`));
    image.src = address;
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (!width || !height) throw new Told(`${name} has no size of its own. Choose a picture made of pixels.`);
  const most = convolution.max_pixels();
  if (width * height > most) {
    const side = Math.floor(Math.sqrt(most));
    throw new Told(
      `${name} has ${count(width)} × ${count(height)} pixels, ${megapixels(width * height)} megapixels. ` +
        `${megapixels(most)} fit on this device, as ${count(side)} × ${count(side)}: make it smaller and try again.`,
    );
  }
  return image;
}

function pixelsOf(name, image) {
  const { naturalWidth: width, naturalHeight: height } = image;
  const context = canvas('before', width, height);
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  $('before').setAttribute('aria-label', `${name}, ${count(width)} by ${count(height)} pixels, as it was`);
  return { name, width, height, rgba: data };
}

/** The 2D context of a canvas that has this size, and nothing on it. */
function canvas(id, width, height) {
  Object.assign($(id), { width, height });
  const context = $(id).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Told(`This browser has no memory for ${count(width)} × ${count(height)} pixels.`);
  return context;
}

// Running

/** Runs what is chosen now, after what runs already. */
async function run() {
  asked = picture !== null;
  if (running) return;
  running = true;
  $('pictures').setAttribute('aria-busy', 'true');
  while (asked) {
    asked = false;
    await runOnce(picture, filter).catch((error) => {
      status('');
      problem(`The GPU could not do it: ${error.message ?? error}\nReload the page to start again.`);
    });
  }
  $('pictures').setAttribute('aria-busy', 'false');
  running = false;
}

async function runOnce({ name, width, height, rgba }, { name: title, weights, divisor, passes }) {
  status(`${title}: ${name}…`);
  const scaled = Float32Array.from(weights, (weight) => weight / divisor);
  const result = await convolution.run(rgba, width, height, scaled, passes, RUNS);
  const context = canvas('after', width, height);
  const pixels = new ImageData(new Uint8ClampedArray(result.take_pixels()), width, height);
  context.putImageData(pixels, 0, 0);
  $('after').setAttribute('aria-label', `${name} after the filter ${title}`);
  $('kernel-work').textContent = `${count(width * height)} pixels, ${passes === 1 ? '1 pass' : `${passes} passes`}`;
  const step = clockStep();
  $('upload').textContent = milliseconds(result.upload, step);
  $('kernel').textContent = milliseconds(result.kernel, result.device_clock ? 0.1 : step);
  $('read-back').textContent = milliseconds(result.read_back, step);
  $('clock').textContent = `${aboutRuns(result.runs)} ${aboutClocks(step, result.device_clock)}`;
  result.free();
  status(`${title}: ${name}, ${count(width)} × ${count(height)} pixels. Done.`);
}

function aboutRuns(runs) {
  return runs === 1 ? 'One run, after a first one that is not counted.' : `Medians of ${runs} runs, after a first one that is not counted.`;
}

function aboutClocks(step, byDevice) {
  const browser = `The browser's clock goes in steps of ${Number(step.toPrecision(1))} ms.`;
  return byDevice
    ? `The kernel is timed by the GPU's own clock, which browsers round to about 0.1 ms. ${browser}`
    : `This GPU's clock cannot be read: the kernel's time is from its submission until the page was notified. ${browser}`;
}

/** The smallest step of the browser's clock, as it is seen: browsers round it. */
function clockStep() {
  const start = performance.now();
  let [last, smallest] = [start, 100];
  for (let steps = 0; steps < 20 && last - start < 30; ) {
    const now = performance.now();
    if (now > last) {
      smallest = Math.min(smallest, now - last);
      last = now;
      steps += 1;
    }
  }
  return smallest;
}

// Words

function milliseconds(time, step) {
  if (time < step) return `under ${Number(step.toPrecision(1))} ms`;
  const digits = time >= 100 ? 0 : step > 0.05 ? 1 : 2;
  return `${time.toFixed(digits)} ms`;
}

function megapixels(pixels) {
  return (pixels / 1e6).toLocaleString('en', { maximumFractionDigits: 1 });
}

function count(number) {
  return Math.floor(number).toLocaleString('en').replaceAll(',', '\u202f');
}

function status(text) {
  $('status').textContent = text;
}

function problem(text) {
  $('problem').textContent = text ?? '';
  $('problem').hidden = !text;
}

function element(tag, text = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
