#!/usr/bin/env python3
"""Draws speeds.svg beside this file: the kernels of docs/results/2026-11-22-checks.md on the H200's Vulkan."""

import math
from pathlib import Path

here = Path(__file__).parent
rows = []
for line in (here / "../results/2026-11-22-checks.md").read_text().splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if len(cells) == 11 and cells[1].isdigit():  # kernel, then Off, Proven, General, Driver on Vulkan
        rows.append((cells[0], float(cells[2]), float(cells[4])))
rows.sort(key=lambda row: row[2])
mean = lambda column: math.exp(sum(math.log(row[column]) for row in rows) / len(rows))

LEFT, RIGHT, TOP, ROW, WIDTH = 130, 24, 84, 13, 760
LEAST, MOST = 0.025, 2.4
height = TOP + ROW * len(rows) + 44
x = lambda value: LEFT + (WIDTH - LEFT - RIGHT) * math.log(value / LEAST) / math.log(MOST / LEAST)
out = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
    f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    f'<text x="16" y="24" font-size="15" font-weight="bold">Safe kernels on an NVIDIA H200, through Vulkan</text>',
    f'<text x="16" y="42" fill="#444">Speed of {len(rows)} kernels; 1 is the same kernel without any check. Further right is faster.</text>',
]
for at, (colour, words) in enumerate(
    [("#c2410c", f"raw wgpu's checks: geometric mean {mean(2):.2f}"), ("#1d4ed8", f"anywarp: geometric mean {mean(1):.2f}")]
):
    out.append(f'<circle cx="{22 + 270 * at}" cy="58" r="4.5" fill="{colour}"/>')
    out.append(f'<text x="{32 + 270 * at}" y="62">{words}</text>')
for tick in (0.03, 0.1, 0.3, 1, 2):
    shade = "#888" if tick == 1 else "#ddd"
    out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 8}" y2="{height - 34}" stroke="{shade}"/>')
    out.append(f'<text x="{x(tick):.1f}" y="{height - 20}" text-anchor="middle" fill="#444">{tick}</text>')
for at, (name, proven, driver) in enumerate(rows):
    y = TOP + ROW * at + 4
    out.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{name}</text>')
    out.append(f'<line x1="{x(driver):.1f}" x2="{x(proven):.1f}" y1="{y}" y2="{y}" stroke="#bbb" stroke-width="2"/>')
    for value, colour in ((driver, "#c2410c"), (proven, "#1d4ed8")):
        out.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="4" fill="{colour}"/>')
out.append("</svg>")
(here / "speeds.svg").write_text("\n".join(out) + "\n")
