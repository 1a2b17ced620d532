import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, failed, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { refusesAccessTokens } from '@/lib/oauth/controls/refused-requests';

async function revoke(probe: Probe, what: string, token: string, client?: TargetClient): Promise<number> {
  const body = new URLSearchParams({ ...probe.credentials(client), token });
  const endpoint = await probe.endpoint('revocation_endpoint');
  return (await probe.send(`Revoke the ${what}`, endpoint, { method: 'POST', body })).response.status;
}

/** @throws CannotProbe inconclusive where the server does not answer 200 (RFC 7009 section 2.2) */
async function revokeOwn(probe: Probe, what: string, token: string): Promise<void> {
  const status = await revoke(probe, what, token);
  if (status !== 200) throw new CannotProbe('inconclusive', `The revocation was answered with ${status}.`);
}

/** Token revocation (RFC 7009). */
export const REVOCATION: readonly Control[] = [
  refusesAccessTokens({
    id: 'revocation-effective',
    title: 'A revoked token is refused',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7009 2'],
    oauch: 'CanAccessTokensBeRevokedTest',
    switchable: true,
    protectsFrom: 'Signing out, or reporting a theft, changes nothing.',
    async tokens(probe) {
      await probe.endpoint('revocation_endpoint');
      await probe.workingToken();
      const { accessToken } = await probe.flow();
      await revokeOwn(probe, 'access token', accessToken);
      return { 'the revoked token': accessToken };
    },
  }),
  refusesAccessTokens({
    id: 'revocation-cascade',
    title: 'Revoking a refresh token ends its access tokens',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7009 2.1'],
    oauch: 'RefreshRevokesAccessTest',
    switchable: true,
    protectsFrom: 'What was obtained with a stolen refresh token keeps working after its revocation.',
    async tokens(probe) {
      await probe.endpoint('revocation_endpoint');
      await probe.workingToken();
      const { accessToken, refreshToken } = await probe.flowWithRefresh();
      await revokeOwn(probe, 'refresh token', refreshToken);
      return { 'an access token whose refresh token is revoked': accessToken };
    },
  }),
  defineControl({
    id: 'revocation-client-bound',
    title: 'A client cannot revoke the tokens of another',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7009 2.1'],
    oauch: 'IsBoundToClientTest',
    switchable: false,
    protectsFrom: 'Anyone with a client can end the sessions of others.',
    async probe(probe) {
      await probe.endpoint('revocation_endpoint');
      const other = probe.otherClient();
      await probe.workingToken();
      const { accessToken } = await probe.flow();
      await revoke(probe, 'token as another client', accessToken, other);
      return probe.presentToken('Use the token', accessToken);
    },
    rule: ({ accepted }) => (accepted ? passed('The token still works.') : failed('Another client revoked the token.')),
  }),
];
