import { z } from 'zod';

/** Name of the stored response in this browser tab, and of the channel to other tabs. */
const NAME = 'sluice.oauth.callback';
const text = z.string().max(4_096).optional();

/** Parameters of an authorization response at the callback page (RFC 6749 section 4.1.2, RFC 9207). */
const AuthorizationResponse = z.object({ code: text, state: text, iss: text, error: text, error_description: text });
export type AuthorizationResponse = z.output<typeof AuthorizationResponse>;

/** Passes a response to the builder in this browser tab and in other tabs. */
export function handOver(response: AuthorizationResponse): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(response));
  } catch {
    // The storage is full, so only builders in other tabs receive it.
  }
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(response);
  channel.close();
}

/** Calls `listener` for the response stored in this browser tab, and for those of other tabs until stopped. */
export function watchHandOver(listener: (response: AuthorizationResponse) => void): () => void {
  const receive = (response: unknown) => {
    const parsed = AuthorizationResponse.safeParse(response);
    if (parsed.success) listener(parsed.data);
  };
  const kept = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  try {
    receive(JSON.parse(kept ?? 'null'));
  } catch {
    // The stored text is not from this page.
  }
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => receive(data);
  return () => channel.close();
}
