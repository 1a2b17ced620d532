import { computeThumbprint } from '@/lib/oauth/assessment/client-certificate';
import { identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareAccess, compareTokens } from '@/lib/oauth/assessment/comparison';
import { copyForAnotherKey, createStrangeCertificate } from '@/lib/oauth/assessment/look-alike-certificate';
import type { PresentOptions, TokenOptions } from '@/lib/oauth/assessment/requests';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  requireValue,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import {
  compareConnection,
  findCertifiedClient,
  readBinding,
  requireCertificateRequest,
  requireCertifiedClient,
} from '@/lib/oauth/controls/mutual-tls';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';

/** Controls for access tokens that are bound to a certificate (RFC 8705 sections 3 and 4). */
export const CERTIFICATE_BOUND_TOKENS: readonly Control[] = [
  defineControl({
    id: 'certificate-bound-tokens',
    title: 'Tokens of a client that asked for it are bound to its certificate',
    wrong: 'Tokens are not bound to the certificate of their client',
    severity: 'high',
    area: 'resource',
    source: ['RFC 8705 3.1', 'RFC 8705 3.4'],
    switchable: false,
    needs: ['client with a certificate', 'login'],
    evidence: 'token',
    protectsFrom: 'A stolen token works without the certificate of the client.',
    tries: { 'read the token': 'RFC 8705 3.1', 'introspect the token': 'RFC 8705 3.2' },
    async probe(probe) {
      const client = requireCertifiedClient(probe);
      await requireCertificateRequest(probe, await probe.requireEndpoint('token_endpoint', client), client);
      const { tls_client_certificate_bound_access_tokens: offered } = await probe.fetchServerMetadata();
      const { accessToken } = await probe.runCodeFlow({}, { client });
      return {
        bound: await readBinding(probe, accessToken),
        expected: computeThumbprint(client.certificate),
        isWanted: client.hasBoundTokens,
        isOffered: offered === true,
      };
    },
    rule({ bound, expected, isWanted, isOffered }) {
      if (bound === undefined)
        return createInconclusive('The token is opaque, and no introspection shows what it is bound to.');
      if (bound !== null)
        return bound === expected
          ? createPassed('The token is bound to the certificate of the client.')
          : createFailed('The token is bound to another certificate.');
      if (isWanted === true) return createFailed('The client registered for bound tokens, and the token is not bound.');
      return isOffered && isWanted === undefined
        ? createInconclusive(
            'The token is not bound. Whether it must be depends on the registration of the client (tls_client_certificate_bound_access_tokens).',
          )
        : createNotApplicable('The client did not ask for tokens that are bound to its certificate.');
    },
  }),
  defineControl({
    id: 'certificate-binding',
    title: 'A token that is bound to a certificate works with it alone',
    wrong: 'A token that is bound to a certificate works without it',
    severity: 'high',
    area: 'resource',
    source: ['RFC 8705 3', 'RFC 9700 2.2.1'],
    switchable: false,
    needs: ['client with a certificate', 'login', 'resource'],
    protectsFrom: 'A stolen token works without the certificate that it is bound to.',
    tries: {
      'no certificate': 'RFC 8705 3',
      'another certificate': 'RFC 8705 3',
      'a copy of the certificate for another key': 'RFC 8705 7.2',
    },
    async probe(probe) {
      const client = requireCertifiedClient(probe);
      const { url } = requireValue(probe.target.resource, 'No protected resource is known.', 'not_applicable');
      const { accessToken } = await probe.runCodeFlow({}, { client });
      const bound = await readBinding(probe, accessToken);
      if (bound === null || (bound === undefined && client.hasBoundTokens !== true))
        throw new CannotProbe(
          'not_applicable',
          'The token is not bound to a certificate: see certificate-bound-tokens.',
        );
      await requireCertificateRequest(probe, url, client);
      const present = (label: string, options: PresentOptions = {}) => probe.presentToken(label, accessToken, options);
      const presentCorrectly = async () => {
        if ((await present('Present a bound token with its certificate')).accepted) return;
        throw new CannotProbe('inconclusive', 'The resource does not accept a bound token with its certificate.');
      };
      await presentCorrectly();
      const attempts: Record<string, PresentOptions> = {
        'no certificate': { withoutCertificate: true },
        'another certificate': { certificate: createStrangeCertificate() },
        'a copy of the certificate for another key': { certificate: copyForAnotherKey(client.certificate) },
      };
      const comparisons = new Map<string, Comparison>();
      for (const [label, options] of Object.entries(attempts)) {
        const compare = async () => compareAccess(await present(`Present it with ${label}`, options));
        comparisons.set(label, await compareConnection(compare));
      }
      await presentCorrectly();
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'certificate-refresh-binding',
    title: 'A refresh token of a public client is bound to its certificate',
    wrong: 'A refresh token that is bound to a certificate works without it',
    severity: 'high',
    area: 'resource',
    source: ['RFC 8705 4', 'RFC 8705 7.1'],
    switchable: false,
    needs: ['client with a certificate', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A stolen refresh token works with any certificate, or with none.',
    tries: { 'another certificate': 'RFC 8705 4', 'no certificate': 'RFC 8705 4' },
    async probe(probe) {
      const client = findCertifiedClient(probe, ({ authentication }) => authentication.method === 'none');
      if (client === null) {
        requireCertifiedClient(probe);
        throw new CannotProbe(
          'not_applicable',
          'Refresh tokens of a confidential client are bound to its credentials.',
        );
      }
      await requireCertificateRequest(probe, await probe.requireEndpoint('token_endpoint', client), client);
      const { accessToken, refreshToken } = await probe.runCodeFlowWithRefresh({}, { client });
      if ((await readBinding(probe, accessToken)) === null) throw createBroaderControlError('certificate-bound-tokens');
      const refresh = async (label: string, options: TokenOptions) => {
        const send = async () => compareTokens(await probe.refresh(label, refreshToken, {}, { client, ...options }));
        return compareConnection(send);
      };
      const credentials = identifyClient(client);
      const strange = { ...credentials, certificate: createStrangeCertificate() };
      const comparisons = new Map<string, Comparison>([
        ['another certificate', await refresh('Refresh with another certificate', { credentials: strange })],
        ['no certificate', await refresh('Refresh without a certificate', { credentials })],
      ]);
      const own = await probe.runCodeFlowWithRefresh({}, { client });
      if ((await probe.refresh('Refresh correctly', own.refreshToken, {}, { client })).kind === 'refused')
        throw new CannotProbe('inconclusive', 'A refresh with the right certificate is refused as well.');
      return comparisons;
    },
    rule: judgeRefusals,
  }),
];
