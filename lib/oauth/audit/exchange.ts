import type { Millis } from '@/lib/limiter/meter';
import type { Transport } from '@/lib/oauth/audit/transport';

/** The most of a body that evidence keeps, in characters. */
const BODY_LIMIT = 65_536;

/** One request and its answer, as they went over the transport: the evidence that a verdict stands on. */
export interface Exchange {
  /** What the request was for, in a few words. */
  label: string;
  request: { method: string; url: string; headers: [string, string][]; body: string };
  response: { status: number; headers: [string, string][]; body: string };
  /** Milliseconds on the clock of the one who recorded it. */
  startedAt: Millis;
  durationMs: number;
}

/** What recording needs besides the request. */
export interface RecordingOptions {
  transport: Transport;
  /** Monotonic milliseconds. */
  clock: () => Millis;
  /** Texts that must not be in evidence: client secrets, session cookies. */
  secrets: readonly string[];
}

/** Sends a request and writes down what went and what came. Faults of the transport are the caller's. */
export async function recordExchange(label: string, request: Request, options: RecordingOptions): Promise<Exchange> {
  const hide = redactor(options.secrets);
  const body = await request.clone().text();
  const startedAt = options.clock();
  const response = await options.transport(request);
  const text = (await response.text()).slice(0, BODY_LIMIT);
  return {
    label,
    request: {
      method: request.method,
      url: hide(request.url),
      headers: pairs(request.headers, hide),
      body: hide(body),
    },
    response: { status: response.status, headers: pairs(response.headers, hide), body: text },
    startedAt,
    durationMs: options.clock() - startedAt,
  };
}

/** The value of a header of an answer, or null. */
export function responseHeader(exchange: Exchange, name: string): string | null {
  return exchange.response.headers.find(([key]) => key === name.toLowerCase())?.[1] ?? null;
}

/** The JSON object in the body of an answer; empty when there is none. */
export function responseJson(exchange: Exchange): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(exchange.response.body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function pairs(headers: Headers, hide: (text: string) => string): [string, string][] {
  return [...headers].map(([name, value]) => [name, hide(value)]);
}

/** Takes secrets out of texts, in the forms in which they travel. */
function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return (text) => {
    let hidden = text;
    for (const form of forms) hidden = hidden.replaceAll(form, '•••');
    return secrets.length === 0 ? hidden : hidden.replace(/^Basic .+$/i, 'Basic •••');
  };
}
