import { createInterface } from 'node:readline/promises';
import { isLoopback, LoopbackVisitor } from '@/cli/assess/loopback-visitor';
import { openBrowser } from '@/cli/assess/open-browser';
import { createPasteVisitor, iterateLines } from '@/cli/assess/pasted-visitor';
import type { ServerTarget } from '@/lib/contract/assessment-target';
import { abortAfter } from '@/lib/oauth/assessment/abort-after';
import type { WantedVisit } from '@/lib/oauth/assessment/target';
import type { Millis } from '@/lib/units';

/** Redirect URI of a client that Sluice registers: any free port of this machine. */
const FREE_REDIRECT_URI = 'http://127.0.0.1/callback';
/** Time limit for a person to sign in and come back. */
const VISIT_TIME: Millis = 600_000;

interface SignInOptions {
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadableStream;
  /** True if a person is at the terminal. */
  canAsk: boolean;
  /** True if a browser may be opened. Otherwise the address is only printed. */
  opensBrowser: boolean;
  /** Prints a remark. */
  say: (line: string) => void;
  /** Prints a request to the person. */
  ask: (line: string) => void;
  signal: AbortSignal;
}

/** Sign-in at the server. */
export interface SignIn {
  /** The server, with the redirect URI that is listened on. */
  server: ServerTarget;
  visit?: (wanted: WantedVisit) => Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Prepares the sign-in. Without a `login`, the person at the terminal signs in. Without a client, the assessment
 * registers one. If the redirect URI is on this machine
 * the browser comes back automatically; otherwise the person pastes the address.
 * @throws Failure if the redirect URI cannot be listened on
 */
export async function signInHere(target: ServerTarget, options: SignInOptions): Promise<SignIn> {
  const { env, stdin, canAsk, opensBrowser, say, ask, signal } = options;
  const { client, cookie = '' } = target;
  const login = target.login ?? (cookie !== '' ? 'cookie' : canAsk ? 'browser' : 'none');
  const redirectUri = client?.redirect_uri ?? target.register?.redirect_uri ?? FREE_REDIRECT_URI;
  const addRedirectUri = (uri: string): ServerTarget =>
    client === undefined
      ? { ...target, login, register: { ...target.register, redirect_uri: uri } }
      : { ...target, login, client: { ...client, redirect_uri: uri } };
  const server = login === 'none' ? { ...target, login } : addRedirectUri(redirectUri);
  if (login !== 'browser') {
    if (login === 'none' && client !== undefined)
      say('Nobody signs in, so less can be decided: --login browser, or a cookie.');
    return { server, close: async () => undefined };
  }
  const createTimeoutSignal = () => abortAfter(VISIT_TIME, signal);
  if (isLoopback(redirectUri)) {
    const visitor = await LoopbackVisitor.listen(redirectUri, ({ url, purpose }) => {
      ask(`Sign in and agree (${purpose}):\n\n  ${url}\n`);
      if (opensBrowser) openBrowser(url, env);
    });
    say('If the window does not return, paste its address here, or press Enter to do without.');
    const reader = createInterface({ input: stdin });
    reader.on('line', (line) => visitor.endVisit(line.trim() === '' ? null : line.trim()));
    return {
      server: addRedirectUri(visitor.redirectUri),
      visit: (wanted) => visitor.visit(wanted, createTimeoutSignal()),
      async close() {
        reader.close();
        await visitor.close();
      },
    };
  }
  const reader = createInterface({ input: stdin });
  const paste = createPasteVisitor(iterateLines(reader), ask);
  const waitForAbort = (limit: AbortSignal) =>
    new Promise<null>((resolve) => limit.addEventListener('abort', () => resolve(null), { once: true }));
  return {
    server,
    visit: (wanted) => Promise.race([paste(wanted), waitForAbort(createTimeoutSignal())]),
    close: async () => reader.close(),
  };
}
