import type { OwnerReset } from '@/lib/admin/members/reset-owner';
import type { AnswerRequest } from '@/lib/api/guard';
import type { DecisionCall } from '@/lib/enforcement/decision-api/call-in-progress';
import type { UpstreamProxy } from '@/lib/enforcement/upstream-proxy';
import type { Answer } from '@/lib/http/error-answer';
import type { Services } from '@/lib/operation/services';
import type { TraceRequest } from '@/lib/process/trace-requests';

/**
 * State that the server shares with the compiled bundles. `proxy.ts`, the route handlers, `instrumentation.ts` and
 * `server/` are separate module instances of one process. So this one object is stored on `globalThis`.
 */
interface Bridge {
  // Set by the server (`server/serve.ts`):
  /** Prefix of the socket's address in the header `x-sluice-peer`. */
  peerNonce?: string;
  /** Directory of the product, with its migrations and recipes. */
  directory?: string;
  /** Called once, by `lib/process/start.ts`. */
  started?: (started: Started) => void;
  /** Owner to reset instead of serving. A server may run at the same time. */
  resetOwner?: OwnerReset;
  /** True from SIGTERM on. Requests are finished, and readiness is 503. */
  isStopping?: boolean;

  // Set by `lib/process/start.ts` and `lib/process/runtime.ts`:
  /** Services of this process. A failed start is not stored. */
  services?: Promise<Services>;
  /** Answers the API, including the decision API. */
  answerApi?: AnswerRequest;
  /** Answers a call of the decision API at a fraction of the cost. It calls `respond` once. */
  decide?: (call: DecisionCall, respond: (answer: Answer) => void) => void;
  /** Counts an answered call of the decision API. The duration is in milliseconds. */
  decided?: (method: string, status: number, duration: number) => void;
  /** Returns the client whose bodies share a budget: its address, or the /64 of an IPv6 address. */
  callerOf?: (headers: Readonly<Record<string, string | string[] | undefined>>) => string;
  /** Absent without `SLUICE_UPSTREAM`. */
  upstream?: UpstreamProxy;
  /** Runs the work of a request within its span. Absent if tracing is off. */
  traced?: TraceRequest;
  /** Counts and logs a request once it is answered. */
  answered?: (request: AnsweredRequest) => void;
}

/** An answered request, as the server reports it. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Path and query as sent. */
  target: string;
  status: number;
  /** Time from the request's arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** True if the answer was an event stream. */
  isStream: boolean;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The result of the start. */
export interface Started {
  /** Sentence for the operator if the start failed. */
  failure: string | null;
  /** Output for the operator if the process ran a command instead of serving. */
  printed?: string;
  /** Time for which connections are accepted after SIGTERM. */
  drainSeconds: number;
  /** Logs a fault without its secrets. */
  logFault: (fault: unknown, message: string, requestId?: string) => void;
  /** Writes data in memory and closes the stores. Returns false if a part failed. */
  close: () => Promise<boolean>;
}

const KEY = Symbol.for('sluice.bridge');
const holder = globalThis as typeof globalThis & { [KEY]?: Bridge };
holder[KEY] ??= {};

export const bridge: Bridge = holder[KEY];
