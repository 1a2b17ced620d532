import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import type { Need } from '@/lib/oauth/controls/control';
import { assessAll } from '@/tests/fixtures/assess-all';
import { loopbackNetwork } from '@/tests/fixtures/loopback';
import { CLIENTS, oidcServer, POST_LOGOUT_REDIRECT_URI, REDIRECT_URI, SCOPE } from '@/tests/fixtures/oidc-server';

/** The controls that a run against a server passes or fails, and those that it leaves undecided. */
async function decide(description: unknown) {
  const target = createRemoteTarget(ServerTargetInput.parse(description), loopbackNetwork());
  let now = 0;
  const world = {
    // Only waiting moves it: on a busy machine, a code would expire before the run ends.
    clock: () => now,
    sleep(milliseconds: number) {
      now += milliseconds;
      return sleep(milliseconds);
    },
    random: (length: number) => randomBytes(length),
  };
  const findings = await assessAll(target, world);
  const ofKinds = (...kinds: string[]) =>
    findings.filter(({ verdict }) => kinds.includes(verdict.kind)).map(({ control }) => control);
  return { decided: ofKinds('passed', 'failed'), undecided: ofKinds('inconclusive') };
}

/** Controls that can be judged by what was given. */
const judgeable = (given: readonly Need[]) =>
  CATALOGUE.filter(({ needs }) => needs.every((need) => given.includes(need))).map(({ id }) => id);

const client = { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI };
const leaving = { ...client, post_logout_redirect_uri: POST_LOGOUT_REDIRECT_URI };
const steps = (server: { issuer: string; resource: string }): { given: Need[]; description: object }[] => {
  const { issuer } = server;
  const resource = { url: server.resource, scope: 'read' };
  const other_client = {
    client_id: CLIENTS.other,
    redirect_uri: REDIRECT_URI,
    authentication: 'post',
    secret: CLIENTS.secret,
  };
  return [
    { given: [], description: { issuer } },
    { given: ['resource', 'resource scope'], description: { issuer, resource } },
    { given: ['client'], description: { issuer, client, scope: SCOPE } },
    { given: ['client', 'login'], description: { issuer, client, scope: SCOPE } },
    {
      given: ['client', 'login', 'post-logout redirect URI'],
      description: { issuer, client: leaving, scope: SCOPE },
    },
    {
      given: ['client', 'login', 'second client', 'confidential client'],
      description: { issuer, client, other_client, scope: SCOPE },
    },
    {
      given: ['client', 'login', 'resource', 'resource scope'],
      description: { issuer, client, scope: SCOPE, resource },
    },
  ];
};

/** Its one resource is all that it issues tokens for, whoever asks. */
const UNDECIDED_HERE = ['validate-audience'];
/** Fails by the issuer alone, and passes beside a request in order of a client. */
const FAILS_ALONE = ['no-open-redirect-on-error'];

describe('what a control needs', () => {
  test('is all that decides it, and without it nothing is', async () => {
    await using server = await oidcServer({ consent: 'first-party' });
    for (const { given, description } of steps(server)) {
      const cookie = given.includes('login') ? await server.signIn() : undefined;
      const { decided, undecided } = await decide({ ...description, cookie });
      const allowed = judgeable(given);
      const tooEarly = decided.filter((id) => !allowed.includes(id));
      const exempt = given.includes('client') ? UNDECIDED_HERE : [...UNDECIDED_HERE, ...FAILS_ALONE];
      const missing = undecided.filter((id) => allowed.includes(id) && !exempt.includes(id));
      expect({ given, tooEarly, missing }).toEqual({ given, tooEarly: [], missing: [] });
    }
  });

  test('is in words what goes wrong without it', () => {
    for (const { id, title, wrong } of CATALOGUE) {
      expect(wrong, id).toMatch(/^[A-Z].*[^.]$|^[a-z]+_[a-z]+ /);
      expect(wrong, id).not.toBe(title);
    }
  });
});
