import type { OwnerReset } from '@/lib/admin/members/reset-owner';
import type { AnswerRequest } from '@/lib/api/guard';
import type { DecisionCall } from '@/lib/enforcement/decision-api/call-in-progress';
import type { UpstreamProxy } from '@/lib/enforcement/upstream-proxy';
import type { Answer } from '@/lib/http/error-answer';
import type { Services } from '@/lib/operation/services';
import type { TraceRequest } from '@/lib/process/trace-requests';

/**
 * What the server and the compiled bundles share. `proxy.ts`, the route handlers, `instrumentation.ts` and `server/` are
 * separate module instances of one process, so this one object hangs on `globalThis`.
 */
interface Bridge {
  // Set by the server (`server/serve.ts`):
  /** Stands before the socket's address in the header `x-sluice-peer`. */
  peerNonce?: string;
  /** Directory of the product, with its migrations and recipes. */
  directory?: string;
  /** Called once, by `lib/process/start.ts`. */
  started?: (started: Started) => void;
  /** What the process does in place of serving, beside a server that may run. */
  resetOwner?: OwnerReset;
  /** From SIGTERM on: requests are finished, and readiness is 503. */
  isStopping?: boolean;

  // Set by `lib/process/start.ts` and `lib/process/runtime.ts`:
  /** The services of this process; a start that failed is not kept. */
  services?: Promise<Services>;
  /** Answers the API, also the decision API. */
  answerApi?: AnswerRequest;
  /** Answers a call of the decision API at a fraction of the cost, by calling `respond` once. */
  decide?: (call: DecisionCall, respond: (answer: Answer) => void) => void;
  /** Counts an answered call of the decision API; the duration in milliseconds. */
  decided?: (method: string, status: number, duration: number) => void;
  /** Whose bodies are bounded together: the client's address, of IPv6 its /64. */
  callerOf?: (headers: Readonly<Record<string, string | string[] | undefined>>) => string;
  /** Absent without `SLUICE_UPSTREAM`. */
  upstream?: UpstreamProxy;
  /** Runs the work of a request within its span; absent where nothing is traced. */
  traced?: TraceRequest;
  /** Counts and logs a request once it is answered. */
  answered?: (request: AnsweredRequest) => void;
}

/** An answered request, from the server. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Path and query as they were sent. */
  target: string;
  status: number;
  /** From the request's arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** The answer was an event stream. */
  isStream: boolean;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The result of the start. */
export interface Started {
  /** The sentence for the operator when the start failed. */
  failure: string | null;
  /** What was done in place of serving, for the operator. */
  printed?: string;
  /** How long connections are accepted after SIGTERM. */
  drainSeconds: number;
  /** Logs a fault without its secrets. */
  logFault: (fault: unknown, message: string, requestId?: string) => void;
  /** Writes what is in memory and closes the stores; false when a part failed. */
  close: () => Promise<boolean>;
}

const KEY = Symbol.for('sluice.bridge');
const holder = globalThis as typeof globalThis & { [KEY]?: Bridge };
holder[KEY] ??= {};

export const bridge: Bridge = holder[KEY];
