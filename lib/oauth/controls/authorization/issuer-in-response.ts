import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'issuer-in-response',
  title: 'The authorization response names its issuer',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 9207 2'],
  switchable: true,
  protectsFrom: 'A client of several servers takes the code of one to another (mix-up).',
  async probe(probe) {
    const granted = await probe.authorize('A request in order');
    const refused = await probe.authorize('A request that is refused', { response_type: 'nothing_known' });
    if (granted.kind !== 'granted') throw new CannotProbe('inconclusive', 'No authorization response was seen.');
    const error = refused.kind === 'refused' ? refused.parameters : null;
    return { issuer: (await probe.metadata()).issuer, success: granted.parameters, error };
  },
  rule({ issuer, success, error }) {
    if (success.iss !== issuer) return failed('A successful response does not carry the issuer of the metadata.');
    if (error === null || Object.keys(error).length === 0) return inconclusive('No error response was seen.');
    return error.iss === issuer
      ? passed('Success and error carry the issuer.')
      : failed('An error does not carry the issuer.');
  },
});
