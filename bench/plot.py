# SPDX-License-Identifier: Apache-2.0
"""Bars in groups, on a logarithmic scale, as SVG: no library needed."""

import math
from xml.sax.saxutils import escape

COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5")
BAR, GAP, LEFT, TOP, HEIGHT, BOTTOM = 9, 12, 48, 56, 220, 74


def ticks(low, high):
    """1, 2, 5, 10, ... from below to above."""
    at, found = 10.0 ** math.floor(math.log10(low)), []
    while not found or found[-1] < high:
        for step in (1, 2, 5):
            value = at * step
            if value * 2.5 > low and (not found or found[-1] < high):
                found.append(value)
        at *= 10
    return found


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'


def bars(path, title, groups, series, unit):
    """groups: names; series: {name: values, one per group, None where there is none}."""
    values = [v for s in series.values() for v in s if v] or [10]
    scale = ticks(min(values + [1]), max(values))
    low, high = math.log10(scale[0]), math.log10(scale[-1])
    group = BAR * len(series) + GAP
    width, bottom = LEFT + group * len(groups) + 20, TOP + HEIGHT

    def y(value):
        return bottom - HEIGHT * (math.log10(value) - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(width, 640)} {bottom + BOTTOM}" '
           f'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>', text(LEFT, 16, title, 'font-size="14"')]
    at = LEFT
    for name, colour in zip(series, COLOURS):
        out.append(f'<rect x="{at}" y="28" width="10" height="10" fill="{colour}"/>' + text(at + 14, 37, name))
        at += 28 + 6.2 * len(name)
    for value in scale:
        out.append(f'<line x1="{LEFT}" x2="{width - 10}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
                   + text(LEFT - 6, y(value) + 4, f"{value:g}{unit}", 'text-anchor="end"'))
    for g, name in enumerate(groups):
        x = LEFT + GAP / 2 + g * group
        for s, (label, colour) in enumerate(zip(series, COLOURS)):
            value = series[label][g]
            if value:
                out.append(f'<rect x="{x + s * BAR:.1f}" y="{y(value):.1f}" width="{BAR - 1}" '
                           f'height="{max(bottom - y(value), 0.5):.1f}" fill="{colour}">'
                           f'<title>{escape(name)}, {escape(label)}: {value:.3g}{unit}</title></rect>')
        middle = x + group / 2 - GAP / 2
        out.append(text(middle, bottom + 12, name,
                        f'text-anchor="end" transform="rotate(-35 {middle:.1f} {bottom + 12})"'))
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n</svg>\n")
