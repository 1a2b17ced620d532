import { errorOf, type Head, SluiceError } from '@/client/error';

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
export async function request(transport: TransportOptions, sent: Sent): Promise<Response> {
  const { fetch = globalThis.fetch } = transport;
  const { method, path, headers, body, signal } = sent;
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...tokenHeader(transport),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    // A redirect would take the token along, and turn a POST into a GET.
    redirect: 'manual',
  };
  if (body !== undefined) init.body = body;
  if (signal !== undefined) init.signal = signal;
  const response = await fetch(`${baseOf(transport)}${path}`, init).catch((cause: unknown) => {
    throw lost(cause, signal);
  });
  if (response.ok) return response;
  const text = await response.text().catch(() => '');
  throw errorOf(response, jsonOr(text));
}

/** The value of a body. @throws SluiceError where it is no JSON */
export function parsed(head: Head, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpected(head, 'The server did not answer in JSON.', cause);
  }
}

/** The value of the body of an error; null where it is no JSON. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function unexpected({ status, headers }: Head, message: string, cause?: unknown): SluiceError {
  return new SluiceError('unexpected_answer', message, { status, requestId: headers.get('x-request-id'), cause });
}

/** What is thrown for a request that broke. */
export function lost(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new SluiceError('unreachable', 'The server could not be reached.', { cause });
}

export function baseOf({ url }: TransportOptions): string {
  return url.replace(/\/+$/, '');
}

export function tokenHeader({ token }: TransportOptions): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}
