import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'unknown-parameter-ignored',
  title: 'Unknown parameters do no harm',
  severity: 'low',
  area: 'authorization',
  source: ['RFC 6749 3.1'],
  oauch: 'UnrecognizedParameterAllowedTest',
  switchable: false,
  protectsFrom: 'Clients with newer extensions cannot use the server.',
  probe(probe) {
    return probe.authorize('A parameter that nobody knows', { sluice_unknown: 'anything' });
  },
  rule(outcome) {
    if (outcome.kind === 'page') return inconclusive('A page was shown.');
    return outcome.kind === 'granted' ? passed('The flow went on.') : failed('The request was refused.');
  },
});
