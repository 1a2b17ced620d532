// @ts-check
// Plain JavaScript, because `server.mjs` needs it before anything is compiled.

/**
 * What `server.mjs` and the compiled bundles share. `proxy.ts`, the route handlers, `instrumentation.ts` and `server.mjs`
 * are separate module instances of one process, so this one object hangs on `globalThis`.
 *
 * Set by the server (`server/serve.mjs`):
 * @typedef {object} Bridge
 * @property {string} [peerNonce] stands before the socket's address in the header `x-sluice-peer`
 * @property {string} [directory] of the product: its migrations and recipes are there
 * @property {(started: Started) => void} [started] called once, by `lib/process/start.ts`
 * @property {OwnerReset} [resetOwner] what the process does in place of serving, beside a server that may run
 * @property {boolean} [isStopping] from SIGTERM on: requests are finished, and readiness is 503
 *
 * Set by `lib/process/start.ts` and `lib/process/runtime.ts`:
 * @property {Promise<Services>} [services] of this process; a start that failed is not kept
 * @property {(call: DecisionCall, respond: (answer: Answer) => void) => void} [decide] answers a call of the decision API
 *   without Next, by calling `respond` once
 * @property {(method: string, status: number, duration: number) => void} [decided] counts an answered call of the decision
 *   API; the duration in milliseconds
 * @property {Administer} [administer] finds what answers a change of the API without Next
 * @property {(headers: Readonly<Record<string, string | string[] | undefined>>) => string} [callerOf] whose bodies are
 *   bounded together: the client's address, of IPv6 its /64
 * @property {UpstreamProxy} [upstream] absent without `SLUICE_UPSTREAM`
 * @property {TraceRequest} [traced] runs the work of a request within its span; absent where nothing is traced
 * @property {(request: AnsweredRequest) => void} [answered] counts and logs a request once it is answered
 */

/**
 * The result of the start.
 * @typedef {object} Started
 * @property {string | null} failure the sentence for the operator when the start failed
 * @property {string} [printed] what was done in place of serving, for the operator
 * @property {number} drainSeconds how long connections are accepted after SIGTERM
 * @property {(fault: unknown, message: string, requestId?: string) => void} logFault logs a fault without its secrets
 * @property {() => Promise<boolean>} close writes what is in memory and closes the stores; false when a part failed
 */

/**
 * @import { OwnerReset } from '../admin/members/reset-owner'
 * @import { DecisionCall } from '../enforcement/decision-api/call-in-progress'
 * @import { UpstreamProxy } from '../enforcement/upstream-proxy'
 * @import { Answer } from '../http/error-answer.mjs'
 * @import { Services } from '../operation/services'
 * @import { Administer } from './administer'
 * @import { AnsweredRequest } from './start'
 * @import { TraceRequest } from './trace-requests'
 */

const KEY = Symbol.for('sluice.bridge');
const place = /** @type {typeof globalThis & { [KEY]?: Bridge }} */ (globalThis);
place[KEY] ??= {};

/** @type {Bridge} */
export const bridge = place[KEY];
