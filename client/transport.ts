import { type Head, SluiceError } from '@/client/error';

export interface TransportOptions {
  /** URL of Sluice, with or without a path before `/v1`: `https://limits.example.com`. */
  url: string;
  /** Admin token. The role `gateway` suffices for `check`. */
  token: string;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Parses a body. @throws SluiceError if it is not JSON */
export function parseBody(head: Head, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw createUnexpected(head, 'The server did not answer in JSON.', cause);
  }
}

/** Parses the body of an error. Null if it is not JSON. */
export function parseErrorBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function createUnexpected({ status, headers }: Head, message: string, cause?: unknown): SluiceError {
  return new SluiceError('unexpected_answer', message, { status, requestId: headers.get('x-request-id'), cause });
}

/** Returns the error to throw for a broken request. */
export function createLoss(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new SluiceError('unreachable', 'The server could not be reached.', { cause });
}

export function trimBase({ url }: TransportOptions): string {
  return url.replace(/\/+$/, '');
}

export function tokenHeader({ token }: TransportOptions): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}
