import { type Exchange, parseJsonObject } from '@/lib/oauth/assessment/exchange';
import { type ClientAnswer, findHeader } from '@/lib/oauth/client/check-answer';
import { CLIENT_STEPS } from '@/lib/oauth/client/client-step';
import { type ClientEnvironment, readPrivateKey } from '@/lib/oauth/client/environment';
import type { ClientFlow, PlannedRequest } from '@/lib/oauth/client/plan-request';
import type { ProofKey } from '@/lib/oauth/client/sign';
import { buildWireRequest, type WireRequest } from '@/lib/oauth/client/wire-request';
import type { Millis } from '@/lib/units';

/** An answer with its duration. */
export interface TimedAnswer extends ClientAnswer {
  durationMs: number;
}

/** Dependencies for sending a step. */
export interface ClientTransport {
  send(request: WireRequest): Promise<TimedAnswer>;
  clock: () => Millis;
  /** Null until something is bound to a key. */
  proofKey: ProofKey | null;
  /** Latest DPoP nonce of each origin. Answers update it (RFC 9449 section 8.2). */
  nonces: Map<string, string>;
}

/** Returns why a step cannot be sent. Returns null if it can be sent, even if a server will refuse it. */
export function explainObstacle(
  planned: PlannedRequest,
  environment: ClientEnvironment,
  flow: ClientFlow,
): string | null {
  const { step, url, credentials } = planned;
  if (url === '') {
    if (step === 'resource') return 'Enter the URL of the resource.';
    return `The ${CLIENT_STEPS[step].endpoint} is not known: discover the server, or enter it by hand.`;
  }
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return 'The address is not an http or https URL.';
  if (credentials.kind === 'assertion' && readPrivateKey(environment.key) === null)
    return 'The client has no private key: generate or paste one.';
  if (step === 'authorize' && environment.par && flow.requestUri === '') return 'Push the request first.';
  return null;
}

/**
 * Signs and sends a planned request. Sends it again if the server asks for a DPoP nonce. The last exchange contains the
 * answer.
 * @throws the errors of `send`, or an error if the client's key cannot sign
 */
export async function sendStep(
  planned: PlannedRequest,
  environment: ClientEnvironment,
  transport: ClientTransport,
): Promise<{ exchanges: readonly Exchange[]; answer: ClientAnswer }> {
  const first = await sendOnce(planned, environment, transport);
  if (!planned.proof || !isNonceRequired(first.response)) return { exchanges: [first], answer: first.response };
  const second = await sendOnce(planned, environment, transport);
  return { exchanges: [first, second], answer: second.response };
}

async function sendOnce(
  planned: PlannedRequest,
  environment: ClientEnvironment,
  transport: ClientTransport,
): Promise<Exchange> {
  const { proofKey, nonces, clock } = transport;
  const { origin } = new URL(planned.url);
  const signed = planned.proof || planned.credentials.kind === 'assertion';
  // The signing library is loaded on demand, because most flows do not need it.
  const signatures = signed
    ? await (await import('@/lib/oauth/client/sign')).signRequest(planned, environment, {
        ...{ proofKey, nonce: nonces.get(origin), now: Math.floor(clock() / 1000) },
      })
    : {};
  const wire = buildWireRequest(planned, signatures);
  const exchange = await sendExchange(CLIENT_STEPS[planned.step].label, wire, transport);
  const nonce = findHeader(exchange.response, 'dpop-nonce');
  if (nonce !== null) nonces.set(origin, nonce);
  return exchange;
}

/** Sends a request and records it with its answer. @throws the errors of `send` */
export async function sendExchange(
  label: string,
  request: WireRequest,
  { send, clock }: Pick<ClientTransport, 'send' | 'clock'>,
): Promise<Exchange> {
  const startedAt = clock();
  const { durationMs, status, body, headers } = await send(request);
  const response = { status, body, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  return { label, request, response, startedAt, durationMs };
}

/** Returns whether an answer asks for a nonce: RFC 9449 section 8 at the token endpoint, section 9 at a resource. */
function isNonceRequired(answer: ClientAnswer): boolean {
  const isNonceRequested =
    parseJsonObject(answer.body).error === 'use_dpop_nonce' ||
    /error="?use_dpop_nonce/.test(findHeader(answer, 'www-authenticate') ?? '');
  return isNonceRequested && findHeader(answer, 'dpop-nonce') !== null;
}
