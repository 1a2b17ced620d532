import { errorOf, SluiceError } from '@/client/error';

export interface TransportOptions {
  /** Where Sluice answers, with or without a path before `/v1`: `https://limits.example.com`. */
  url: string;
  /** An admin token; of the role `gateway` where only `check` is used. */
  token: string;
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch;
}

/** What one request says. */
export interface Sent {
  method: string;
  /** From `/v1` on, with its query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
}

/** One request. @throws SluiceError for anything but a success; what the signal was aborted with */
export async function request(options: TransportOptions, sent: Sent): Promise<Response> {
  const { url, token, fetch = globalThis.fetch } = options;
  const { method, path, headers, body, signal } = sent;
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    // A redirect would take the token along, and turn a POST into a GET.
    redirect: 'manual',
  };
  if (body !== undefined) init.body = body;
  if (signal !== undefined) init.signal = signal;
  const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, init).catch((cause: unknown) => {
    throw lost(cause, signal);
  });
  if (response.ok) return response;
  throw errorOf(response, await readJson(response, signal).catch(() => null));
}

/** The body of an answer. @throws SluiceError where it breaks off or is no JSON */
export async function readJson(response: Response, signal?: AbortSignal): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw lost(cause, signal);
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpected(response, 'The server did not answer in JSON.', cause);
  }
}

export function unexpected({ status, headers }: Response, message: string, cause?: unknown): SluiceError {
  return new SluiceError('unexpected_answer', message, { status, requestId: headers.get('x-request-id'), cause });
}

function lost(cause: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted === true
    ? signal.reason
    : new SluiceError('unreachable', 'The server could not be reached.', { cause });
}
