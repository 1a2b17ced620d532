import { CannotProbe, failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'refresh-reuse-revokes',
  title: 'The reuse of a refresh token ends its family',
  severity: 'high',
  area: 'token',
  source: ['RFC 9700 4.14.2'],
  oauch: 'InvalidatedRefreshTokenTest',
  switchable: true,
  protectsFrom: 'A thief goes on with the newest token after the theft was noticed.',
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
      : passed('The newest token is dead as well.');
  },
});
