import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { forgeLike } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'token-type-header',
  title: 'Only access tokens are accepted as access tokens',
  severity: 'high',
  area: 'resource',
  source: ['RFC 9068 2.1', 'RFC 9068 4', 'RFC 8725 3.11'],
  switchable: true,
  protectsFrom: 'An ID token, which the client shows to others, opens the resource.',
  async probe(probe) {
    const { idToken } = await probe.workingToken();
    const attempts = [];
    if (idToken !== null)
      attempts.push({ label: 'an ID token', outcome: await probe.presentToken('Use an ID token', idToken) });
    if (probe.target.capabilities.forge !== undefined) {
      const token = await forgeLike(probe, {}, { typ: 'JWT' });
      attempts.push({
        label: 'a token of the type JWT',
        outcome: await probe.presentToken('Use a token of the type JWT', token),
      });
    }
    if (attempts.length === 0) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
    return attempts;
  },
  rule: noTokenAccepted,
});
