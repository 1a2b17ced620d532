import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { refusesTokenRequests } from '@/lib/oauth/controls/refused-requests';

/** Rotation, reuse and binding of refresh tokens (RFC 9700 section 4.14, RFC 6749 section 6). */
export const REFRESH_TOKENS: readonly Control[] = [
  defineControl({
    id: 'refresh-rotation',
    title: 'A refresh token of a public client works once',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 4.14.2'],
    oauch: 'UsesTokenRotationTest, RefreshTokenRevokedAfterUseTest',
    switchable: true,
    protectsFrom: 'A stolen refresh token works for as long as the legitimate one.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      return {
        first: await probe.refresh('Refresh', refreshToken),
        second: await probe.refresh('Refresh again with the same token', refreshToken),
      };
    },
    rule({ first, second }) {
      if (first.kind !== 'issued') return inconclusive('The refresh token did not work at all.');
      return second.kind === 'issued'
        ? failed('The refresh token worked twice.')
        : passed('The second use was refused.');
    },
  }),
  defineControl({
    id: 'refresh-reuse-revokes',
    title: 'Reuse of a refresh token ends its family',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 4.14.2'],
    oauch: 'InvalidatedRefreshTokenTest',
    switchable: true,
    protectsFrom: 'A thief keeps using the newest token after the theft was noticed.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const first = await probe.refresh('Refresh', refreshToken);
      const newest = first.kind === 'issued' ? first.tokens.refreshToken : null;
      if (newest === null || newest === refreshToken) {
        throw new CannotProbe('not_applicable', 'Refresh tokens do not rotate here: see refresh-rotation.');
      }
      const reuse = await probe.refresh('Use the old token again', refreshToken);
      if (reuse.kind === 'issued')
        throw new CannotProbe('not_applicable', 'Old refresh tokens stay in use here: see refresh-rotation.');
      return probe.refresh('Use the newest token', newest);
    },
    rule(outcome) {
      return outcome.kind === 'issued'
        ? failed('The newest token still works.')
        : passed('The newest token no longer works either.');
    },
  }),
  defineControl({
    id: 'refresh-race',
    title: 'Parallel refreshes do not fork a family',
    severity: 'medium',
    area: 'token',
    source: ['RFC 9700 4.14.2'],
    oauch: 'MultiFastRefreshTest',
    switchable: false,
    protectsFrom: 'Thief and victim each get a token family of their own, unnoticed.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const race = await Promise.all(
        Array.from({ length: 20 }, () => probe.refresh('Refresh in parallel', refreshToken)),
      );
      const given = race.flatMap((one) =>
        one.kind === 'issued' && one.tokens.refreshToken !== null ? [one.tokens.refreshToken] : [],
      );
      let alive = 0;
      for (const token of new Set(given)) {
        if ((await probe.refresh('Is this family alive?', token)).kind === 'issued') alive++;
      }
      return alive;
    },
    rule(alive) {
      return alive > 1
        ? failed(`${alive} families are alive.`)
        : passed(`Of 20 refreshes at once, ${alive} families are alive.`);
    },
  }),
  refusesTokenRequests({
    id: 'refresh-client-binding',
    title: 'A refresh token is bound to its client',
    severity: 'critical',
    area: 'token',
    source: ['RFC 6749 6'],
    oauch: 'IsRefreshBoundToClientTest',
    switchable: true,
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
    area: 'token',
    source: ['RFC 6749 6'],
    switchable: false,
    protectsFrom: 'A client gains rights that the user did not grant.',
    async probe(probe) {
      const { resource, scope: all } = probe.target;
      const wider = resource?.scope ?? null;
      const narrow = wider === null ? all : probe.scopeWithout(wider);
      if (wider === null || narrow === all)
        throw new CannotProbe('inconclusive', 'No scope is known that could be added.');
      const { refreshToken } = await probe.flowWithRefresh({ scope: narrow });
      return {
        wider,
        outcome: await probe.refresh('Refresh with a wider scope', refreshToken, { scope: `${narrow} ${wider}` }),
      };
    },
    rule({ wider, outcome }) {
      if (outcome.kind === 'refused') return passed('The wider scope was refused.');
      const granted = outcome.tokens.scope?.split(' ').includes(wider) ?? true;
      return granted
        ? failed('The wider scope was granted.')
        : passed('The scope was narrowed, and the response says so.');
    },
  }),
];
