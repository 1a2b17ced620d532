// @ts-check
// Answers a call of the decision API without Next: passes Node's request to `bridge.decide`, which authorises and decides,
// and writes its answer to the socket.
import { HeaderFields } from '../lib/http/header-fields.mjs';
import { BODY_WITHIN, refuse, send, TOO_SLOW } from './door.mjs';

/**
 * @import { DecisionCall } from '../lib/enforcement/decision-api/answer-decision-call'
 * @import { Answer } from '../lib/http/error-answer.mjs'
 * @import { Bridge } from '../lib/process/bridge.mjs'
 * @import { ServedRequest, ServedResponse } from './door.mjs'
 */

/** Whether a request target belongs to the decision API. @param {string} target */
export function isDecisionCall(target) {
  return /^\/v1\/(?:check(?:\/batch)?(?:\?|$)|refund(?:\?|$)|forward-auth(?:\?|$|\/envoy\/))/.test(target);
}

/**
 * Answers a decision call. `decide` turns its own faults into answers.
 * @param {{ decide: (call: DecisionCall) => Promise<Answer>, decided?: Bridge['decided'], isStopping: boolean }} process
 * @param {ServedRequest} req @param {ServedResponse} res
 */
export function answerDecisionCall({ decide, decided, isStopping }, req, res) {
  const arrived = performance.now();
  return decide(new NodeCall(req, res)).then((answer) => {
    if (res.headersSent) return;
    if (isStopping) answer.headers.Connection = 'close';
    send(res, answer);
    decided?.(req.method, answer.status, performance.now() - arrived);
  });
}

/** @implements {DecisionCall} */
class NodeCall {
  /** @param {ServedRequest} req @param {ServedResponse} res */
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

  /**
   * The body; null when it is larger than `limit`, empty when the caller went away or is too slow.
   * @param {number} limit @returns {Promise<Buffer | null>}
   */
  read(limit) {
    const { req, res } = this;
    if (Number(req.headers['content-length'] ?? 0) > limit) return Promise.resolve(null);
    return new Promise((resolve) => {
      /** @type {Buffer[]} */
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
        const [first, ...rest] = chunks;
        resolve(first !== undefined && rest.length === 0 ? first : Buffer.concat(chunks));
      });
      req.on('close', () => {
        clearTimeout(late);
        resolve(Buffer.alloc(0));
      });
    });
  }
}
