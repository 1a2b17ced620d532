import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessServer, everythingOf, idsOf } from '@/tests/fixtures/assess-server';
import { oidcServer } from '@/tests/fixtures/oidc-server';
import { WALLS, wall } from '@/tests/fixtures/wall';

/** Judged by what the metadata says, and by what was given. */
const READ_FROM_METADATA = ['client-secret-strength', 'pkce-advertised', 'tls'];

const KINDS = Object.keys(WALLS);
/** Met by every control; each other kind is met by every third, so that each control meets six of them. */
const MET_BY_ALL = new Set([
  ...['overload', 'a firewall', 'a captive page', 'JSON that means nothing'],
  ...['nothing anywhere', 'an empty answer', 'a portal to sign in at', 'a closed connection'],
]);

describe('what answers everything alike proves nothing', () => {
  test.each(KINDS)('%s', async (kind) => {
    const turn = KINDS.indexOf(kind) % 3;
    const tried = CATALOGUE.map(({ id }) => id).filter((_, index) => MET_BY_ALL.has(kind) || index % 3 === turn);
    await using server = await wall(WALLS[kind] ?? 500);
    const seen = await assessServer(
      everythingOf({ ...server, resource: `${server.issuer}/data` }, { cookie: 'session=1' }),
      { controls: tried },
    );
    expect(idsOf(seen, 'passed')).toEqual(READ_FROM_METADATA.filter((id) => tried.includes(id)));
    expect(idsOf(seen, 'failed')).toEqual([]);
    const wrong = seen.preflight.filter(({ ok }) => ok === false).map(({ what }) => what);
    expect(wrong).toEqual(expect.arrayContaining(['client', 'session', 'credentials', 'resource']));
  });

  test('nor what begins to while it is assessed', async () => {
    // Without those that send the same dozens of times.
    const brief = CATALOGUE.map(({ id }) => id).filter((id) => !/entropy$|race$/.test(id));
    const run = async (kind: string, after: number) => {
      let requests = 0;
      const answer = WALLS[kind];
      await using server = await oidcServer({
        consent: 'first-party',
        weakened: true,
        before(request, response) {
          requests += 1;
          const isDown = requests > after && !request.url?.startsWith('/.well-known/o');
          if (isDown) answer?.(request, response);
          return isDown;
        },
      });
      return await assessServer(everythingOf(server, { cookie: await server.signIn() }), { controls: brief });
    };
    const whole = await run('overload', Number.POSITIVE_INFINITY);
    expect(idsOf(whole, 'passed').length).toBeGreaterThan(50);
    expect(idsOf(whole, 'failed')).toContain('strict-redirect-uri');
    const truth = new Map(whole.findings.map(({ control, verdict }) => [control, verdict.kind]));
    for (const [index, after] of [30, 90, 150, 210].entries()) {
      const kind = KINDS[(index * 5) % KINDS.length] ?? '';
      const { findings } = await run(kind, after);
      const wrong = findings.filter(
        ({ control, verdict }) => /passed|failed/.test(verdict.kind) && verdict.kind !== truth.get(control),
      );
      expect(wrong.map(({ control, verdict }) => `${kind} after ${after}: ${control} ${verdict.reason}`)).toEqual([]);
    }
  });
});
