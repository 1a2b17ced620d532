import { z } from 'zod';
import { CALLBACK_PATH } from '@/lib/contract/callback';

/**
 * Connects the console page of an assessment with the window in which a person signs in. They share an origin but no
 * opener, because `Cross-Origin-Opener-Policy` severs it. Whenever the window is back at the callback page, it reports
 * so and receives its next URL.
 */
const NAME = 'sluice.oauth.sign-in';

const assessment = z.uuid();
const url = z.url({ protocol: /^https?$/ });

/** Messages from the window. */
const FromWindow = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), assessment }),
  /** Full URL that the authorization server redirected the browser to. */
  z.object({ type: z.literal('returned'), assessment, url }),
  z.object({ type: z.literal('leaving'), assessment }),
  z.object({ type: z.literal('closed'), assessment }),
]);
export type FromWindow = z.output<typeof FromWindow>;

/** Messages from the console page. */
const FromConsole = z.discriminatedUnion('type', [
  z.object({ type: z.literal('wait'), assessment }),
  z.object({ type: z.literal('go'), assessment, url }),
  z.object({ type: z.literal('over'), assessment }),
]);
export type FromConsole = z.output<typeof FromConsole>;

export interface SignInChannel<Sent> {
  post(message: Sent): void;
  close(): void;
}

function open<Sent, Received>(schema: z.ZodType<Received>, listener: (message: Received) => void): SignInChannel<Sent> {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    const parsed = schema.safeParse(data);
    if (parsed.success) listener(parsed.data);
  };
  return { post: (message) => channel.postMessage(message), close: () => channel.close() };
}

/** Opens the channel for the console page. */
export const openConsoleChannel = (listener: (message: FromWindow) => void) =>
  open<FromConsole, FromWindow>(FromWindow, listener);

export const openWindowChannel = (listener: (message: FromConsole) => void) =>
  open<FromWindow, FromConsole>(FromConsole, listener);

const PREFIX = '#assessment=';

/** Returns the callback page's URL that starts the window of an assessment. */
export const buildSignInAddress = (id: string) => `${CALLBACK_PATH}${PREFIX}${id}`;

/**
 * Storage key in sessionStorage for the window's assessment. It survives the visit to the other server and is not
 * secret.
 */
const WINDOW = 'sluice.oauth.sign-in';

/** Returns the assessment that this window signs in for. Null for any other visit to the callback page. */
export function readAssessment(): string | null {
  const { hash } = window.location;
  if (hash.startsWith(PREFIX)) {
    const id = assessment.safeParse(hash.slice(PREFIX.length)).data;
    if (id !== undefined) keepWindow(id);
  }
  return assessment.safeParse(sessionStorage.getItem(WINDOW)).data ?? null;
}

/** Assigns later visits to the callback page in this window to the assessment. */
export function keepWindow(id: string): void {
  sessionStorage.setItem(WINDOW, id);
}

/** Ends the window's role. Later visits to the callback page belong to the builder. */
export function endWindow(): void {
  sessionStorage.removeItem(WINDOW);
}

/** Removes the authorization response from the address bar and the history. */
export function forgetAddress(): void {
  // The router's own replaceState would keep the parameters in the entry's state.
  History.prototype.replaceState.call(window.history, {}, '', window.location.pathname);
}
