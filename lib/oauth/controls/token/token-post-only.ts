import { responseJson } from '@/lib/oauth/assessment/exchange';
import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'token-post-only',
  title: 'The token endpoint refuses GET',
  severity: 'medium',
  area: 'token',
  source: ['RFC 6749 3.2'],
  oauch: 'IsGetSupportedTest',
  switchable: false,
  protectsFrom: 'Codes and tokens end up in logs and caches.',
  async probe(probe) {
    const given = await probe.code();
    const url = new URL(await probe.endpoint('token_endpoint'));
    const fields = { grant_type: 'authorization_code', code: given.code, code_verifier: given.verifier };
    const all = { ...probe.credentials(), ...fields, redirect_uri: probe.target.client.redirectUri };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return responseJson(await probe.send('Redeem a code by GET', url.href));
  },
  rule(body) {
    return 'access_token' in body ? failed('A token was issued to a GET.') : passed('The GET was refused.');
  },
});
