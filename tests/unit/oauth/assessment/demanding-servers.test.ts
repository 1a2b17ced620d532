import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { BrowserVisits } from '@/lib/oauth/assessment/browser-visits';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { assess } from '@/lib/oauth/assessment/run';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { enableControlsExcept } from '@/lib/oauth/lab/controls';
import { ORIGIN, START } from '../lab-fixture';

const clock = () => performance.now();
const random = (length: number) => randomBytes(length);
const refusal = (status: number, error: string, more: object = {}, headers: Record<string, string> = {}) =>
  Response.json({ error, ...more }, { status, headers });

type Refuse = (path: string, request: Request, fields: URLSearchParams) => Response | null;

/** The lab as a server of others, in which whoever asks has agreed, behind demands of its own. */
function demanding(refuse: Refuse, { off = '', metadata = {} } = {}): AssessmentTarget {
  const lab = createLabTarget({ origin: ORIGIN, controls: enableControlsExcept(), startAt: START, clock, random });
  return {
    ...lab,
    capabilities: {},
    async transport(request) {
      const { pathname, search } = new URL(request.url);
      const fields = new URLSearchParams(request.method === 'POST' ? await request.clone().text() : search);
      const refused = refuse(pathname, request, fields);
      if (refused !== null) return refused;
      request.headers.set('sluice-lab-controls', `user-consent=?0${off}`);
      const answer = await lab.transport(request);
      const isMetadata = pathname.startsWith('/.well-known/o');
      return isMetadata && answer.ok ? Response.json({ ...(await answer.json()), ...metadata }) : answer;
    },
  };
}

/** The verdicts on some controls, or those of a kind; `visit` is the browser of a person who signs in. */
async function judge(
  target: AssessmentTarget,
  ids: readonly string[],
  visit?: (url: string) => Promise<string | null>,
) {
  const controls = CATALOGUE.filter(({ id }) => ids.includes(id));
  const visits = new BrowserVisits();
  const verdicts: Record<string, string> = {};
  for await (const step of assess(target, { clock, random, sleep, controls, visits })) {
    if (step.type === 'found') verdicts[step.finding.control] = step.finding.verdict.kind;
    if (step.type === 'authorization_needed') visits.answer((await visit?.(step.url)) ?? null);
  }
  return verdicts;
}

const all = (ids: readonly string[], kind: string) => Object.fromEntries(ids.map((id) => [id, kind]));

/** Requests are pushed; tokens are bound to a key by proofs with the server's nonce, at the resource as well. */
const highSecurity: Refuse = (path, request, fields) => {
  const proof = request.headers.get('dpop');
  if (path === '/auth/authorize' && !fields.has('request_uri')) return refusal(400, 'invalid_request');
  if (path === '/auth/token') {
    if (proof === null) return refusal(400, 'invalid_request', { error_description: 'A DPoP proof is required.' });
    return decodeJwt(proof).nonce === 'a' ? null : refusal(400, 'use_dpop_nonce', {}, { 'dpop-nonce': 'a' });
  }
  if (path !== '/api/data' || proof === null || decodeJwt(proof).nonce === 'b') return null;
  return refusal(401, 'x', {}, { 'dpop-nonce': 'b', 'www-authenticate': 'DPoP error="use_dpop_nonce"' });
};

const JUDGED = [
  'strict-redirect-uri',
  'require-pkce',
  'scope-limits',
  'code-single-use',
  'pkce-verified',
  'client-authentication',
  'token-post-only',
  'token-duplicate-parameters',
  'refresh-rotation',
  'signature-verified',
  'scope-enforced',
  'no-open-redirect-on-error',
  'sender-constrained',
  'dpop-proof',
];

test('a server that demands pushed requests and bound tokens is judged like any other', async () => {
  const metadata = { require_pushed_authorization_requests: true };
  const target = demanding(highSecurity, { metadata });
  const ids = [...JUDGED, 'par-required'];
  expect(await judge(target, ids)).toEqual(all(ids, 'passed'));
});

test('even where its metadata does not say so', async () => {
  expect(await judge(demanding(highSecurity), JUDGED)).toEqual(all(JUDGED, 'passed'));
});

test('and what is wrong with it is found', async () => {
  const off = ['strict-redirect-uri', 'pkce-verified', 'signature-verified', 'sender-constrained'];
  const target = demanding(highSecurity, { off: off.map((id) => `, ${id}=?0`).join('') });
  expect(await judge(target, off)).toEqual(all(off, 'failed'));
});

test('client assertions are for whom the server takes them', async () => {
  const endpoint = `${ORIGIN}/auth/token`;
  const target = demanding((path, _, fields) => {
    const assertion = fields.get('client_assertion');
    if (path !== '/auth/token' || assertion === null) return null;
    return decodeJwt(assertion).aud === endpoint ? null : refusal(401, 'invalid_client');
  });
  expect(await judge(target, ['client-assertion'])).toEqual({ 'client-assertion': 'passed' });
});

test('a page that a script makes is one to sign in at', async () => {
  const shell = () => new Response('<div id="root"></div><script src="/app.js"></script>');
  const isSignedIn = new Set<string>();
  const target = demanding((path, request) =>
    path === '/auth/authorize' && !isSignedIn.has(request.url) ? shell() : null,
  );
  const visit = async (url: string) => {
    isSignedIn.add(url);
    return (await target.transport(new Request(url))).headers.get('location');
  };
  const ids = ['code-single-use', 'pkce-verified', 'issuer-in-response'];
  expect(await judge({ ...target, login: 'browser' }, ids, visit)).toEqual(all(ids, 'passed'));
});

test('where there are no client secrets, nothing about them is left open', async () => {
  const metadata = { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] };
  const target = { ...demanding(() => null, { metadata }), otherClient: null };
  expect(await judge(target, ['credentials-in-uri'])).toEqual({ 'credentials-in-uri': 'not_applicable' });
});
