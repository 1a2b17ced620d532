import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, passedIf } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { refusesAccessTokens } from '@/lib/oauth/controls/patterns';

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

/** @throws CannotProbe where the server revokes nothing, or no token works in the first place */
async function requireRevocation(probe: Probe): Promise<void> {
  await probe.endpoint('revocation_endpoint');
  await probe.workingToken();
}

/** Token revocation (RFC 7009). */
export const REVOCATION = controlsIn('resource', [
  refusesAccessTokens({
    id: 'revocation-effective',
    title: 'A revoked token is refused',
    severity: 'medium',
    source: ['RFC 7009 2'],
    oauch: 'CanAccessTokensBeRevokedTest',
    protectsFrom: 'Signing out, or reporting a theft, changes nothing.',
    async tokens(probe) {
      await requireRevocation(probe);
      const { accessToken } = await probe.flow();
      await revokeOwn(probe, 'access token', accessToken);
      return { 'the revoked token': accessToken };
    },
  }),
  refusesAccessTokens({
    id: 'revocation-cascade',
    title: 'Revoking a refresh token ends its access tokens',
    severity: 'medium',
    source: ['RFC 7009 2.1'],
    oauch: 'RefreshRevokesAccessTest',
    protectsFrom: 'What was obtained with a stolen refresh token keeps working after its revocation.',
    async tokens(probe) {
      await requireRevocation(probe);
      const { accessToken, refreshToken } = await probe.flowWithRefresh();
      await revokeOwn(probe, 'refresh token', refreshToken);
      return { 'an access token whose refresh token is revoked': accessToken };
    },
  }),
  defineControl({
    id: 'revocation-client-bound',
    title: 'A client cannot revoke the tokens of another',
    severity: 'medium',
    source: ['RFC 7009 2.1'],
    oauch: 'IsBoundToClientTest',
    protectsFrom: 'Anyone with a client can end the sessions of others.',
    async probe(probe) {
      await probe.endpoint('revocation_endpoint');
      const other = probe.otherClient();
      await probe.workingToken();
      const { accessToken } = await probe.flow();
      await revoke(probe, 'token as another client', accessToken, other);
      return probe.presentToken('Use the token', accessToken);
    },
    rule: ({ kind }) => passedIf(kind === 'opened', 'The token still works.', 'Another client revoked the token.'),
  }),
]);
