import { type Head, SluiceError } from '@/client/error';

export interface TransportOptions {
  /** URL of Sluice, with or without a path before `/v1`: `https://limits.example.com`. */
  url: string;
  /** Admin token. The role `gateway` suffices for `check`. */
  token: string;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** More than any answer that is read as a whole, in bytes. */
export const LARGEST_ANSWER = 32 * 1024 * 1024;
export const TOO_LARGE = 'The answer is larger than 32 MiB.';

/** Reads a body. @throws Error if it is larger than 32 MiB, also once it is unpacked */
export async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.length;
    if (size > LARGEST_ANSWER) {
      await reader?.cancel();
      throw new Error(TOO_LARGE);
    }
    chunks.push(part.value);
  }
  const body = new Uint8Array(size);
  let end = 0;
  for (const chunk of chunks) {
    body.set(chunk, end);
    end += chunk.length;
  }
  return body;
}

export async function readText(response: Response): Promise<string> {
  return new TextDecoder().decode(await readBody(response));
}

/** Parses a body. @throws SluiceError if it is not JSON */
export function parseBody(head: Head, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw createUnexpectedAnswerError(head, 'The server did not answer in JSON.', cause);
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

export function createUnexpectedAnswerError({ status, headers }: Head, message: string, cause?: unknown): SluiceError {
  return new SluiceError('unexpected_answer', message, { status, requestId: headers.get('x-request-id'), cause });
}

/** Returns the error to throw for a broken request. */
export function createConnectionError(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new SluiceError('unreachable', 'The server could not be reached.', { cause });
}

export function trimBase({ url }: TransportOptions): string {
  return url.replace(/\/+$/, '');
}

export function buildTokenHeader({ token }: TransportOptions): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}
