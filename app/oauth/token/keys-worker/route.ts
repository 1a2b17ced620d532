/**
 * Fetches a JWKS for the token workbench. A worker has the policy that its own script came with: this one may reach
 * other origins and gets nothing but the address, while the page, which has the token, may reach none.
 */
const WORKER = `
onmessage = async ({ data: { address, longest } }) => {
  try {
    const response = await fetch(address, {
      credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal: AbortSignal.timeout(10000),
    });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length > longest) return postMessage({ fault: 'too_long' });
    }
    postMessage({ status: response.status, text });
  } catch (error) {
    postMessage({ fault: error?.name === 'TimeoutError' ? 'timeout' : 'unreachable' });
  }
};
`;

/** `connect-src`: HTTPS anywhere, and plain HTTP on this machine. */
const POLICY = "default-src 'none'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*";

export function GET() {
  return new Response(WORKER, {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
    },
  });
}
