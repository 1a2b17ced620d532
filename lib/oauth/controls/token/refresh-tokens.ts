import { CannotProbe, passed, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { refusesRequests, worksOnce } from '@/lib/oauth/controls/patterns';

/** Rotation, reuse and binding of refresh tokens (RFC 9700 section 4.14, RFC 6749 section 6). */
export const REFRESH_TOKENS = controlsIn('token', [
  worksOnce({
    id: 'refresh-rotation',
    title: 'A refresh token of a public client works once',
    severity: 'high',
    source: ['RFC 9700 4.14.2'],
    oauch: 'UsesTokenRotationTest, RefreshTokenRevokedAfterUseTest',
    protectsFrom: 'A stolen refresh token works for as long as the legitimate one.',
    async uses(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const first = await probe.refresh('Refresh', refreshToken);
      return [first, await probe.refresh('Refresh again with the same token', refreshToken)];
    },
    never: 'The refresh token did not work at all.',
    twice: 'The refresh token worked twice.',
    once: 'The second use was refused.',
  }),
  defineControl({
    id: 'refresh-reuse-revokes',
    title: 'Reuse of a refresh token ends its family',
    severity: 'high',
    source: ['RFC 9700 4.14.2'],
    oauch: 'InvalidatedRefreshTokenTest',
    protectsFrom: 'A thief keeps using the newest token after the theft was noticed.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const first = await probe.refresh('Refresh', refreshToken);
      const newest = first.kind === 'issued' ? first.tokens.refreshToken : null;
      if (newest === null || newest === refreshToken) {
        throw new CannotProbe('not_applicable', 'Refresh tokens do not rotate here: see refresh-rotation.');
      }
      const reuse = await probe.refresh('Use the old token again', refreshToken);
      if (reuse.kind === 'issued') {
        throw new CannotProbe('not_applicable', 'Old refresh tokens stay in use here: see refresh-rotation.');
      }
      return probe.refresh('Use the newest token', newest);
    },
    rule: ({ kind }) =>
      passedIf(kind !== 'issued', 'The newest token no longer works either.', 'The newest token still works.'),
  }),
  defineControl({
    id: 'refresh-race',
    title: 'Parallel refreshes do not fork a family',
    severity: 'medium',
    source: ['RFC 9700 4.14.2'],
    oauch: 'MultiFastRefreshTest',
    protectsFrom: 'Thief and victim each get a token family of their own, unnoticed.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const race = Array.from({ length: 20 }, () => probe.refresh('Refresh in parallel', refreshToken));
      const given = (await Promise.all(race)).flatMap((use) =>
        use.kind === 'issued' ? (use.tokens.refreshToken ?? []) : [],
      );
      let alive = 0;
      for (const token of new Set(given)) {
        if ((await probe.refresh('Is this family alive?', token)).kind === 'issued') alive++;
      }
      return alive;
    },
    rule: (alive) =>
      passedIf(alive <= 1, `Of 20 refreshes at once, ${alive} families are alive.`, `${alive} families are alive.`),
  }),
  refusesRequests({
    id: 'refresh-client-binding',
    title: 'A refresh token is bound to its client',
    severity: 'critical',
    source: ['RFC 6749 6'],
    oauch: 'IsRefreshBoundToClientTest',
    protectsFrom: 'A client uses refresh tokens that were issued to another.',
    async requests(probe) {
      const client = probe.otherClient();
      const { refreshToken } = await probe.flowWithRefresh();
      const outcome = await probe.refresh('Refresh as another client', refreshToken, {}, { client });
      return { 'a refresh as another client': outcome };
    },
  }),
  defineControl({
    id: 'refresh-scope',
    title: 'Refreshing does not widen the scope',
    severity: 'medium',
    source: ['RFC 6749 6'],
    protectsFrom: 'A client gains rights that the user did not grant.',
    async probe(probe) {
      const { resource, scope: all } = probe.target;
      const wider = required(resource?.scope, 'No scope is known that could be added.');
      const narrow = probe.scopeWithout(wider);
      if (narrow === all) throw new CannotProbe('inconclusive', 'No scope is known that could be added.');
      const { refreshToken } = await probe.flowWithRefresh({ scope: narrow });
      const scope = `${narrow} ${wider}`;
      return { wider, outcome: await probe.refresh('Refresh with a wider scope', refreshToken, { scope }) };
    },
    rule({ wider, outcome }) {
      if (outcome.kind === 'refused') return passed('The wider scope was refused.');
      const narrowed = outcome.tokens.scope?.split(' ').includes(wider) === false;
      return passedIf(narrowed, 'The scope was narrowed, and the response says so.', 'The wider scope was granted.');
    },
  }),
]);
