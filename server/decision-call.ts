// Answers a call of the decision API without Next: passes Node's request to `bridge.decide`, which authorises and decides,
// and writes its answer to the socket.
import { AsyncResource } from 'node:async_hooks';
import type { DecisionCall } from '@/lib/enforcement/decision-api/call-in-progress';
import type { Answer, ErrorFields } from '@/lib/http/error-answer';
import { HeaderFields } from '@/lib/http/header-fields';
import { bridge } from '@/lib/process/bridge';
import { AUTHORISED, BODY_WITHIN } from '@/server/bodies';
import { BUSY, buildUrl, type NodeRequest, type NodeResponse, refuse, send, TOO_SLOW } from '@/server/validation';

/**
 * Answers a call of the decision API. `bridge.decide` turns its own faults into answers.
 * @param proceed lets a client send its body that waits for permission
 * @param broken called if an answer cannot be sent
 */
export function answerDecisionCall(
  req: NodeRequest,
  res: NodeResponse,
  proceed: () => void,
  broken: (error: unknown) => void,
): void {
  const { decide, decided, traced, isStopping } = bridge;
  const arrived = performance.now();
  let isArriving = true;
  const respond = (answer: Answer) => {
    if (res.headersSent) return;
    try {
      if (isStopping) answer.headers.Connection = 'close';
      send(res, answer);
      decided?.(req.method, answer.status, performance.now() - arrived);
    } catch (error) {
      broken(error);
    }
  };
  decide?.(new NodeCall(req, res, traced !== undefined, proceed), (answer) => {
    // The parser considers the request incomplete until this turn ends, and would lose one that follows it.
    if (isArriving) queueMicrotask(() => respond(answer));
    else respond(answer);
  });
  isArriving = false;
}

class NodeCall implements DecisionCall {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderFields;

  constructor(
    private readonly req: NodeRequest,
    private readonly res: NodeResponse,
    private readonly isTraced: boolean,
    private readonly proceed: () => void,
  ) {
    this.method = req.method;
    this.target = req.url;
    this.headers = new HeaderFields(req.headers, req.rawHeaders);
  }

  get url(): string {
    return buildUrl(this.req);
  }

  /**
   * Reads the body. `done` gets null if it is larger than `limit`. It gets an empty body if the client disconnected, is
   * too slow, or exceeds the budget. Its answer is not sent then.
   */
  read(limit: number, done: (bytes: Buffer | null) => void): void {
    const { req, res, isTraced } = this;
    if (Number(req.headers['content-length'] ?? 0) > limit) return void done(null);
    // Body events run in the context of the connection, not of the request.
    const inContext = isTraced ? AsyncResource.bind(done) : done;
    const chunks: Buffer[] = [];
    let size = 0;
    const caller = req.socket.remoteAddress ?? '';
    const end = (bytes: Buffer | null) => {
      if (!reading.delete(answerTooSlow)) return;
      inContext(bytes);
      if (size > 0) AUTHORISED.release(caller, size);
      chunks.length = 0;
    };
    const endWith = (fault: ErrorFields) => {
      refuse(res, fault);
      end(EMPTY);
    };
    const answerTooSlow = () => endWith(TOO_SLOW);
    reading.set(answerTooSlow, recordArrival());
    req.on('data', (chunk) => {
      if (!reading.has(answerTooSlow)) return;
      if (size + chunk.length > limit) return end(null);
      if (!AUTHORISED.take(caller, chunk.length)) return endWith(BUSY);
      size += chunk.length;
      chunks.push(chunk);
    });
    req.on('end', () => {
      const [first] = chunks;
      end(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    req.on('close', () => end(EMPTY));
    this.proceed();
  }
}

const EMPTY = Buffer.alloc(0);

/**
 * Bodies being read, in order of arrival, by the function that ends a slow one. One timer checks all of them every
 * second, because a timer for each would cost a decision more than its body.
 */
const reading = new Map<() => void, number>();
let lookupTimer: NodeJS.Timeout | undefined;

/** Returns the arrival time of a body, and starts the timer that ends slow bodies. */
function recordArrival(): number {
  lookupTimer ??= setInterval(endSlowBodies, 1_000).unref();
  return performance.now();
}

function endSlowBodies(): void {
  const latest = performance.now() - BODY_WITHIN;
  for (const [late, arrived] of reading) {
    if (arrived > latest) break;
    late();
  }
  if (reading.size > 0) return;
  clearInterval(lookupTimer);
  lookupTimer = undefined;
}
