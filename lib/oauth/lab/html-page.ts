import { createHash } from 'node:crypto';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:10vh auto;padding:0 1.5rem;color:#18181b;background:#fafafa}
h1{font-size:1.4rem}code{overflow-wrap:anywhere;background:#e4e4e7;padding:.1rem .3rem;border-radius:.25rem}
button{font:inherit;padding:.5rem 1.25rem;border-radius:.4rem;border:1px solid #52525b;background:#fff;color:inherit;margin-right:.75rem;cursor:pointer}
button[value=approve]{background:#1d4ed8;border-color:#1d4ed8;color:#fff}button:focus-visible{outline:3px solid #f59e0b;outline-offset:2px}
@media(prefers-color-scheme:dark){body{color:#f4f4f5;background:#18181b}code{background:#3f3f46}button{background:#27272a}}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Makes text safe inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? '');
}

/** What a page of the lab is made with. */
export interface PageOptions {
  status: number;
  title: string;
  /** HTML whose texts are escaped already. */
  body: string;
  /** Another site may not show the page in a frame (RFC 9700 section 4.16). */
  frameProtection: boolean;
  /** The address of the page is not passed on by links and forms (RFC 9700 section 4.2.4). */
  referrerPolicy: boolean;
  /** Where the page's form may lead, besides the lab itself. */
  formTarget?: string;
  headers?: Record<string, string>;
}

/** A page without a script. */
export function answerPage(options: PageOptions): Response {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    `form-action 'self'${options.formTarget === undefined ? '' : ` ${options.formTarget}`}`,
    ...(options.frameProtection ? ["frame-ancestors 'none'"] : []),
  ].join('; ');
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(options.title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(options.title)}</h1>
${options.body}
</main></body>
</html>
`;
  return new Response(html, {
    status: options.status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': policy,
      ...(options.frameProtection ? { 'X-Frame-Options': 'DENY' } : {}),
      ...(options.referrerPolicy ? { 'Referrer-Policy': 'no-referrer' } : {}),
      ...options.headers,
    },
  });
}
