import type { Probe } from '@/lib/oauth/assessment/probe';
import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

const redemption = (probe: Probe, given: { code: string; verifier: string }) => ({
  grant_type: 'authorization_code',
  code: given.code,
  code_verifier: given.verifier,
  redirect_uri: probe.target.client.redirectUri,
});

export default defineControl({
  id: 'client-id-mixup',
  title: 'The client_id of query, body and Basic must agree',
  severity: 'high',
  area: 'authorization',
  source: ['RFC 6749 3.2.1'],
  oauch: 'ClientIdsCorrespondTest',
  switchable: false,
  protectsFrom: 'One part of the server authenticates one client, another part serves a second.',
  async probe(probe) {
    const other = probe.otherClient();
    const query = `?client_id=${encodeURIComponent(other.id)}`;
    const attempts = [];
    const inQuery = await probe.code();
    attempts.push({
      label: 'another client in the query',
      outcome: await probe.tokenRequest('Another client in the query', redemption(probe, inQuery), { query }),
    });
    if (other.secret !== null) {
      const inBasic = await probe.code();
      const authorization = `Basic ${Buffer.from(`${other.id}:${other.secret}`).toString('base64')}`;
      attempts.push({
        label: 'another client in Basic',
        outcome: await probe.tokenRequest('Another client in Basic', redemption(probe, inBasic), {
          headers: { authorization },
        }),
      });
    }
    return attempts;
  },
  rule: everyTokenRefused,
});
