import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'loopback-port',
  title: 'Native applications may use any port of the loopback address',
  severity: 'low',
  area: 'authorization',
  source: ['RFC 8252 7.3'],
  switchable: false,
  protectsFrom: 'Native applications fall back to less safe ways of receiving the code.',
  async probe(probe) {
    const { nativeClient } = probe.target;
    if (nativeClient === undefined) throw new CannotProbe('not_applicable', 'No native client is known.');
    const url = new URL(nativeClient.redirectUri);
    url.port = '49152';
    return probe.authorize(
      'Another port of the loopback address',
      { redirect_uri: url.href },
      { client: nativeClient },
    );
  },
  rule(outcome) {
    if (outcome.kind === 'page') return inconclusive('A page was shown.');
    return outcome.kind === 'granted' ? passed('Another port was accepted.') : failed('Another port was refused.');
  },
});
