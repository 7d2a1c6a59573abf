// The timeline of the page: draws the bars for a window of time, which mouse, touch and keyboard move.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('bars').textContent);
  const box = document.getElementById('lanes');
  const ruler = document.getElementById('ruler');
  const tip = document.getElementById('tip');
  const said = document.getElementById('said');
  const [first, last] = data.window;
  // The positions of a bar's numbers, and the shortest window in nanoseconds.
  const [LEVEL, START, LENGTH, ENTRY, VALUE, SUBMISSION, COUNT, SUM] = [0, 1, 2, 3, 4, 5, 6, 7];
  const SHORTEST = Math.min(100, last - first);
  const INK = '#10141b';
  const NONE = 'No bar is chosen.';
  let [from, to] = [first, last];
  let [lane, chosen] = [0, null];
  let colours = [];
  let edge = '';
  let waiting = false;

  const lanes = [...box.querySelectorAll('.lane')].map((element, index) => {
    const still = element.querySelector('svg');
    const canvas = document.createElement('canvas');
    canvas.className = 'bars';
    canvas.style.height = still.style.height;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', still.getAttribute('aria-label'));
    still.replaceWith(canvas);
    return { element, canvas, bars: data.lanes[index] };
  });

  // Words

  function time(nanoseconds) {
    if (nanoseconds === 0) return '0';
    const units = [['s', 1e9], ['ms', 1e6], ['us', 1e3]];
    const [unit, size] = units.find(([, least]) => Math.abs(nanoseconds) >= least) ?? ['ns', 1];
    return `${Number((nanoseconds / size).toPrecision(5))} ${unit}`;
  }

  function name(bar) {
    const [kind, , label] = data.entries[bar[ENTRY]];
    return kind === label ? kind : `${kind} ${label}`;
  }

  function described(bar) {
    const at = `at ${time(bar[START])}`;
    if (bar[COUNT]) {
      return `${bar[COUNT]} spans, ${time(bar[SUM])} within ${time(bar[LENGTH])}\nthe longest: ${name(bar)}\n${at}`;
    }
    const kind = data.entries[bar[ENTRY]][0];
    const lines = [name(bar), `${time(bar[LENGTH])}, ${at}`];
    const more = [];
    if (bar[VALUE] >= 0) more.push(`${bar[VALUE]} ${kind === 'kernel' ? 'workgroups' : 'bytes'}`);
    if (bar[SUBMISSION] > 0) more.push(`submission ${bar[SUBMISSION]}`);
    return [...lines, ...(more.length ? [more.join(', ')] : [])].join('\n');
  }

  // Drawing

  function readColours() {
    const probe = document.createElement('i');
    box.append(probe);
    const read = (property) => getComputedStyle(probe).getPropertyValue(property).trim();
    colours = data.entries.map(([, group]) => {
      probe.className = group;
      return read('--c');
    });
    edge = read('--ink');
    probe.remove();
  }

  function later() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  }

  function draw() {
    const width = box.clientWidth;
    let drawn = 0;
    for (const one of lanes) drawn += drawLane(one, width);
    drawRuler(width);
    // Tests read the state of the drawing here.
    Object.assign(box.dataset, { from, to, drawn });
  }

  function drawLane({ canvas, bars }, width) {
    const ratio = devicePixelRatio || 1;
    const height = parseFloat(canvas.style.height);
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const scale = width / (to - from);
    let [drawn, level, end] = [0, 0, -1];
    for (const bar of bars) {
      if (bar[LEVEL] !== level) [level, end] = [bar[LEVEL], -1];
      // Whole pixels: the colours of neighbours would mix within one.
      const left = Math.round(Math.max((bar[START] - from) * scale, -1));
      const right = Math.round(Math.min((bar[START] + bar[LENGTH] - from) * scale, width + 1));
      if (right < 0 || left > width) continue;
      const size = Math.max(right - left, 1);
      // A bar within the pixel of the one before it would only hide that one.
      if (left + size <= end && bar !== chosen) continue;
      end = left + size;
      drawn += 1;
      const y = level * data.level;
      const inner = data.level - 2;
      context.fillStyle = colours[bar[ENTRY]];
      context.fillRect(left, y, size > 3 ? size - 1 : size, inner);
      if (size > 40) {
        const most = Math.floor((size - 8) / 6);
        const label = bar[COUNT] ? `${bar[COUNT]} spans` : data.entries[bar[ENTRY]][2];
        context.fillStyle = INK;
        const shown = label.length > most ? `…${label.slice(label.length - most + 1)}` : label;
        context.fillText(shown, Math.max(left, 0) + 4, y + inner / 2, size - 6);
      }
      if (bar === chosen) {
        context.strokeStyle = edge;
        context.lineWidth = 2;
        context.strokeRect(left + 1, y + 1, Math.max(size - 2, 1), inner - 2);
      }
    }
    return drawn;
  }

  function drawRuler(width) {
    const most = Math.max(2, Math.floor(width / 110));
    const power = 10 ** Math.floor(Math.log10((to - from) / most));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => (to - from) / size <= most) ?? 10 * power;
    const marks = [];
    for (let tick = Math.ceil(from / step); tick * step < to; tick++) {
      const mark = document.createElement('span');
      mark.style.left = `${((tick * step - from) / (to - from)) * 100}%`;
      mark.textContent = time(tick * step);
      marks.push(mark);
    }
    ruler.replaceChildren(...marks);
  }

  // Window

  function show(start, length) {
    const size = Math.min(Math.max(length, SHORTEST), last - first);
    from = Math.min(Math.max(start, first), last - size);
    to = from + size;
    later();
  }

  function zoom(factor, part = 0.5) {
    const size = Math.min(Math.max((to - from) * factor, SHORTEST), last - first);
    show(from + (to - from - size) * part, size);
  }

  const move = (part) => show(from + (to - from) * part, to - from);
  const steps = {
    in: () => zoom(0.5),
    out: () => zoom(2),
    earlier: () => move(-0.25),
    later: () => move(0.25),
    whole: () => show(first, last - first),
  };

  // Choice

  function choose(bar) {
    chosen = bar;
    said.textContent = bar ? described(bar) : NONE;
    if (bar && (bar[START] + bar[LENGTH] < from || bar[START] > to)) {
      show(bar[START] + (bar[LENGTH] - (to - from)) / 2, to - from);
    }
    later();
  }

  function chooseLane(index) {
    if (!lanes.length) return;
    lane = Math.min(Math.max(index, 0), lanes.length - 1);
    lanes.forEach(({ element }, at) => element.classList.toggle('chosen', at === lane));
    const { element } = lanes[lane];
    said.textContent = `lane ${element.querySelector('p').textContent}`;
    element.scrollIntoView({ block: 'nearest' });
  }

  /** The next or the previous bar of the lane; without one, the first bar that is shown. */
  function step(by) {
    if (!lanes.length) return;
    const bars = lanes[lane].bars;
    const at = bars.indexOf(chosen);
    const next = at < 0 ? bars.findIndex((bar) => bar[START] + bar[LENGTH] >= from) : at + by;
    if (bars[next]) choose(bars[next]);
  }

  /** The bar under a pointer, with a pixel more on each side. */
  function hit(event) {
    const found = lanes.find(({ canvas }) => canvas === event.target);
    if (!found) return null;
    const area = found.canvas.getBoundingClientRect();
    const pixel = (to - from) / area.width;
    const at = from + (event.clientX - area.left) * pixel;
    const level = Math.floor((event.clientY - area.top) / data.level);
    const near = found.bars.filter((bar) => (
      bar[LEVEL] === level && bar[START] - pixel <= at && at <= bar[START] + bar[LENGTH] + pixel
    ));
    const distance = (bar) => Math.max(bar[START] - at, at - bar[START] - bar[LENGTH], 0);
    near.sort((one, other) => distance(one) - distance(other));
    return near[0] ? { bar: near[0], lane: lanes.indexOf(found) } : null;
  }

  function hover(event) {
    const found = event.pointerType === 'mouse' ? hit(event) : null;
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = described(found.bar);
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, document.documentElement.clientWidth - width - 4))}px`;
    const below = event.clientY + 18;
    tip.style.top = `${below + height > innerHeight ? event.clientY - height - 10 : below}px`;
  }

  // Pointers: one moves the window, two also zoom it, and one that stays chooses a bar.

  const pointers = new Map();
  let grip = null;

  const part = (x) => {
    const area = box.getBoundingClientRect();
    return (x - area.left) / area.width;
  };

  function hold() {
    const parts = [...pointers.values()].map(part).slice(0, 2);
    grip = { times: parts.map((at) => from + at * (to - from)) };
  }

  box.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, event.clientX);
    hold();
    grip.start = event.clientX;
    grip.still = pointers.size === 1;
  });
  box.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return hover(event);
    tip.hidden = true;
    if (grip.still && Math.abs(event.clientX - grip.start) < 4) return;
    if (grip.still) box.setPointerCapture(event.pointerId);
    grip.still = false;
    pointers.set(event.pointerId, event.clientX);
    const parts = [...pointers.values()].map(part).slice(0, 2);
    const [one, other] = grip.times;
    if (parts.length === 2 && Math.abs(parts[1] - parts[0]) > 0.01 && other !== undefined) {
      const size = (other - one) / (parts[1] - parts[0]);
      if (size > 0) show(one - parts[0] * size, size);
    } else {
      show(one - parts[0] * (to - from), to - from);
    }
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (grip.still && event.type === 'pointerup') {
      const found = hit(event);
      if (found) chooseLane(found.lane);
      choose(found?.bar ?? null);
    }
    if (pointers.size) hold();
  };
  box.addEventListener('pointerup', release);
  box.addEventListener('pointercancel', release);
  box.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  box.addEventListener('dblclick', (event) => zoom(0.25, part(event.clientX)));
  box.addEventListener('wheel', (event) => {
    const unit = event.deltaMode === 0 ? 1 : 30;
    const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) zoom(1.005 ** (event.deltaY * unit), part(event.clientX));
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) move((sideways * unit) / box.clientWidth);
    else return;
    event.preventDefault();
    tip.hidden = true;
  }, { passive: false });

  // Keyboard

  const keys = {
    '+': steps.in, '=': steps.in, '-': steps.out, ArrowLeft: steps.earlier, ArrowRight: steps.later, Home: steps.whole,
    ArrowUp: () => chooseLane(lane - 1), ArrowDown: () => chooseLane(lane + 1),
    n: () => step(1), p: () => step(-1), Escape: () => choose(null),
  };
  box.addEventListener('keydown', (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  const controls = document.getElementById('controls');
  controls.hidden = false;
  controls.addEventListener('click', (event) => steps[event.target.dataset.do]?.());
  box.classList.add('moves');
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', `Timeline with ${lanes.length} lanes`);
  new ResizeObserver(later).observe(box);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    readColours();
    later();
  });
  readColours();
  choose(null);
  draw();
})();
