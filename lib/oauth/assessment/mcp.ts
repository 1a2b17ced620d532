/** First request of a Model Context Protocol client (streamable HTTP). */
export const MCP_INITIALIZE = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sluice', version: '1' } },
  }),
} satisfies RequestInit;

/** Statuses that mean that a resource expects another method than GET. */
export const WANTS_POST = new Set([400, 405, 406]);

/** Returns whether a resource accepts that request: it answers, or it checks the token. */
export const isAnswerToPost = (status: number): boolean =>
  (status >= 200 && status < 300) || status === 401 || status === 403;
