import { CannotProbe, failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
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
    const narrow = all
      .split(' ')
      .filter((one) => one !== wider)
      .join(' ');
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
    return granted ? failed('The wider scope was granted.') : passed('The scope was narrowed, and the answer says so.');
  },
});
