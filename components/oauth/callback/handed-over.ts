import { z } from 'zod';

/** Name of the stored response in this browser tab, and of the channel to other tabs. */
const NAME = 'sluice.oauth.callback';
const text = z.string().max(4_096).optional();

/** Parameters of an authorization response at the callback page (RFC 6749 section 4.1.2, RFC 9207). */
const AuthorizationResponse = z.object({ code: text, state: text, iss: text, error: text, error_description: text });
export type AuthorizationResponse = z.output<typeof AuthorizationResponse>;

/** Sent back by a page that waited for the response. */
const Receipt = z.object({ received: z.literal(true) });

/**
 * Passes a response to the page of the console in this browser tab and to those in other tabs. `onReceipt` runs if a
 * page waited for it.
 */
export function handOverResponse(response: AuthorizationResponse, onReceipt: () => void): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(response));
  } catch {
    // The storage is full, so only builders in other tabs receive it.
  }
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    if (!Receipt.safeParse(data).success) return;
    channel.close();
    onReceipt();
  };
  channel.postMessage(response);
}

/**
 * Calls `listener` for the response stored in this browser tab, and for those of other tabs until stopped. If it returns
 * true, the response was waited for, and its window may close.
 */
export function watchHandOver(listener: (response: AuthorizationResponse) => boolean): () => void {
  const receive = (response: unknown) => {
    const parsed = AuthorizationResponse.safeParse(response);
    return parsed.success && !Receipt.safeParse(response).success && listener(parsed.data);
  };
  const stored = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  try {
    receive(JSON.parse(stored ?? 'null'));
  } catch {
    // The stored text is not from this page.
  }
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    if (receive(data)) channel.postMessage({ received: true });
  };
  return () => channel.close();
}
