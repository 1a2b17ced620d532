import { z } from 'zod';

// The content security policy forbids eval; trying it would be reported.
z.config({ jitless: true });

const KEY = 'sluice.oauth.callback';
const CHANNEL = 'sluice.oauth.callback';
const text = z.string().max(4_096).optional();

/** What an authorization response brought to the callback page (RFC 6749 section 4.1.2, RFC 9207). */
const AuthorizationResponse = z.object({
  code: text,
  state: text,
  iss: text,
  error: text,
  error_description: text,
});
export type AuthorizationResponse = z.output<typeof AuthorizationResponse>;

/** Hands a response to the builder: to the one in this browser tab, and to those that are open in others. */
export function handOver(response: AuthorizationResponse): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(response));
  } catch {
    // Then only builders in other tabs hear of it.
  }
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(response);
  channel.close();
}

/** Takes what was handed over in this browser tab; null when nothing was. */
export function takeOver(): AuthorizationResponse | null {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  try {
    const read = AuthorizationResponse.safeParse(JSON.parse(kept ?? 'null'));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** Calls `listener` for what callback pages in other tabs hand over; answers how to stop that. */
export function onHandOver(listener: (response: AuthorizationResponse) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event) => {
    const read = AuthorizationResponse.safeParse(event.data);
    if (read.success) listener(read.data);
  };
  return () => channel.close();
}
