import { identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TokenOptions } from '@/lib/oauth/assessment/requests';
import { isConfidential, readSecret } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { createBroaderControlError, judgeRefusals } from '@/lib/oauth/controls/patterns';
import { createBadCredentials, isUnauthenticated, NEAR_SECRETS } from '@/lib/oauth/controls/token/unauthenticated';

/** Asks for a token without a user (RFC 6749 section 4.4.2). */
const askForOwnToken = (probe: Probe, label: string, options: TokenOptions) =>
  probe.sendTokenRequest(label, { grant_type: 'client_credentials' }, options);

/** Controls for the client credentials grant (RFC 6749 section 4.4). */
export const CLIENT_CREDENTIALS_GRANT: readonly Control[] = [
  defineControl({
    id: 'client-credentials-authentication',
    title: 'Only authenticated clients get tokens without a user',
    wrong: 'A client gets tokens without a user, and without authentication',
    severity: 'critical',
    area: 'token',
    source: ['RFC 6749 4.4', 'RFC 6749 4.4.2'],
    switchable: false,
    needs: ['confidential client'],
    evidence: 'token',
    protectsFrom: 'Anyone gets tokens for the services of a client whose id they know.',
    tries: {
      'a client without a secret': 'RFC 6749 4.4',
      'no credentials': 'RFC 6749 4.4.2',
      'wrong credentials': 'RFC 6749 4.4.2',
      'an empty secret': 'CVE-2026-44476',
      'a wrong secret in the body': 'RFC 6749 2.3.1',
      'a wrong secret by Basic': 'RFC 6749 2.3.1',
      ...NEAR_SECRETS,
    },
    async probe(probe) {
      const comparisons = new Map<string, Comparison>();
      const open = probe.listClients().find((client) => !isConfidential(client));
      if (open !== undefined) {
        const options = { client: open, credentials: identifyClient(open) };
        comparisons.set(
          'a client without a secret',
          compareTokens(await askForOwnToken(probe, 'As a client without a secret', options)),
        );
      }
      const client =
        probe.listClients().find((known) => readSecret(known) !== null) ?? probe.requireConfidentialClient();
      const inOrder = await askForOwnToken(probe, 'With its own credentials', { client });
      if (inOrder.kind === 'refused') {
        if ([...comparisons.values()].some(({ kind }) => kind === 'accepted')) return comparisons;
        throw new CannotProbe('not_applicable', 'No client gets a token without a user here.');
      }
      for (const [label, credentials] of Object.entries(await createBadCredentials(probe, client)))
        comparisons.set(label, compareTokens(await askForOwnToken(probe, `With ${label}`, { client, credentials })));
      const isAccepted = [...comparisons.values()].some(({ kind }) => kind === 'accepted');
      if (isAccepted && (await isUnauthenticated(probe, client)))
        throw createBroaderControlError('client-authentication');
      return comparisons;
    },
    rule: judgeRefusals,
  }),
];
