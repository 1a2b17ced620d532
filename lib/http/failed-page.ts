import { createUncachedHeaders, type ErrorFields } from '@/lib/http/error-answer';
import { buildWholeResponse } from '@/lib/http/error-response';

/** Returns whether a browser navigates to a page, so that it shows the answer to a person. */
export function isNavigation({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.get('accept') ?? '');
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  503: 'The database or the counter store is down. Try again in a few seconds.',
};

/** Builds a page that replaces one that failed before it was rendered. It has no script, and nothing to load. */
export function buildFailedPage({ status, headers }: ErrorFields, requestId: string): Response {
  const reason = REASONS[status] ?? 'The server had a problem.';
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sluice cannot show this page</title>
<style>:root{color-scheme:light dark}body{font-family:system-ui,sans-serif;display:grid;place-items:center;min-height:100dvh;margin:0}main{text-align:center}h1{font-size:20px}</style></head>
<body><main><h1>Sluice cannot show this page</h1><p>${reason}</p><p><a href="">Try again</a></p></main></body>
</html>
`;
  const type = { 'Content-Type': 'text/html; charset=utf-8' };
  return buildWholeResponse({ status, headers: createUncachedHeaders(requestId, { ...type, ...headers }), body });
}
