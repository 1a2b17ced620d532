import type { Transport } from '@/lib/oauth/assessment/target';
import type { Millis } from '@/lib/units';

/** Characters of a body that evidence keeps. */
export const BODY_LIMIT = 65_536;
/** Additional characters that are read, so that a secret at the limit is recognised. */
const BODY_MARGIN = 16_384;

interface HttpMessage {
  headers: [string, string][];
  body: string;
}

/** A request as sent, or as evidence keeps it. */
export interface SentRequest extends HttpMessage {
  method: string;
  url: string;
}

/** An answer as received, or as evidence keeps it. */
export interface ReceivedResponse extends HttpMessage {
  status: number;
}

/** The readable content of a JWT in an exchange, without the signature that would make it usable. */
export interface EvidenceToken {
  /** Name of the token in the texts of the exchange. */
  name: string;
  header: unknown;
  /** Null if they are unreadable, because the token is encrypted or not JSON. */
  claims: unknown;
}

/**
 * One request and its answer, as sent over the transport: the evidence behind a verdict. Rules read the original. Only
 * the version redacted by `EvidenceSecrets` leaves the server.
 */
export interface Exchange {
  /** Purpose of the request, in a few words. */
  label: string;
  request: SentRequest;
  response: ReceivedResponse;
  /** Milliseconds on the clock of the recorder. */
  startedAt: Millis;
  durationMs: number;
  /** True if the answer has the headers of a success at this endpoint: nothing in front of the server sent it. */
  isOwn?: boolean;
  /** True if the server failed twice at this request, and served a valid one in between. */
  failsAgain?: boolean;
  /** JWTs in the exchange. Present only in redacted evidence. */
  tokens?: EvidenceToken[];
}

interface RecordingOptions {
  transport: Transport;
  /** Monotonic milliseconds. */
  clock: () => Millis;
  /** Learns the secrets in requests and answers. */
  secrets?: {
    learnFromRequest(request: SentRequest): void;
    learnFromResponse(response: ReceivedResponse): void;
  };
}

/** Sends a request and records the exchange. Faults of the transport are thrown. */
export async function recordExchange(label: string, request: Request, options: RecordingOptions): Promise<Exchange> {
  const { transport, clock, secrets } = options;
  const { method, url } = request;
  const headers: SentRequest['headers'] = [...request.headers];
  const copy = request.clone().text();
  const startedAt = clock();
  // The request is sent at once, because requests of a race must not wait for the copies of others.
  const [response, sentBody] = await Promise.all([transport(request), copy]);
  const sent: SentRequest = { method, url, headers, body: sentBody };
  secrets?.learnFromRequest(sent);
  const body = (await response.text()).slice(0, BODY_LIMIT + BODY_MARGIN);
  const received: ReceivedResponse = { status: response.status, headers: [...response.headers], body };
  secrets?.learnFromResponse(received);
  return { label, request: sent, response: received, startedAt, durationMs: clock() - startedAt };
}

export function findResponseHeader(exchange: Exchange, name: string): string | null {
  return exchange.response.headers.find(([key]) => key === name.toLowerCase())?.[1] ?? null;
}

/** Returns the controls that an answer of the lab names as refusing the request. */
export function listBlockingControls(exchange: Exchange): string[] {
  const { blocked_by: named } = parseResponseJson(exchange);
  return Array.isArray(named) ? named.filter((control) => typeof control === 'string') : [];
}

/** Returns the JSON object in the body of an answer, or an empty object. */
export function parseResponseJson(exchange: Pick<Exchange, 'response'>): Record<string, unknown> {
  return parseJsonObject(exchange.response.body);
}

/** Parses a text as a JSON object. Returns an empty object for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
