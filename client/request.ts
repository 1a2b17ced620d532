import { buildError } from '@/client/error';
import {
  buildTokenHeader,
  createConnectionError,
  parseErrorBody,
  readText,
  type TransportOptions,
  trimBase,
} from '@/client/transport';

/** Content of a request. */
export interface Sent {
  method: string;
  /** Path from `/v1` on, with its query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
}

/** Sends a request. @throws SluiceError for any status but success; the signal's reason if it was aborted */
export async function request(transport: TransportOptions, sent: Sent): Promise<Response> {
  const { fetch = globalThis.fetch } = transport;
  const { method, path, headers, body, signal } = sent;
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...buildTokenHeader(transport),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    // A redirect would forward the token and turn a POST into a GET.
    redirect: 'manual',
  };
  if (body !== undefined) init.body = body;
  if (signal !== undefined) init.signal = signal;
  const response = await fetch(`${trimBase(transport)}${path}`, init).catch((cause: unknown) => {
    throw createConnectionError(cause, signal);
  });
  if (response.ok) return response;
  const text = await readText(response).catch(() => '');
  throw buildError(response, parseErrorBody(text));
}
