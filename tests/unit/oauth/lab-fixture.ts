import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AssessmentOptions } from '@/lib/oauth/assessment/run';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import { createMemoryState } from '@/lib/oauth/lab/memory-state';
import type { LabServices, LabState } from '@/lib/oauth/lab/services';

export const ORIGIN = 'http://localhost:3000';
export const CALLBACK = 'https://app.example.com/callback';
export const START = Date.UTC(2026, 10, 20, 12);
export const VERIFIER = 'dBjftJeZ4CVP-mBqfQ4jYMYm8sJ3pP1YHkcQa1L6sTg';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const BASIC = `Basic ${Buffer.from('demo-confidential:demo-secret').toString('base64')}`;

/** What an assessment needs where only its verdicts are looked at: its evidence never leaves the test, secrets and all. */
export const VERDICTS_ALONE = {
  clock: () => performance.now(),
  random: (length: number) => randomBytes(length),
  sleep,
  redaction: {
    learnFromRequest: () => undefined,
    learnFromResponse: () => undefined,
    redactExchange: (exchange) => exchange,
    redactAgain: (exchange) => exchange,
    redactText: (text) => text,
  },
} satisfies AssessmentOptions;

/** A lab in memory with a clock that tests move. */
export function makeLab(state: LabState = createMemoryState()) {
  let now = START;
  const services: LabServices = { origin: ORIGIN, state, now: () => now, random: (size) => randomBytes(size) };
  const send = (path: string, init: RequestInit & { off?: string } = {}) => {
    const headers = new Headers(init.headers);
    if (init.off !== undefined) headers.set('Sluice-Lab-Controls', init.off);
    return handleLabRequest(new Request(ORIGIN + path, { redirect: 'manual', ...init, headers }), services);
  };
  const form = (path: string, fields: Record<string, string>, init: RequestInit & { off?: string } = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), ...init });

  const authorize = (fields: Record<string, string | undefined> = {}, off?: string) => {
    const all = { ...AUTHORIZATION, ...fields };
    const sent = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return form('/auth/authorize', sent, { off });
  };
  const redeem = (
    code: string,
    fields: Record<string, string> = {},
    off?: string,
    headers: Record<string, string> = {},
  ) =>
    form(
      '/auth/token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        client_id: 'demo-client',
        code_verifier: VERIFIER,
        ...fields,
      },
      { off, headers },
    );
  const codeFor = async (fields: Record<string, string | undefined> = {}, off?: string): Promise<string> =>
    (await (await authorize(fields, off)).json()).code;
  const tokensFor = async (fields: Record<string, string | undefined> = {}) =>
    (await redeem(await codeFor(fields), fields.client_id === undefined ? {} : { client_id: fields.client_id })).json();
  const data = (token: string, off?: string, scheme = 'Bearer') =>
    send('/api/data', { headers: { authorization: `${scheme} ${token}` }, off });
  return { services, send, form, authorize, redeem, codeFor, tokensFor, data, advance: (ms: number) => (now += ms) };
}

export const AUTHORIZATION = {
  response_type: 'code',
  client_id: 'demo-client',
  redirect_uri: CALLBACK,
  scope: 'openid profile offline_access',
  state: 'a-state',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};
