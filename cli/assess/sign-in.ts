import { createInterface } from 'node:readline/promises';
import { isLoopback, LoopbackVisitor } from '@/cli/assess/loopback-visitor';
import { openBrowser } from '@/cli/assess/open-browser';
import { iterateLines, pastedVisitor } from '@/cli/assess/pasted-visitor';
import type { ServerTarget } from '@/lib/contract/assessment-target';
import { abortAfter } from '@/lib/oauth/assessment/abort-after';
import type { WantedVisit } from '@/lib/oauth/assessment/target';
import type { Millis } from '@/lib/units';

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
 * Prepares the sign-in. Without a `login`, the person at the terminal signs in. If the redirect URI is on this machine
 * the browser comes back automatically; otherwise the person pastes the address.
 * @throws Failure if the redirect URI cannot be listened on
 */
export async function signInHere(given: ServerTarget, options: SignInOptions): Promise<SignIn> {
  const { env, stdin, canAsk, opensBrowser, say, ask, signal } = options;
  const { client, cookie = '' } = given;
  const login = given.login ?? (cookie !== '' ? 'cookie' : client !== undefined && canAsk ? 'browser' : 'none');
  const server: ServerTarget = { ...given, login };
  if (login !== 'browser' || client === undefined) {
    if (login === 'none' && client !== undefined)
      say('Nobody signs in, so less can be decided: --login browser, or a cookie.');
    return { server, close: async () => undefined };
  }
  const createTimeoutSignal = () => abortAfter(VISIT_TIME, signal);
  if (isLoopback(client.redirect_uri)) {
    const visitor = await LoopbackVisitor.listen(client.redirect_uri, ({ url, purpose }) => {
      ask(`Sign in and agree (${purpose}):\n\n  ${url}\n`);
      if (opensBrowser) openBrowser(url, env);
    });
    say('Should the window not come back by itself: paste its address here, or press Enter to do without.');
    const reader = createInterface({ input: stdin });
    reader.on('line', (line) => visitor.handIn(line.trim() === '' ? null : line.trim()));
    return {
      server: { ...server, client: { ...client, redirect_uri: visitor.redirectUri } },
      visit: (wanted) => visitor.visit(wanted, createTimeoutSignal()),
      async close() {
        reader.close();
        await visitor.close();
      },
    };
  }
  const reader = createInterface({ input: stdin });
  const paste = pastedVisitor(iterateLines(reader), ask);
  const gaveUp = (limit: AbortSignal) =>
    new Promise<null>((resolve) => limit.addEventListener('abort', () => resolve(null), { once: true }));
  return {
    server,
    visit: (wanted) => Promise.race([paste(wanted), gaveUp(createTimeoutSignal())]),
    close: async () => reader.close(),
  };
}
