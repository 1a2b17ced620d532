import { createHash } from 'node:crypto';
import type { Controls } from '@/lib/oauth/lab/controls';
import { listControls, type Violations } from '@/lib/oauth/lab/respond';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:10vh auto;padding:0 1.5rem;color:#18181b;background:#fafafa}
h1{font-size:1.4rem}code{overflow-wrap:anywhere;background:#e4e4e7;padding:.1rem .3rem;border-radius:.25rem}
button{font:inherit;padding:.5rem 1.25rem;border-radius:.4rem;border:1px solid #52525b;background:#fff;color:inherit;margin-right:.75rem;cursor:pointer}
input{font:inherit;padding:.4rem .6rem;border:1px solid #52525b;border-radius:.4rem;color:inherit;background:inherit}
button[value=approve]{background:#1d4ed8;border-color:#1d4ed8;color:#fff}button:focus-visible{outline:3px solid #f59e0b;outline-offset:2px}
@media(prefers-color-scheme:dark){body{color:#f4f4f5;background:#18181b}code{background:#3f3f46}button{background:#27272a}}`;

const computeSha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
const STYLE_HASH = computeSha256(STYLE);

/**
 * Header with the address to which a server with this weakness would send the browser. The lab does not redirect there.
 */
export const WOULD_REDIRECT_HEADER = 'Sluice-Lab-Location';

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? '');
}

interface LabPage {
  status: number;
  title: string;
  /** HTML with escaped texts. */
  body: string;
  /** Target of the page's form, in addition to the lab itself. */
  formTarget?: string;
  /** The only script of the page. */
  script?: string;
  headers?: Record<string, string>;
}

/**
 * Answers with a page that other sites cannot frame, and whose address stays secret (RFC 9700 sections 4.16, 4.2.4).
 */
export function answerPage(
  { status, title, body, formTarget, script, headers }: LabPage,
  controls: Controls,
): Response {
  const framed = !controls['frame-protection'];
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    ...(script === undefined ? [] : [`script-src 'sha256-${computeSha256(script)}'`]),
    ...(framed ? [] : ["frame-ancestors 'none'"]),
  ].join('; ');
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main>${script === undefined ? '' : `<script>${script}</script>`}</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': policy,
      ...(framed ? {} : { 'X-Frame-Options': 'DENY' }),
      ...buildReferrerPolicy(controls),
      ...headers,
    },
  });
}

/** Answers with a page that lists the violations of a request. It leads nowhere. */
export function answerErrorPage({ refusing, controls }: Violations, { title, lead }: { title: string; lead: string }) {
  const items = refusing.map(({ description }) => `<li>${escapeHtml(description)}</li>`).join('');
  const blockers = listControls(refusing).map((id) => `<code>${escapeHtml(id)}</code>`);
  const body = `<p>${escapeHtml(lead)}</p>
<ul>${items}</ul>${blockers.length === 0 ? '' : `<p>Blocked by ${blockers.join(', ')}.</p>`}`;
  return answerPage({ status: 400, title, body }, controls);
}

/**
 * Redirects a browser, but only to a registered address. For any other address the lab shows a page without a link,
 * regardless of the controls, so that it is never an open redirector.
 */
export function redirectBrowser(target: string, registered: boolean, controls: Controls): Response {
  if (registered) {
    const headers = { Location: target, 'Cache-Control': 'no-store', ...buildReferrerPolicy(controls) };
    return new Response(null, { status: 303, headers });
  }
  const page = {
    status: 200,
    title: 'This address is not registered',
    body: `<p>With the controls that are on for this request, an authorization server would now send the browser, and what it carries, to:</p>
<p><code>${escapeHtml(target)}</code></p>
<p>The lab stops here. It sends browsers to registered addresses only.</p>`,
    headers: { [WOULD_REDIRECT_HEADER]: new URL(target).href },
  };
  return answerPage(page, controls);
}

/** Makes the browser post an answer to a registered address (OAuth 2.0 Form Post Response Mode section 2). */
export function postByBrowser(target: string, response: Record<string, string>, controls: Controls): Response {
  const fields = Object.entries(response).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const page = {
    status: 200,
    title: 'Going back to the application',
    body: `<form method="post" action="${escapeHtml(target)}">
${fields.join('\n')}
<button type="submit">Continue</button>
</form>`,
    formTarget: new URL(target).origin,
    script: 'document.forms[0].submit()',
  };
  return answerPage(page, controls);
}

function buildReferrerPolicy(controls: Controls): Record<string, string> {
  return controls['referrer-policy'] ? { 'Referrer-Policy': 'no-referrer' } : {};
}
