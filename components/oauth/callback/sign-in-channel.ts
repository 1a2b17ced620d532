import { z } from 'zod';
import { CALLBACK_PATH } from '@/lib/contract/callback';

/**
 * How the console page that runs an assessment and the window in which a person signs in find each other. They share
 * an origin but no opener: `Cross-Origin-Opener-Policy` severs it. Whenever the window is back at the callback page, it
 * says so and is told where to go next.
 */
const NAME = 'sluice.oauth.sign-in';

const assessment = z.uuid();
const url = z.url({ protocol: /^https?$/ });

/** What the window says. */
const FromWindow = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), assessment }),
  /** The full address that the authorization server sent the browser to. */
  z.object({ type: z.literal('returned'), assessment, url }),
  z.object({ type: z.literal('leaving'), assessment }),
  z.object({ type: z.literal('closed'), assessment }),
]);
export type FromWindow = z.output<typeof FromWindow>;

/** What the console page says. */
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

/** The console page's end. */
export const openConsoleChannel = (listener: (message: FromWindow) => void) =>
  open<FromConsole, FromWindow>(FromWindow, listener);

/** The window's end. */
export const openWindowChannel = (listener: (message: FromConsole) => void) =>
  open<FromWindow, FromConsole>(FromConsole, listener);

const PREFIX = '#assessment=';

/** The address of the callback page that starts a window for an assessment. */
export const signInAddress = (id: string) => `${CALLBACK_PATH}${PREFIX}${id}`;

/** In sessionStorage: the assessment of this window. It survives the visit to the other server; nothing secret. */
const WINDOW = 'sluice.oauth.sign-in';

/** The assessment that this window signs in for, null for any other visit to the callback page. */
export function assessmentOfWindow(): string | null {
  const { hash } = window.location;
  if (hash.startsWith(PREFIX)) {
    const id = assessment.safeParse(hash.slice(PREFIX.length)).data;
    if (id !== undefined) keepWindow(id);
  }
  return assessment.safeParse(sessionStorage.getItem(WINDOW)).data ?? null;
}

/** Later visits to the callback page in this window belong to the assessment. */
export function keepWindow(id: string): void {
  sessionStorage.setItem(WINDOW, id);
}

/** Ends the window's part: later visits to the callback page belong to the builder. */
export function endWindow(): void {
  sessionStorage.removeItem(WINDOW);
}

/** Takes the authorization response out of the address bar and the history. */
export function forgetAddress(): void {
  // Not the router's own: that one would keep the parameters in the entry's state.
  History.prototype.replaceState.call(window.history, {}, '', window.location.pathname);
}
