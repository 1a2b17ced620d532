import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'scope-enforced',
  title: 'The scope of a token is enforced',
  severity: 'high',
  area: 'resource',
  source: ['RFC 6750 3.1'],
  switchable: true,
  protectsFrom: 'A token for one thing does another.',
  async probe(probe) {
    const needed = probe.target.resource?.scope ?? null;
    if (needed === null) throw new CannotProbe('inconclusive', 'The scope that the resource needs is not known.');
    await probe.workingToken();
    const scope = probe.target.scope
      .split(' ')
      .filter((one) => one !== needed)
      .join(' ');
    if (scope === '') throw new CannotProbe('inconclusive', 'No other scope is known.');
    const { accessToken } = await probe.flow({ scope });
    return [
      {
        label: 'a token without the scope',
        outcome: await probe.presentToken('Use a token without the scope', accessToken),
      },
    ];
  },
  rule: noTokenAccepted,
});
