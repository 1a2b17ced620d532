import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'referrer-policy',
  title: 'Codes do not leak by the Referer header',
  severity: 'low',
  area: 'authorization',
  source: ['RFC 9700 4.2.4'],
  oauch: 'ReferrerPolicyEnforcedTest',
  switchable: true,
  protectsFrom: 'Third parties on the page learn the parameters of the request.',
  async probe(probe) {
    const page = await probe.browse('Open the authorization page', probe.authorizationParameters());
    return responseHeader(page, 'referrer-policy');
  },
  rule(policy) {
    if (policy === null) return failed('No Referrer-Policy was seen.');
    const strict = /^(no-referrer|same-origin|strict-origin|origin)$/i;
    const last = policy.split(',').at(-1)?.trim() ?? '';
    return strict.test(last)
      ? passed(`Referrer-Policy is ${last}.`)
      : failed('The Referrer-Policy lets the address through.');
  },
});
