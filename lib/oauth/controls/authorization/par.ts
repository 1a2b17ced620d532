import { responseJson } from '@/lib/oauth/assessment/exchange';
import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'par',
  title: 'A pushed authorization request works once and is not to be added to',
  severity: 'info',
  area: 'authorization',
  source: ['RFC 9126 2.2', 'RFC 9126 4'],
  oauch: 'IsRequestUriRevokedTest, AcceptsNewRedirectUriTest',
  switchable: true,
  protectsFrom: 'Whoever sees a request_uri uses it again, or changes what was asked for.',
  async probe(probe) {
    const endpoint = await probe.endpoint('pushed_authorization_request_endpoint');
    const { client } = probe.target;
    const verifier = probe.randomText();
    const body = probe.authorizationParameters({ state: 'pushed' });
    for (const [name, value] of Object.entries(probe.credentials())) body.set(name, value);
    const pushed = responseJson(await probe.send('Push a request', endpoint, { method: 'POST', body }));
    const { request_uri: uri } = pushed;
    if (typeof uri !== 'string') throw new CannotProbe('inconclusive', 'The server did not take the pushed request.');
    const parameters = new URLSearchParams({ client_id: client.id, request_uri: uri, state: 'added' });
    return {
      first: await probe.authorizeWith('Use the pushed request, with another state beside it', parameters, verifier),
      second: await probe.authorizeWith('Use it again', parameters, verifier),
    };
  },
  rule({ first, second }) {
    if (first.kind !== 'granted') return inconclusive('The pushed request was not answered.');
    if (first.parameters.state !== 'pushed') return failed('A parameter beside the request_uri was believed.');
    return second.kind === 'granted'
      ? failed('The request_uri worked twice.')
      : passed('It worked once, and as it was pushed.');
  },
});
