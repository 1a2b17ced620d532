/** One line of a plot. */
export interface Series {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
}

const [WIDTH, HEIGHT] = [720, 340];
/** Margins for title and labels. */
const [TOP, RIGHT, BOTTOM, LEFT] = [46, 150, 52, 76];
const COLOURS = ['#2f7fd6', '#c9582b', '#3d9a57', '#9b5fc0'];

/** Draws lines over a logarithmic x axis, as an SVG that is legible on light and dark backgrounds. */
export function plot(title: string, abscissa: string, series: readonly Series[]): string {
  const xs = series.flatMap(({ points }) => points.map(([x]) => Math.log10(x)));
  const most = Math.max(...series.flatMap(({ points }) => points.map(([, y]) => y)));
  const step = niceStep(most / 5);
  const top = Math.ceil(most / step) * step;
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const x = (value: number) => LEFT + ((Math.log10(value) - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const parts = [text(LEFT, 24, title, 'font-weight="600"')];
  for (let value = 0; value <= top; value += step) {
    parts.push(
      `<path d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="#888" stroke-opacity=".35"/>`,
      text(LEFT - 8, y(value) + 4, value.toLocaleString('en-US'), 'text-anchor="end"'),
    );
  }
  for (const value of new Set(series.flatMap(({ points }) => points.map(([at]) => at)))) {
    parts.push(text(x(value), HEIGHT - BOTTOM + 20, value.toLocaleString('en-US'), 'text-anchor="middle"'));
  }
  parts.push(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, abscissa, 'text-anchor="middle"'));
  for (const [i, { name, points }] of series.entries()) {
    const colour = COLOURS[i % COLOURS.length];
    const path = points.map(([px, py]) => `${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('L');
    parts.push(`<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2.5"/>`);
    for (const [px, py] of points)
      parts.push(`<circle cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="4" fill="${colour}"/>`);
    const [endX, endY] = points.at(-1) ?? [1, 0];
    parts.push(
      `<text x="${(x(endX) + 10).toFixed(1)}" y="${(y(endY) + 4).toFixed(1)}" style="fill:${colour}">${name}</text>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${title}</title>
<style>text{fill:#333}@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>
${parts.join('\n')}
</svg>
`;
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${words}</text>`;
}

/** Returns 1, 2 or 5 times a power of ten, at least `value`. */
function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 5].find((factor) => factor * power >= value) ?? 10) as number) * power;
}
