import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'scope-limits',
  title: 'No scope beyond the registration of the client',
  severity: 'high',
  area: 'authorization',
  source: ['RFC 6749 3.3'],
  switchable: true,
  protectsFrom: 'A client gains rights that nobody meant it to have.',
  async probe(probe) {
    const asked = 'sluice_unregistered_scope';
    const outcome = await probe.authorize('A scope that nobody registered', {
      scope: `${probe.target.scope} ${asked}`,
    });
    if (outcome.kind !== 'granted') return { asked, outcome, scope: null };
    const { code } = outcome.parameters;
    if (code === undefined) throw new CannotProbe('inconclusive', 'The server gave no code.');
    const tokens = await probe.redeem('Redeem the code', { code, verifier: outcome.verifier });
    return { asked, outcome, scope: tokens.kind === 'issued' ? tokens.tokens.scope : null };
  },
  rule({ asked, outcome, scope }) {
    if (outcome.kind === 'page') return inconclusive('A page was shown.');
    if (outcome.kind === 'refused') return passed('The request was refused.');
    if (scope === null) return failed('The request was accepted, and the answer does not say with which scope.');
    return scope.split(' ').includes(asked)
      ? failed('The scope was granted.')
      : passed('The scope was narrowed, and the answer says so.');
  },
});
