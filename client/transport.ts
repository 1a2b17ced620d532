import { type Head, SluiceError } from '@/client/error';

export interface TransportOptions {
  /** Where Sluice answers, with or without a path before `/v1`: `https://limits.example.com`. */
  url: string;
  /** An admin token; of the role `gateway` where only `check` is used. */
  token: string;
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch;
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
