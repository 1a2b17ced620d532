import { z } from 'zod';

/** Of the kept response in this browser tab, and of the channel to others. */
const NAME = 'sluice.oauth.callback';
const text = z.string().max(4_096).optional();

/** What an authorization response brought to the callback page (RFC 6749 section 4.1.2, RFC 9207). */
const AuthorizationResponse = z.object({ code: text, state: text, iss: text, error: text, error_description: text });
export type AuthorizationResponse = z.output<typeof AuthorizationResponse>;

/** Hands a response to the builder in this browser tab, and to those open in others. */
export function handOver(response: AuthorizationResponse): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(response));
  } catch {
    // No room: only builders in other tabs receive it.
  }
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(response);
  channel.close();
}

/** Calls `listener` for what was handed over in this browser tab, and for what others hand over until it is stopped. */
export function onHandOver(listener: (response: AuthorizationResponse) => void): () => void {
  const receive = (response: unknown) => {
    const parsed = AuthorizationResponse.safeParse(response);
    if (parsed.success) listener(parsed.data);
  };
  const kept = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  try {
    receive(JSON.parse(kept ?? 'null'));
  } catch {
    // Not written by this page.
  }
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => receive(data);
  return () => channel.close();
}
