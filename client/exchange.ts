import type { Head } from '@/client/error';
import { buildTokenHeader, createConnectionError, readText, type TransportOptions, trimBase } from '@/client/transport';

/** Answer to a decision request, fully read. */
export interface Received extends Head {
  text: string;
}

/** Receives a function that aborts the request. */
export type OnCancel = (cancel: () => void) => void;

/** Posts checks to a path as JSON. @throws SluiceError `unreachable` */
export type Ask = (path: string, body: string, onCancel: OnCancel) => Promise<Received>;

/** Sends decision requests by `fetch`, which every platform has. */
export function createFetchExchange(transport: TransportOptions): Ask {
  const base = trimBase(transport);
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...buildTokenHeader(transport) };
  const { fetch = globalThis.fetch } = transport;
  return async (path, body, onCancel) => {
    const abort = new AbortController();
    onCancel(() => abort.abort());
    const { signal } = abort;
    try {
      // A redirect would forward the token and turn a POST into a GET.
      const response = await fetch(`${base}${path}`, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return { status: response.status, headers: response.headers, text: await readText(response) };
    } catch (cause) {
      throw createConnectionError(cause, undefined);
    }
  };
}
