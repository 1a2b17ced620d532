import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { forgeLike, takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'validate-audience',
  title: 'The audience of a token is checked',
  severity: 'critical',
  area: 'resource',
  source: ['RFC 9068 4', 'RFC 9700 2.3'],
  switchable: true,
  protectsFrom: 'A token that was given to another service is used here.',
  async probe(probe) {
    await probe.workingToken();
    const token = await probe
      .flow({ resource: 'https://another-resource.example/' })
      .then(({ accessToken }) => accessToken)
      .catch(() => forgeLike(probe, { aud: 'https://another-resource.example/' }));
    const { claims } = takeApart(token);
    if (![claims.aud].flat().includes('https://another-resource.example/')) {
      throw new CannotProbe('inconclusive', 'The server issues no token for another resource.');
    }
    return [
      {
        label: 'a token for another audience',
        outcome: await probe.presentToken('Use a token for another audience', token),
      },
    ];
  },
  rule: noTokenAccepted,
});
