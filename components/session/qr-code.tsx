import { encode } from 'uqr';

/**
 * Renders a QR code as SVG in the browser, so that its text is never sent. It is dark on light in every theme, because
 * scanners need that.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className="size-44 rounded-md border bg-white"
    >
      <path d={path} fill="black" />
    </svg>
  );
}
