import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'www-authenticate',
  title: 'A refusal says how to do better',
  severity: 'low',
  area: 'resource',
  source: ['RFC 6750 3'],
  switchable: false,
  protectsFrom: 'Clients cannot tell a bad token from a broken server.',
  async probe(probe) {
    const { status, exchange } = await probe.presentToken('Use a token that is none', 'not-a-token');
    return { status, challenge: responseHeader(exchange, 'www-authenticate') ?? '' };
  },
  rule({ status, challenge }) {
    if (status !== 401) return failed(`The status was ${status}, not 401.`);
    return /^(bearer|dpop)\b.*\berror=/i.test(challenge)
      ? passed('WWW-Authenticate names the error.')
      : failed('WWW-Authenticate does not name the error.');
  },
});
