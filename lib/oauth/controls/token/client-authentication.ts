import { buildBasicHeader, type Credentials, identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { readSecret } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { estimateSecretBits } from '@/lib/oauth/controls/guessing-space';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { explainNoSecret, redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';
import {
  BAD_CREDENTIALS,
  isUnauthenticated,
  redeemUnauthenticated,
  SPACED_SECRET,
} from '@/lib/oauth/controls/token/unauthenticated';

/** Controls for client authentication (RFC 6749 sections 2.3 and 3.2.1). */
export const CLIENT_AUTHENTICATION: readonly Control[] = [
  defineControl({
    id: 'client-authentication',
    title: 'A confidential client must authenticate',
    wrong: 'A confidential client need not authenticate',
    severity: 'critical',
    area: 'token',
    source: ['RFC 6749 3.2.1', 'RFC 6749 5.2'],
    oauch: 'IsClientAuthenticationRequiredTest',
    switchable: true,
    needs: ['confidential client', 'login'],
    protectsFrom: 'Anyone can act as a client whose id they know.',
    tries: { ...BAD_CREDENTIALS, [SPACED_SECRET]: 'RFC 6749 2.3.1' },
    probe: async (probe) => redeemUnauthenticated(probe, probe.requireConfidentialClient()),
    rule(comparisons) {
      const verdict = judgeRefusals(comparisons, {
        label: SPACED_SECRET,
        severity: 'low',
        describe: () => 'The server removes spaces around a secret before it compares it.',
      });
      const others = [...comparisons].flatMap(([label, compared]) =>
        compared.kind === 'refused' && compared.how !== 'invalid_client' ? [{ label, how: compared.how }] : [],
      );
      const hows = new Set(others.map(({ how }) => how));
      const isAlike = hows.size === 1 && others.length === comparisons.size;
      const named = isAlike ? [...hows] : others.map(({ label, how }) => `${label} (${how})`);
      return verdict.kind === 'passed' && others.length > 0
        ? createPassed(`The server refused every request, though not as invalid_client: ${named.join(', ')}.`)
        : verdict;
    },
  }),
  defineControl({
    id: 'client-secret-strength',
    title: 'The client secret cannot be guessed',
    wrong: 'The client secret can be guessed',
    severity: 'medium',
    area: 'token',
    source: ['RFC 6819 5.1.4.2.2', 'RFC 6749 10.10'],
    oauch: 'ClientSecretEntropyMinReqTest',
    switchable: false,
    needs: ['confidential client'],
    protectsFrom: 'An attacker guesses the secret and acts as the client.',
    tries: { secret: 'RFC 6819 5.1.4.2.2' },
    evidence: 'answer',
    async probe(probe) {
      if (probe.target.capabilities.secretsArePublic)
        throw new CannotProbe('not_applicable', 'The secrets are public: it is a demonstration.');
      const secrets = probe.listClients().flatMap((client) => readSecret(client) ?? []);
      if (secrets.length === 0) throw new CannotProbe('not_applicable', 'No client has a secret.');
      return Math.min(...secrets.map(estimateSecretBits));
    },
    rule: (bits) =>
      (bits >= 112 ? createPassed : createFailed)(`The weakest secret has at most ${Math.floor(bits)} bits.`),
  }),
  defineControl({
    id: 'asymmetric-client-authentication',
    title: 'Clients can authenticate with a key',
    wrong: 'Authentication with a key is advertised without a sound algorithm',
    severity: 'info',
    area: 'token',
    source: ['RFC 9700 2.5', 'RFC 8414 2'],
    oauch: 'IsAsymmetricClientAuthenticationUsedTest',
    switchable: false,
    needs: [],
    protectsFrom: 'Secrets are shared, copied and sent with every request.',
    tries: { 'read the metadata': 'RFC 8414 2' },
    async probe(probe) {
      const {
        token_endpoint_auth_methods_supported: methods = [],
        token_endpoint_auth_signing_alg_values_supported: algorithms = [],
      } = await probe.fetchServerMetadata();
      return { methods: [methods].flat().map(String), algorithms: [algorithms].flat().map(String) };
    },
    rule({ methods, algorithms }) {
      const strong = methods.filter((method) => /private_key_jwt|tls_client_auth/.test(method));
      if (strong.length === 0) {
        return createNotApplicable(
          'The server offers neither private_key_jwt nor mutual TLS: they are recommended, no more.',
        );
      }
      if (algorithms.includes('none')) return createFailed('The algorithm none is advertised for assertions.');
      const symmetric = algorithms.length > 0 && algorithms.every((algorithm) => algorithm.startsWith('HS'));
      return symmetric && strong.includes('private_key_jwt')
        ? createFailed(`private_key_jwt is advertised, and only ${algorithms.join(', ')} for its signatures.`)
        : createPassed(`The server offers ${strong.join(', ')}.`);
    },
  }),
  defineControl({
    id: 'basic-authentication',
    title: 'Clients with a secret can use HTTP Basic',
    wrong: 'Clients with a secret cannot use HTTP Basic',
    severity: 'info',
    area: 'token',
    source: ['RFC 6749 2.3.1'],
    oauch: 'SupportsBasicAuthTest',
    switchable: false,
    needs: [],
    protectsFrom: 'Conforming clients cannot use the server.',
    tries: { 'read the metadata': 'RFC 8414 2', 'authenticate by basic': 'RFC 6749 2.3.1' },
    async probe(probe) {
      const { token_endpoint_auth_methods_supported: methods } = await probe.fetchServerMetadata();
      const listed = methods === undefined ? null : [methods].flat().map(String);
      return { listed, works: listed === null && (await canAuthenticateByBasic(probe)) };
    },
    rule({ listed, works }) {
      if (listed === null) {
        return works
          ? createPassed('A client authenticated by HTTP Basic, and a wrong secret was refused.')
          : createInconclusive(
              'The metadata lists no methods: only a client with a secret can show what its default is worth.',
            );
      }
      if (listed.includes('client_secret_basic')) return createPassed('client_secret_basic is offered.');
      return listed.some((method) => /^client_secret/.test(method))
        ? createFailed('Clients have secrets, and client_secret_basic is not offered.')
        : createNotApplicable('No client has a secret here.');
    },
  }),
  defineControl({
    id: 'credentials-in-uri',
    title: 'Client credentials in the URL are refused',
    wrong: 'Client credentials in the URL are accepted',
    severity: 'medium',
    area: 'token',
    source: ['RFC 6749 2.3.1'],
    oauch: 'IsAuthInUriAllowedTest',
    switchable: false,
    needs: ['confidential client', 'login'],
    protectsFrom: 'Secrets end up in logs and histories.',
    tries: {
      'the secret in the query': 'RFC 6749 2.3.1',
      'the secret in the query, the client id in the body': 'RFC 6749 2.3.1',
    },
    async probe(probe) {
      const client = probe.listClients().find((known) => readSecret(known) !== null);
      const secret = client === undefined ? null : readSecret(client);
      if (client === undefined || secret === null) throw await explainNoSecret(probe);
      const attempt = (label: string, parameters: Record<string, string>, credentials: Credentials) =>
        redeemRefusably(probe, async () => {
          const grant = await probe.requestCode({}, { client });
          return probe.redeem(label, grant, {}, { query: `?${new URLSearchParams(parameters)}`, credentials });
        });
      const none: Credentials = { fields: {}, headers: {} };
      const named = { client_id: client.id, client_secret: secret };
      const wrong = await attempt('A wrong secret in the query', { ...named, client_secret: 'not-the-secret' }, none);
      const right = await attempt('The secret in the query', named, none);
      const split = await attempt(
        'The secret in the query, the client id in the body',
        { client_secret: secret },
        identifyClient(client),
      );
      if (right.kind === 'refused') await redeemCorrectly(probe, await probe.requestCode({}, { client }));
      const comparisons = new Map<string, Comparison>([
        ['the secret in the query', compareTokens(right)],
        ['the secret in the query, the client id in the body', compareTokens(split)],
      ]);
      // A server that needs no secret from a client that names itself in the body fails client-authentication.
      const isOpen = wrong.kind === 'issued' || (await isUnauthenticated(probe, client));
      return { isOpen, comparisons };
    },
    rule: ({ isOpen, comparisons }) =>
      isOpen
        ? createNotApplicable('No authentication is asked for at all: see client-authentication.')
        : judgeRefusals(comparisons),
  }),
];

/** Returns whether a client with a secret authenticates by HTTP Basic, compared with a wrong secret. */
async function canAuthenticateByBasic(probe: Probe): Promise<boolean> {
  const client = probe.listClients().find((known) => readSecret(known) !== null);
  if (client === undefined) return false;
  const redeem = async (label: string, secret: string) => {
    const credentials = { fields: {}, headers: { authorization: buildBasicHeader(client.id, secret) } };
    const invented = { code: probe.generateRandomText(), verifier: probe.generateRandomText(), client };
    const outcome = await probe.redeem(label, invented, {}, { credentials });
    return outcome.kind === 'refused' ? outcome : null;
  };
  const right = await redeem('Authenticate by Basic', readSecret(client) ?? '');
  if (right?.error !== 'invalid_grant') return false;
  const wrong = await redeem('Authenticate by Basic, wrongly', 'not-the-secret');
  return wrong !== null && compareTokens(wrong).kind === 'refused' && wrong.error !== right.error;
}
