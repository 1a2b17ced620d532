import { compareAccess, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { introspect } from '@/lib/oauth/controls/introspect';
import { defineAccessTokenControl } from '@/lib/oauth/controls/refuses-access-tokens';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';
import { type RevokedKind, revoke } from '@/lib/oauth/controls/revoke';

/**
 * Returns the client whose tokens are revoked: the first one, or else one that authenticates, because some servers let
 * only such clients revoke.
 */
async function chooseOwner(probe: Probe): Promise<TargetClient> {
  const client = probe.requireClient();
  const confidential = probe.listClients().find(isConfidential);
  if (isConfidential(client) || confidential === undefined) return client;
  const { status } = await revoke(probe, 'access token', 'not-a-token', { client });
  return status === 401 || status === 403 ? confidential : client;
}

/**
 * Revokes a token of a client.
 * @throws CannotProbe not_applicable if the server cannot revoke this kind of token (RFC 7009 section 2.2.1),
 * inconclusive if its answer is not 200
 */
async function revokeOwn(
  probe: Probe,
  kind: RevokedKind,
  token: string,
  options: { client: TargetClient; as?: string },
): Promise<void> {
  const { status, error } = await revoke(probe, kind, token, options);
  if (error === 'unsupported_token_type')
    throw new CannotProbe('not_applicable', `The server cannot revoke the ${kind}.`);
  if (status !== 200) throw new CannotProbe('inconclusive', `The revocation was answered with ${status}.`);
}

/** Checks that the server can revoke access tokens. @throws CannotProbe not_applicable if it cannot */
async function requireTokenRevocation(probe: Probe, client: TargetClient): Promise<void> {
  const { accessToken } = await probe.runCodeFlow({}, { client });
  await revokeOwn(probe, 'access token', accessToken, { client });
}

/** Checks that the resource accepts a token before it is revoked. @throws CannotProbe inconclusive if it does not */
async function requireAccess(probe: Probe, token: string): Promise<void> {
  if ((await probe.presentToken('Use the token before its revocation', token)).accepted) return;
  throw new CannotProbe('inconclusive', 'The resource refuses the token even before its revocation.');
}

/** Returns whether introspection calls an access token active before and after its revocation. */
async function isActiveAfterRevocation(probe: Probe): Promise<boolean> {
  const client = probe.listClients().find(isConfidential) ?? (await chooseOwner(probe));
  const { accessToken } = await probe.runCodeFlow({}, { client });
  if ((await introspect(probe, accessToken)).active !== true) return false;
  await revokeOwn(probe, 'access token', accessToken, { client });
  return (await introspect(probe, accessToken)).active === true;
}

/** Returns whether another client can revoke an access token. Returns false if no resource shows it. */
async function canRevokeForeignToken(probe: Probe, other: TargetClient): Promise<boolean> {
  if (probe.target.resource === null) return false;
  const { accessToken } = await probe.runCodeFlow();
  if (!(await probe.presentToken('Use the access token', accessToken)).accepted) return false;
  await revoke(probe, 'access token', accessToken, { client: other, as: ' as another client' });
  const after = compareAccess(await probe.presentToken('Use the access token again', accessToken));
  if (after.kind !== 'refused') return false;
  // Another token must still work, because the first one may have ended for another reason.
  await probe.requireWorkingToken();
  return true;
}

/** Controls for token revocation (RFC 7009). */
export const REVOCATION: readonly Control[] = [
  defineAccessTokenControl({
    id: 'revocation-effective',
    title: 'A revoked token is refused',
    wrong: 'A revoked token still works',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7009 2'],
    oauch: 'CanAccessTokensBeRevokedTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    cost: 'ends-grant',
    protectsFrom: 'A stolen token works on after its owner signs out or reports the theft.',
    tries: {
      'the revoked token': 'CVE-2020-15223, CVE-2018-1000211',
      'the revoked token at UserInfo': 'RFC 7009 2',
      'the revoked token, by introspection': 'RFC 7662 2.2',
    },
    elsewhere: ['at UserInfo'],
    more: async (probe) => ((await isActiveAfterRevocation(probe)) ? ['the revoked token, by introspection'] : []),
    async tokens(probe) {
      await probe.requireEndpoint('revocation_endpoint');
      await probe.requireWorkingToken();
      const client = await chooseOwner(probe);
      const { accessToken } = await probe.runCodeFlow({}, { client });
      await requireAccess(probe, accessToken);
      await revokeOwn(probe, 'access token', accessToken, { client });
      return { 'the revoked token': accessToken };
    },
  }),
  defineAccessTokenControl({
    id: 'revocation-cascade',
    title: 'Revoking a refresh token ends its access tokens',
    wrong: 'Access tokens outlive their revoked refresh token',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7009 2.1'],
    oauch: 'RefreshRevokesAccessTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    cost: 'ends-grant',
    protectsFrom: 'What was obtained with a stolen refresh token keeps working after its revocation.',
    tries: { 'an access token whose refresh token is revoked': 'RFC 7009 2.1' },
    async tokens(probe) {
      await probe.requireEndpoint('revocation_endpoint');
      await probe.requireWorkingToken();
      const client = await chooseOwner(probe);
      await requireTokenRevocation(probe, client);
      const { accessToken, refreshToken } = await probe.runCodeFlowWithRefresh({}, { client });
      await requireAccess(probe, accessToken);
      await revokeOwn(probe, 'refresh token', refreshToken, { client });
      return { 'an access token whose refresh token is revoked': accessToken };
    },
  }),
  defineControl({
    id: 'revocation-refresh',
    title: 'A revoked refresh token is refused',
    wrong: 'A revoked refresh token still refreshes',
    severity: 'high',
    area: 'resource',
    source: ['RFC 7009 2'],
    switchable: false,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A stolen refresh token gives new access tokens for months, although its theft was reported.',
    tries: {
      'use the revoked refresh token': 'CVE-2020-15223, CVE-2026-43983',
      'use a refresh token that was revoked with a wrong hint': 'RFC 7009 2.1',
    },
    async probe(probe) {
      await probe.requireEndpoint('revocation_endpoint');
      const client = await chooseOwner(probe);
      const { refreshToken } = await probe.runCodeFlowWithRefresh({}, { client });
      await revokeOwn(probe, 'refresh token', refreshToken, { client });
      const use = (label: string, token: string) => probe.refresh(label, token, {}, { client });
      const revoked = compareTokens(
        await redeemRefusably(probe, () => use('Use the revoked refresh token', refreshToken)),
      );
      if (revoked.kind !== 'refused') return { revoked, isMisled: false };
      const other = await probe.runCodeFlowWithRefresh({}, { client });
      const correct = await use('Use a refresh token that is not revoked', other.refreshToken);
      if (correct.kind === 'refused') throw new CannotProbe('inconclusive', 'A correct refresh is refused, too.');
      // A hint may be wrong: the server must look for the other kind of token, too.
      const { refreshToken: misled } = await probe.runCodeFlowWithRefresh({}, { client });
      const { status } = await revoke(probe, 'refresh token', misled, { client, hint: 'access_token' });
      const label = 'Use a refresh token that was revoked with a wrong hint';
      const after = status === 200 ? await use(label, misled) : null;
      return { revoked, isMisled: after?.kind === 'issued' };
    },
    rule({ revoked, isMisled }) {
      if (isMisled) return createFailed('A refresh token that was revoked with a wrong hint still works.');
      if (revoked.kind === 'undecided') return createInconclusive(`Undecided: ${revoked.why}.`);
      return revoked.kind === 'accepted'
        ? createFailed('The revoked refresh token still works.')
        : createPassed('The revoked refresh token was refused; another one was not.');
    },
  }),
  defineControl({
    id: 'revocation-client-bound',
    title: 'A client cannot revoke the tokens of another',
    wrong: 'A client can revoke the tokens of another',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7009 2.1'],
    oauch: 'IsBoundToClientTest',
    switchable: false,
    needs: ['client', 'login', 'second client'],
    cost: 'ends-grant',
    protectsFrom: 'Anyone with a client can end the sessions of others.',
    tries: {
      'revoke the refresh token as another client': 'CVE-2016-6582',
      'revoke the access token as another client': 'CVE-2016-6582',
    },
    async probe(probe) {
      await probe.requireEndpoint('revocation_endpoint');
      const other = probe.requireOtherClient();
      if (await canRevokeForeignToken(probe, other)) return { lives: false, ends: false };
      const { refreshToken } = await probe.runCodeFlowWithRefresh();
      await revoke(probe, 'refresh token', refreshToken, { client: other, as: ' as another client' });
      const after = await probe.refresh('Use the refresh token', refreshToken);
      if (after.kind === 'refused') {
        const compared = compareTokens(after);
        if (compared.kind === 'undecided') throw new CannotProbe('inconclusive', `Undecided: ${compared.why}.`);
        return { lives: false, ends: false };
      }
      // A valid request must revoke: by the same client, or else by one that the server lets revoke.
      const client = await chooseOwner(probe);
      const own =
        client === probe.requireClient()
          ? (after.tokens.refreshToken ?? refreshToken)
          : (await probe.runCodeFlowWithRefresh({}, { client })).refreshToken;
      await revokeOwn(probe, 'refresh token', own, { client, as: ' as its client' });
      const use = () => probe.refresh('Use it again', own, {}, { client });
      const again = compareTokens(await redeemRefusably(probe, use));
      if (again.kind === 'undecided') throw new CannotProbe('inconclusive', `Undecided: ${again.why}.`);
      return { lives: true, ends: again.kind === 'refused' };
    },
    rule({ lives, ends }) {
      if (!lives) return createFailed('Another client revoked the token.');
      return ends
        ? createPassed('The token still works; its own client can revoke it.')
        : createNotApplicable('Its own client cannot revoke it either: see revocation-refresh.');
    },
  }),
];
