import type { Transport } from '@/lib/oauth/assessment/target';
import type { Millis } from '@/lib/units';

/** The most of a body that evidence keeps, in characters. */
export const BODY_LIMIT = 65_536;
/** What is read beyond that, so that a secret at the edge can be recognised. */
const BODY_MARGIN = 16_384;

interface HttpMessage {
  headers: [string, string][];
  body: string;
}

/** A request as it went, or as evidence keeps it. */
export interface SentRequest extends HttpMessage {
  method: string;
  url: string;
}

/** An answer as it came, or as evidence keeps it. */
export interface ReceivedResponse extends HttpMessage {
  status: number;
}

/** A JWT that an exchange carried: what can be read of it, without what would let anybody use it. */
export interface EvidenceToken {
  /** Its name in the texts of the exchange. */
  name: string;
  header: unknown;
  /** Null where they cannot be read: the token is encrypted, or no JSON. */
  claims: unknown;
}

/**
 * One request and its answer, as they went over the transport: the evidence behind a verdict. Rules read it as it was;
 * it leaves the server only as redacted by `EvidenceSecrets`.
 */
export interface Exchange {
  /** What the request was for, in a few words. */
  label: string;
  request: SentRequest;
  response: ReceivedResponse;
  /** Milliseconds on the clock of the one who recorded it. */
  startedAt: Millis;
  durationMs: number;
  /** The JWTs in it; only in evidence that was redacted. */
  tokens?: EvidenceToken[];
}

interface RecordingOptions {
  transport: Transport;
  /** Monotonic milliseconds. */
  clock: () => Millis;
  /** Learns what must not leave the server, from what is sent and from what comes back. */
  secrets?: {
    learnFromRequest(request: SentRequest): void;
    learnFromResponse(response: ReceivedResponse): void;
  };
}

/** Sends a request and writes down what went and what came. Faults of the transport are the caller's. */
export async function recordExchange(label: string, request: Request, options: RecordingOptions): Promise<Exchange> {
  const { transport, clock, secrets } = options;
  const sent: SentRequest = {
    method: request.method,
    url: request.url,
    headers: [...request.headers],
    body: await request.clone().text(),
  };
  secrets?.learnFromRequest(sent);
  const startedAt = clock();
  const response = await transport(request);
  const body = (await response.text()).slice(0, BODY_LIMIT + BODY_MARGIN);
  const received: ReceivedResponse = { status: response.status, headers: [...response.headers], body };
  secrets?.learnFromResponse(received);
  return { label, request: sent, response: received, startedAt, durationMs: clock() - startedAt };
}

export function responseHeader(exchange: Exchange, name: string): string | null {
  return exchange.response.headers.find(([key]) => key === name.toLowerCase())?.[1] ?? null;
}

/** The controls that an answer of the lab names as refusing. */
export function blockedBy(exchange: Exchange): string[] {
  const { blocked_by: named } = responseJson(exchange);
  return Array.isArray(named) ? named.filter((control) => typeof control === 'string') : [];
}

/** The JSON object in the body of an answer; empty when there is none. */
export function responseJson(exchange: Pick<Exchange, 'response'>): Record<string, unknown> {
  return jsonObject(exchange.response.body);
}

/** A text parsed as a JSON object; empty when it is anything else. */
export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
