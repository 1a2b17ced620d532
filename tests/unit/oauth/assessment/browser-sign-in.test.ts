import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { BrowserVisits } from '@/lib/oauth/assessment/browser-visits';
import { remoteTarget } from '@/lib/oauth/assessment/remote-target';
import { type AssessmentStep, assess } from '@/lib/oauth/assessment/run';
import { loopbackNetwork } from '@/tests/fixtures/loopback';
import { CLIENTS, oidcServer, person, REDIRECT_URI, SCOPE } from '@/tests/fixtures/oidc-server';

const options = { clock: () => performance.now(), sleep, random: (length: number) => randomBytes(length) };

const describeServer = (server: { issuer: string; resource: string }) =>
  ServerTargetInput.parse({
    issuer: server.issuer,
    client: { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI },
    other_client: {
      client_id: CLIENTS.other,
      redirect_uri: REDIRECT_URI,
      authentication: 'post',
      secret: CLIENTS.secret,
    },
    native_client: { client_id: CLIENTS.native, redirect_uri: 'http://127.0.0.1/callback' },
    several_redirect_uris: false,
    scope: SCOPE,
    resource: { url: server.resource, scope: 'read' },
    login: 'browser',
  });

describe('a person signs in with a browser', () => {
  test('a whole assessment of a sound server', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const { visit } = person(server.issuer);
    const visits = new BrowserVisits();
    const target = remoteTarget(describeServer(server), loopbackNetwork());
    const asked: string[] = [];
    const steps: AssessmentStep[] = [];
    const startedAt = performance.now();
    const at = '';
    const per: Record<string, number> = {};
    for await (const step of assess(target, { ...options, visits })) {
      steps.push(step);
      if (step.type === 'found') {
        per[step.finding.control] = asked.length - Object.values(per).reduce((a, b) => a + b, 0);
      }
      if (step.type !== 'authorization_needed') continue;
      asked.push(step.purpose);
      const back = await visit(step.url);
      expect(visits.answer(back), `${step.purpose}: ${step.url} ${back}`).toBe(true);
    }
    const last = steps.at(-1);
    console.log(
      asked.length,
      performance.now() - startedAt,
      Object.entries(per)
        .filter(([, n]) => n > 0)
        .map(([id, n]) => `${id} ${n}`)
        .join(', '),
    );
    if (last?.type !== 'finished') throw new Error('It did not finish.');
    console.log(
      last.findings
        .filter(({ verdict }) => verdict.kind !== 'passed')
        .map(({ control, verdict }) => `${control}: ${verdict.kind} ${verdict.reason}`)
        .join('\n'),
    );
    console.log(
      last.findings.flatMap((f) => f.exchanges).length,
      new Set(last.findings.flatMap((f) => f.exchanges)).size,
    );
  });
});
