import { CannotProbe, failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'code-reuse-revokes',
  title: 'The reuse of a code revokes what was issued',
  severity: 'medium',
  area: 'code',
  source: ['RFC 6749 4.1.2', 'RFC 6749 10.5'],
  oauch: 'TokenValidAfterMultiExchangeTest',
  switchable: true,
  protectsFrom: 'A thief who was first keeps what the stolen code gave.',
  async probe(probe) {
    const given = await probe.code();
    const first = await probe.redeem('Redeem the code', given);
    if (first.kind !== 'issued') throw new CannotProbe('inconclusive', 'The code could not be redeemed at all.');
    const before = await probe.presentToken('Use the token', first.tokens.accessToken);
    if (!before.accepted) throw new CannotProbe('inconclusive', 'The resource refuses the token from the start.');
    await probe.redeem('Redeem the code again', given);
    return probe.presentToken('Use the first token again', first.tokens.accessToken);
  },
  rule({ accepted }) {
    return accepted ? failed('The first token still works.') : passed('The first token is dead.');
  },
});
