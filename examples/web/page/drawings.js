// Pictures that kernels draw: the region, the time, and the canvas of each.

const CENTRE = [-0.7436439, 0.1318259]; // spirals in the seahorse valley
const DEEPEST = 5; // beyond that, 32-bit floats are too coarse
const FRAMES = 30; // a frame is a hundred steps; after 30 the dish is full

const $ = (id) => document.getElementById(id);

/** Draws both when they become visible, and again after a click on a button. */
export async function draw(convolution, problem) {
  const { Mandelbrot, Dish } = await import('./convolution.js');
  const guarded = (work) => () =>
    work().catch((error) => problem(`The GPU could not do it: ${error.message ?? error}\nReload the page to start again.`));
  const dive = guarded(diving(Mandelbrot, convolution));
  const react = guarded(reacting(Dish, convolution));
  $('dive').addEventListener('click', dive);
  $('again').addEventListener('click', react);
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    seen.disconnect();
    dive();
    react();
  });
  seen.observe($('drawn'));
}

function diving(Mandelbrot, convolution) {
  const { width, height } = $('mandelbrot');
  let mandelbrot;
  let depth = 0;
  let busy = false;
  return async () => {
    if (busy) return;
    busy = true;
    mandelbrot ??= new Mandelbrot(convolution, width, height);
    const [x, y] = CENTRE;
    put('mandelbrot', await mandelbrot.draw(x, y, 3.2 * 0.2 ** depth, 300 + 200 * depth));
    const times = Math.round(5 ** depth).toLocaleString('en').replaceAll(',', '\u202f');
    $('mandelbrot').setAttribute('aria-label', `The Mandelbrot set, enlarged ${times} times`);
    depth = depth === DEEPEST ? 0 : depth + 1;
    $('dive').textContent = depth ? 'Dive deeper' : 'Back to the surface';
    busy = false;
  };
}

function reacting(Dish, convolution) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let latest = 0;
  return async () => {
    const run = ++latest;
    const dish = new Dish(convolution, $('dish').width);
    for (let frame = 1; frame <= FRAMES && run === latest; frame++) {
      const pixels = await dish.go_on(1);
      if (!still || frame === FRAMES) put('dish', pixels);
      await new Promise(requestAnimationFrame);
    }
    $('dish').setAttribute('aria-label', 'A labyrinth, grown out of a few drops');
    dish.free();
  };
}

function put(id, pixels) {
  const { width, height } = $(id);
  $(id).getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
}
