import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { CannotProbe, failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'token-no-store',
  title: 'Token responses are not stored',
  severity: 'low',
  area: 'token',
  source: ['RFC 6749 5.1'],
  oauch: 'HasCacheControlHeaderTest',
  switchable: true,
  protectsFrom: 'Tokens stay in caches.',
  async probe(probe) {
    const outcome = await probe.redeem('Redeem a code', await probe.code());
    if (outcome.kind === 'refused') throw new CannotProbe('inconclusive', 'No token was issued.');
    return responseHeader(outcome.exchange, 'cache-control');
  },
  rule(header) {
    return /\bno-store\b/i.test(header ?? '')
      ? passed('Cache-Control: no-store was seen.')
      : failed('No Cache-Control: no-store was seen.');
  },
});
