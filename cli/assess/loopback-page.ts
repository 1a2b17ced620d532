/** Path that the page polls for its next address. */
export const NEXT_PATH = '/.sluice/next';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}';

/**
 * Script of the page that the browser returns to. It submits the URL fragment if the answer is in it, then opens each
 * further visit automatically until the assessment needs no more.
 */
const SCRIPT = `
const said = document.querySelector('p');
const rest = location.hash.slice(1);
if (rest !== '' && document.body.dataset.taken === 'no')
  await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: rest });
for (;;) {
  const answer = await fetch('${NEXT_PATH}').catch(() => null);
  const next = answer !== null && answer.ok ? await answer.json() : { done: answer === null };
  if (next.url !== undefined) { location.replace(next.url); break; }
  if (next.done) { said.textContent = 'Done. You can close this window.'; break; }
}`;

/** @param taken true if the answer was in the query or in a POST body; otherwise it may be in the fragment */
export function buildLoopbackPage(taken: boolean, nonce: string): { body: string; headers: Record<string, string> } {
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sluice</title><style nonce="${nonce}">${STYLE}</style></head>
<body data-taken="${taken ? 'yes' : 'no'}"><h1>Back from the server</h1>
<p role="status">The assessment goes on. Leave this window open: it may be needed again.</p>
<script type="module" nonce="${nonce}">${SCRIPT}</script></body></html>
`;
  return {
    body,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': `default-src 'none'; connect-src 'self'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-ancestors 'none'`,
    },
  };
}
