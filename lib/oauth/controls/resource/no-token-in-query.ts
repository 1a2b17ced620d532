import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'no-token-in-query',
  title: 'A token in the URL is refused',
  severity: 'medium',
  area: 'resource',
  source: ['RFC 9700 4.3.2', 'RFC 6750 2.3'],
  oauch: 'TokenAsQueryParameterDisabledTest',
  switchable: true,
  protectsFrom: 'Tokens end up in logs, histories and Referer headers.',
  async probe(probe) {
    const { accessToken } = await probe.workingToken();
    const outcome = await probe.presentToken('Send the token in the URL', accessToken, { inQuery: true });
    return [{ label: 'a token in the URL', outcome }];
  },
  rule: noTokenAccepted,
});
