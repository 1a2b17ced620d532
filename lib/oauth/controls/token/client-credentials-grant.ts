import { identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TokenOptions } from '@/lib/oauth/assessment/requests';
import { isConfidential, readSecret } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { BAD_CREDENTIALS, createBadCredentials, isUnauthenticated } from '@/lib/oauth/controls/token/unauthenticated';

/** Asks for a token without a user (RFC 6749 section 4.4.2). */
const askForOwnToken = (probe: Probe, label: string, scope: string | null, options: TokenOptions) =>
  probe.sendTokenRequest(label, { grant_type: 'client_credentials', scope }, options);

/** Lists the scopes that may be asked for: none, that of the resource, and those that need no user. */
function listOwnScopes({ target }: Probe): (string | null)[] {
  const others = target.scope.split(' ').filter((name) => name !== '' && !OF_USERS.has(name));
  return [...new Set([null, target.resource?.scope ?? null, others.join(' ') || null])];
}
const OF_USERS = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access']);

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
      ...BAD_CREDENTIALS,
      'no credentials': 'RFC 6749 4.4.2',
      'wrong credentials': 'RFC 6749 4.4.2',
    },
    async probe(probe) {
      const comparisons = new Map<string, Comparison>();
      const open = probe.listClients().find((client) => !isConfidential(client));
      const client =
        probe.listClients().find((known) => readSecret(known) !== null) ?? probe.requireConfidentialClient();
      let granted: string | null | undefined;
      for (const scope of listOwnScopes(probe)) {
        if (open !== undefined) {
          const options = { client: open, credentials: identifyClient(open) };
          const outcome = await askForOwnToken(probe, 'As a client without a secret', scope, options);
          comparisons.set('a client without a secret', compareTokens(outcome));
          if (outcome.kind === 'issued') return comparisons;
        }
        const correct = await askForOwnToken(probe, 'With its own credentials', scope, { client });
        if (correct.kind === 'issued') {
          granted = scope;
          break;
        }
      }
      if (granted === undefined) throw new CannotProbe('not_applicable', 'No client gets a token without a user here.');
      for (const [label, credentials] of Object.entries(await createBadCredentials(probe, client))) {
        const outcome = await askForOwnToken(probe, `With ${label}`, granted, { client, credentials });
        comparisons.set(label, compareTokens(outcome));
      }
      const isAccepted = [...comparisons.values()].some(({ kind }) => kind === 'accepted');
      if (isAccepted && (await isUnauthenticated(probe, client)))
        throw createBroaderControlError('client-authentication');
      return comparisons;
    },
    rule: judgeRefusals,
  }),
];
