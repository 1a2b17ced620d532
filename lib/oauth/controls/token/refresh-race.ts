import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'refresh-race',
  title: 'Parallel refreshes do not fork a family',
  severity: 'medium',
  area: 'token',
  source: ['RFC 9700 4.14.2'],
  oauch: 'MultiFastRefreshTest',
  switchable: false,
  protectsFrom: 'Thief and victim each get a family of their own, and nobody notices.',
  async probe(probe) {
    const { refreshToken } = await probe.flowWithRefresh();
    const race = await Promise.all(
      Array.from({ length: 20 }, () => probe.refresh('Refresh at the same instant', refreshToken)),
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
});
