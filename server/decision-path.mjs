// The short way of a decision call: from node's request to the handler that Next compiled and put on globalThis, and
// from its answer to the socket. What is decided, and whether the caller may ask, is all in the handler.
import { BODY_WITHIN, closeAfter, refuse, TOO_SLOW } from './door.mjs';

/** Whether a request target is one that the handler answers. */
export function isDecisionCall(target) {
  if (!target.startsWith('/v1/check') && !target.startsWith('/v1/forward-auth')) return false;
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  return (
    path === '/v1/check' ||
    path === '/v1/check/batch' ||
    path === '/v1/forward-auth' ||
    path.startsWith('/v1/forward-auth/envoy/')
  );
}

/** Answers a decision call. The handler turns its own faults into answers; what it throws is thrown. */
export function answerDecisionCall(handler, req, res, stopping) {
  return handler(new DecisionCall(req, res)).then((answer) => send(answer, req, res, stopping));
}

function send({ status, headers, body }, req, res, stopping) {
  if (res.headersSent) return;
  if (stopping) headers.Connection = 'close';
  if (!req.complete) closeAfter(res);
  if (body !== null) headers['Content-Length'] = Buffer.byteLength(body);
  res.writeHead(status, headers);
  res.end(req.method === 'HEAD' || body === null ? undefined : body);
}

class DecisionCall {
  constructor(req, res) {
    this.req = req;
    this.res = res;
    this.method = req.method;
    this.target = req.url;
    this.headers = new HeaderFields(req.headers);
  }

  get url() {
    return `http://${this.req.headers.host ?? 'localhost'}${this.req.url}`;
  }

  /** The body; null when it is larger than `limit`. Of a caller who went away or is too slow it is empty. */
  read(limit) {
    const { req, res } = this;
    if (Number(req.headers['content-length'] ?? 0) > limit) return Promise.resolve(null);
    return new Promise((resolve) => {
      let chunks = [];
      let size = 0;
      const late = setTimeout(() => {
        refuse(res, TOO_SLOW);
        resolve(Buffer.alloc(0));
      }, BODY_WITHIN);
      req.on('data', (chunk) => {
        size += chunk.length;
        if (size <= limit) return chunks.push(chunk);
        chunks = [];
        resolve(null);
      });
      req.on('end', () => {
        clearTimeout(late);
        resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      });
      req.on('close', () => {
        clearTimeout(late);
        resolve(Buffer.alloc(0));
      });
    });
  }
}

class HeaderFields {
  constructor(fields) {
    this.fields = fields;
  }

  get(name) {
    const value = this.fields[name] ?? this.fields[name.toLowerCase()];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : value.join(', ');
  }

  has(name) {
    return this.get(name) !== null;
  }
}
