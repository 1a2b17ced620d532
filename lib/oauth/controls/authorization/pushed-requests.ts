import { capitalize } from '@/lib/capitalize';
import {
  type AcceptedRequest,
  type Comparison,
  compareAuthorizations,
  compareTokens,
  explainWall,
} from '@/lib/oauth/assessment/comparison';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { type AuthorizationOutcome, readTokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { PROFILE_TRIES } from '@/lib/oauth/assessment/profile-tries';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isConfidential, readSecret, type TargetClient } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import {
  CONTINUATIONS,
  LOOK_ALIKES,
  listContinuations,
  listLookAlikes,
} from '@/lib/oauth/controls/authorization/look-alike-addresses';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeGuessing, measureGuessing } from '@/lib/oauth/controls/guessing-space';
import { isAnyVerifierAccepted } from '@/lib/oauth/controls/is-any-verifier-accepted';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError, UNREGISTERED } from '@/lib/oauth/controls/patterns';
import { isUnauthenticated } from '@/lib/oauth/controls/token/unauthenticated';

/** Sends a valid pushed authorization request, changed by the fields and options. */
async function push(
  probe: Probe,
  label: string,
  fields: Fields = {},
  options: { client?: TargetClient; anonymous?: boolean; verifier?: string } = {},
): Promise<Exchange> {
  const { client = probe.requireClient(), anonymous, verifier } = options;
  const parameters = probe.buildAuthorizationParameters({ state: 'pushed', ...fields }, client, verifier);
  return probe.push(label, parameters, { client, anonymous });
}

/** Returns a client with a wrong secret. A client with a key stays the same. */
const giveWrongSecret = (client: TargetClient): TargetClient =>
  'secret' in client.authentication
    ? { ...client, authentication: { ...client.authentication, secret: 'not-the-secret' } }
    : client;

/** Returns the request_uri of an answer. @throws CannotProbe inconclusive if there is none */
function requireRequestUri(probe: Probe, exchange: Exchange): string {
  const { request_uri: uri, error } = parseResponseJson(exchange);
  if (typeof uri === 'string') {
    probe.recordSuccess(exchange, 'authorization');
    return uri;
  }
  const why = typeof error === 'string' ? error : `status ${exchange.response.status}`;
  throw new CannotProbe('inconclusive', `The server does not accept a valid pushed request: ${why}.`);
}

const use = (
  probe: Probe,
  label: string,
  uri: string,
  client: TargetClient,
  verifier = '',
  beside: Readonly<Record<string, string>> = { state: 'added' },
): Promise<AuthorizationOutcome> =>
  probe.authorizeWith(
    label,
    new URLSearchParams({ ...probe.target.parameters, client_id: client.id, request_uri: uri, ...beside }),
    verifier,
    { client },
  );

/** Uses a pushed request correctly. @throws CannotProbe inconclusive if it is not accepted */
async function requireAcceptedUse(probe: Probe): Promise<AcceptedRequest> {
  const verifier = probe.generateRandomText();
  const uri = requireRequestUri(probe, await push(probe, 'Push a request', {}, { verifier }));
  return probe.requireOutcome(await use(probe, 'Use a pushed request', uri, probe.requireClient(), verifier));
}

/** Returns whether a code_challenge sent with a request_uri replaces the pushed one, so that its verifier redeems the code. */
async function isChallengeOverridden(probe: Probe, client: TargetClient): Promise<boolean> {
  const verifier = probe.generateRandomText();
  const { code_challenge: challenge } = Object.fromEntries(probe.buildAuthorizationParameters({}, client, verifier));
  const uri = requireRequestUri(probe, await push(probe, 'Push a third request'));
  const beside = { code_challenge: challenge ?? '', code_challenge_method: 'S256' };
  const outcome = await use(probe, 'Use it with another code_challenge beside it', uri, client, verifier, beside);
  const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
  if (code === undefined) return false;
  const redeemed = await probe.redeem('Redeem it with the other verifier', { code, verifier, client });
  return redeemed.kind === 'issued' && !(await isAnyVerifierAccepted(probe, client));
}

/** Judges a request that must be refused. The subject begins the sentence of the verdict. */
const createRefusalRule =
  (subject: string) =>
  (compared: Comparison): ControlVerdict => {
    if (compared.kind === 'undecided') return createInconclusive(`Undecided: ${compared.why}.`);
    return compared.kind === 'accepted'
      ? createFailed(`${subject} was accepted.`)
      : createPassed(`${subject} was refused.`);
  };

/** Controls for pushed authorization requests (RFC 9126). */
export const PUSHED_REQUESTS: readonly Control[] = [
  defineControl({
    id: 'par',
    title: 'A pushed authorization request works once, exactly as pushed',
    wrong: 'A pushed authorization request works twice, or can be overridden',
    severity: 'info',
    area: 'authorization',
    source: ['RFC 9126 2.2', 'RFC 9126 4'],
    oauch: 'IsRequestUriRevokedTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone who sees a request_uri can use it again, or change what was requested.',
    tries: {
      'with another state beside it': 'RFC 9126 4',
      'with another redirect_uri beside it': 'RFC 9126 4',
      'with another code_challenge beside it': 'RFC 9126 4',
      'use it again': 'RFC 9126 2.2',
    },
    async probe(probe) {
      const client = probe.requireClient();
      const verifier = probe.generateRandomText();
      const uri = requireRequestUri(probe, await push(probe, 'Push a request', {}, { verifier }));
      const first = await use(probe, 'Use the pushed request, with another state beside it', uri, client, verifier);
      if (first.kind !== 'granted') throw new CannotProbe('inconclusive', 'The pushed request was not granted.');
      const second = await use(probe, 'Use it again', uri, client, verifier);
      const other = requireRequestUri(probe, await push(probe, 'Push another request'));
      const beside = { redirect_uri: UNREGISTERED };
      const third = await use(probe, 'Use it with another redirect_uri beside it', other, client, '', beside);
      const sentTo = third.kind === 'page' ? null : third.kind === 'granted' ? third.sentTo : third.redirectedTo;
      await push(probe, PROFILE_TRIES.withoutRedirectUri, { redirect_uri: null });
      const isOverridden =
        first.parameters.state !== 'pushed' ||
        sentTo?.startsWith(UNREGISTERED) ||
        (await isChallengeOverridden(probe, client));
      return { isOverridden, second: compareAuthorizations(await probe.requireOutcome(first), second) };
    },
    rule({ isOverridden, second }) {
      if (isOverridden) return createFailed('A parameter beside the request_uri overrode the pushed one.');
      if (second.kind === 'undecided') return createInconclusive(`Undecided: ${second.why}.`);
      return second.kind === 'accepted'
        ? createFailed('The request_uri worked twice.')
        : createPassed('It worked once, exactly as pushed.');
    },
  }),
  defineControl({
    id: 'par-authentication',
    title: 'Pushing a request takes authentication',
    wrong: 'Requests can be pushed without authentication',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9126 2.1'],
    switchable: false,
    needs: [],
    protectsFrom: 'Anyone pushes requests in the name of a confidential client.',
    tries: {
      'push as an unknown client': 'RFC 9126 2.1',
      'push without credentials': 'RFC 9126 2.1',
      'push with a wrong secret': 'RFC 9126 2.1',
    },
    async probe(probe) {
      await probe.requireEndpoint('pushed_authorization_request_endpoint');
      const client = probe.listClients().find(isConfidential);
      if (client === undefined) {
        const anybody = {
          id: 'no-such-client',
          redirectUri: UNREGISTERED,
          authentication: { method: 'none' as const },
        };
        return push(probe, 'Push as an unknown client', {}, { client: anybody, anonymous: true });
      }
      requireRequestUri(probe, await push(probe, 'Push a request', {}, { client }));
      const bare = await push(probe, 'Push without credentials', {}, { client, anonymous: true });
      const wrong =
        readSecret(client) === null
          ? bare
          : await push(probe, 'Push with a wrong secret', {}, { client: giveWrongSecret(client) });
      const taken = [bare, wrong].find((answer) => 'request_uri' in parseResponseJson(answer));
      if (taken !== undefined && (await isUnauthenticated(probe, client)))
        throw createBroaderControlError('client-authentication');
      return taken ?? bare;
    },
    rule(exchange) {
      if ('request_uri' in parseResponseJson(exchange))
        return createFailed('A request was taken without authentication.');
      // Only an OAuth error, or the headers of its own answers, show that the endpoint itself refused.
      const { error } = parseResponseJson(exchange);
      return compareTokens(readTokens(exchange)).kind === 'refused' && (typeof error === 'string' || exchange.isOwn)
        ? createPassed(`The server refused: ${error ?? `status ${exchange.response.status}`}.`)
        : createInconclusive(`Undecided: ${explainWall(exchange) ?? `the answer is ${exchange.response.status}`}.`);
    },
  }),
  defineControl({
    id: 'par-client-bound',
    title: 'A request_uri belongs to its client',
    wrong: 'A request_uri works for another client',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9126 2.2', 'RFC 9126 4'],
    switchable: false,
    needs: ['client', 'second client'],
    protectsFrom: 'A client uses the request of another.',
    tries: { 'use it as another client': 'RFC 9126 2.2' },
    async probe(probe) {
      await probe.requireEndpoint('pushed_authorization_request_endpoint');
      const other = probe.requireOtherClient();
      const good = await requireAcceptedUse(probe);
      const uri = requireRequestUri(probe, await push(probe, 'Push a request'));
      return compareAuthorizations(good, await use(probe, 'Use it as another client', uri, other));
    },
    rule: createRefusalRule('A request_uri of another client'),
  }),
  defineControl({
    id: 'par-required',
    title: 'Where pushed requests are required, no other is taken',
    wrong: 'Pushed requests are said to be required, and are not',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9126 5'],
    oauch: 'IsPARRequiredTest',
    switchable: false,
    needs: ['client'],
    protectsFrom:
      'Requests are changed on their way through the browser, though the server says that it takes none there.',
    tries: { 'a request that was not pushed': 'RFC 9126 5' },
    async probe(probe) {
      const { require_pushed_authorization_requests: required } = await probe.fetchServerMetadata();
      if (required !== true) throw new CannotProbe('not_applicable', 'The server does not require pushed requests.');
      const good = await requireAcceptedUse(probe);
      return compareAuthorizations(good, await probe.authorize('A request that was not pushed', {}, { direct: true }));
    },
    rule: createRefusalRule('A request that was not pushed'),
  }),
  defineControl({
    id: 'par-entropy',
    title: 'A request_uri cannot be guessed',
    wrong: 'A request_uri can be guessed',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9126 2.2', 'RFC 9126 7.1'],
    oauch: 'HasRequestUriMinEntropyTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: "An attacker guesses a request and continues it in the victim's place.",
    tries: { 'push a request': 'RFC 9126 7.1' },
    async probe(probe) {
      const uris: string[] = [];
      for (let index = 0; index < 8; index++) uris.push(requireRequestUri(probe, await push(probe, 'Push a request')));
      return measureGuessing(
        uris.map((uri) => uri.replace(/^urn:[\w:-]*:/i, '')),
        probe.now(),
      );
    },
    rule: judgeGuessing,
  }),
  defineControl({
    id: 'par-redirect-uri',
    title: 'A pushed redirect URI is one of the client',
    wrong: 'A public client may push any redirect URI',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9126 2.4'],
    oauch: 'AcceptsNewRedirectUriTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'A public client has its codes sent anywhere, by pushing the address first.',
    tries: { 'an unregistered redirect URI': 'RFC 9126 2.4', ...LOOK_ALIKES, ...CONTINUATIONS },
    async probe(probe) {
      const client = probe.listClients().find((known) => !isConfidential(known));
      if (client === undefined)
        throw probe.listClients().length === 0
          ? new CannotProbe('inconclusive', 'A client is needed.')
          : new CannotProbe('not_applicable', 'Clients that authenticate may push new redirect URIs.');
      requireRequestUri(probe, await push(probe, 'Push a request', {}, { client }));
      const { redirectUri } = client;
      const addresses = { ...listLookAlikes(redirectUri), ...listContinuations(redirectUri) };
      const comparisons = new Map<string, Comparison>();
      let isBroader = false;
      for (const [label, uri] of Object.entries({ 'an unregistered redirect URI': UNREGISTERED, ...addresses })) {
        const pushed = await push(probe, `Push ${label}`, { redirect_uri: uri }, { client });
        const isTaken = 'request_uri' in parseResponseJson(pushed);
        // What the server also takes without pushing is judged there.
        if (isTaken && (await probe.authorize(capitalize(label), { redirect_uri: uri }, { client })).kind === 'granted')
          isBroader = true;
        else comparisons.set(label, isTaken ? { kind: 'accepted' } : compareTokens(readTokens(pushed)));
      }
      if (isBroader && [...comparisons.values()].every(({ kind }) => kind !== 'accepted'))
        throw createBroaderControlError('strict-redirect-uri');
      return comparisons;
    },
    rule: judgeRefusals,
  }),
];
