/** Fetches a JWKS for the token workbench. `KEYS_WORKER_POLICY` limits what it may reach. */
const WORKER = `
onmessage = async ({ data: { address, longest } }) => {
  try {
    const response = await fetch(address, {
      credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', redirect: 'error',
      signal: AbortSignal.timeout(10000),
    });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length > longest) {
        await reader.cancel();
        return postMessage({ fault: 'too_long' });
      }
    }
    postMessage({ status: response.status, text });
  } catch (error) {
    postMessage({ fault: error?.name === 'TimeoutError' ? 'timeout' : 'unreachable' });
  }
};
`;

export function GET() {
  return new Response(WORKER, {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-store',
    },
  });
}
