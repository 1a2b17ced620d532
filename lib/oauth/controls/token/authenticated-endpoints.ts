import { uncapitalize } from '@/lib/capitalize';
import {
  type Credentials,
  type CredentialsSource,
  createWrongCredentials,
  identifyClient,
  resolveCredentials,
} from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareAccess, compareTokens, explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { readTokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { fill } from '@/lib/oauth/assessment/requests';
import { isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { type Control, type ControlDraft, defineControl } from '@/lib/oauth/controls/control';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { isUnauthenticated } from '@/lib/oauth/controls/token/unauthenticated';

/** Sends a token to the endpoint with these credentials. */
type Send = (label: string, token: string, credentials: CredentialsSource) => Promise<Exchange>;

/** Sends a token with credentials that are not those of its client. */
type Ask = (token: string) => Promise<Exchange>;

/** Reaction of an endpoint to a client's token in a request without that client's credentials. */
interface Effect {
  /** Returns whether the request takes effect on a real token. @throws CannotProbe inconclusive if none can be had */
  takesEffect(probe: Probe, client: TargetClient, ask: Ask): Promise<boolean>;
  /** The effect, in the sentence "A real token was revoked". */
  effect: string;
  /** Whether a public client is refused the tokens of other clients. */
  isForOwnTokens?: boolean;
}

const hasRefusalReason = (exchange: Exchange): boolean =>
  typeof parseResponseJson(exchange).error === 'string' || findResponseHeader(exchange, 'www-authenticate') !== null;

/** Errors about the client, not about the token that it presents. */
const CLIENT_ERRORS = new Set(['invalid_client', 'unauthorized_client', 'access_denied']);

/** Returns whether an answer is an error about the token. */
function isTokenError({ response }: Pick<Exchange, 'response'>): boolean {
  const { error } = parseResponseJson({ response });
  return response.status === 400 && typeof error === 'string' && !CLIENT_ERRORS.has(error);
}

const hasSameError = ({ response }: Pick<Exchange, 'response'>, other: Exchange): boolean =>
  response.status === other.response.status && parseResponseJson({ response }).error === parseResponseJson(other).error;

/** Returns whether an answer is a bare 403 that a wrong secret gets too: only the server can tell it from the right one. */
const isAnswerToWrongSecret = (
  { response: { status, body } }: Exchange,
  correct: Exchange | null,
  wrong: Exchange | undefined,
): boolean =>
  status === 403 && correct?.response.status === 200 && wrong?.response.status === 403 && wrong.response.body === body;

const NO_CREDENTIALS: Credentials = { fields: {}, headers: {} };
const BY_ID = 'With the client id alone';
const BY_WRONG_SECRET = 'With a wrong secret';
const BY_GET = 'By GET, without credentials';
const BY_BEARER = 'With an invented bearer token';
const BY_PUBLIC_ID = 'With the id of a public client';

/** Too short to count as a secret, which would be hidden wherever it appears. */
const INVENTED = 'not-a-token';

/**
 * Creates a control for an endpoint, other than the token endpoint, that must authenticate its callers. A refusal
 * decides. A status of 200 does not: some servers answer every request so, and change nothing. Then a real token decides.
 */
function defineAuthenticationControl({
  endpoint,
  takesEffect,
  effect,
  isForOwnTokens = false,
  ...description
}: Omit<ControlDraft, 'tries'> & Effect & { endpoint: string }): Control {
  const [source = ''] = description.source;
  return defineControl({
    ...description,
    tries: {
      'an invented token, without credentials': source,
      'an invented token, with the client id alone': source,
      'an invented token, with a wrong secret': source,
      'an invented token, by GET, without credentials': source,
      'an invented token, with an invented bearer token': source,
      ...(isForOwnTokens ? { 'an invented token, with the id of a public client': source } : {}),
    },
    async probe(probe) {
      const client = probe.listClients().find(isConfidential);
      const url = await probe.requireEndpoint(endpoint, client);
      const post: Send = async (label, token, credentials) => {
        const { fields, ...options } = await resolveCredentials(credentials);
        return probe.send(label, url, { method: 'POST', body: fill({ token, ...fields }) }, options);
      };
      const correct =
        client === undefined
          ? null
          : await post('With credentials', INVENTED, await probe.createClientCredentials(client));
      const attempts = new Map<string, CredentialsSource>([['Without credentials', NO_CREDENTIALS]]);
      if (client !== undefined) {
        attempts.set(BY_ID, identifyClient(client));
        attempts.set(BY_WRONG_SECRET, () => createWrongCredentials(client, probe.createAssertionOptions()));
      }
      // Some servers answer an invented token with an error. The right credentials work if a real token shows it.
      const isAboutToken = correct !== null && isTokenError(correct);
      const isSameAnswer = (answer: Pick<Exchange, 'response'>) => isAboutToken && hasSameError(answer, correct);
      const bad: Exchange[] = [];
      const open: string[] = [];
      for (const [label, credentials] of attempts) {
        const answer = await post(`An invented token, ${uncapitalize(label)}`, INVENTED, credentials);
        bad.push(answer);
        if (answer.response.status === 200 || isSameAnswer(answer)) open.push(label);
      }
      // A server need not know these ways at all: only an effect on a real token counts.
      const others = new Map<string, CredentialsSource>([
        [BY_GET, NO_CREDENTIALS],
        [BY_BEARER, { fields: {}, headers: { authorization: `Bearer ${probe.generateRandomText()}` } }],
      ]);
      const publicClient = probe.listClients().find(({ authentication }) => authentication.method === 'none');
      if (isForOwnTokens && client !== undefined && publicClient !== undefined)
        others.set(BY_PUBLIC_ID, identifyClient(publicClient));
      const get: Send = async (label, token, credentials) => {
        const { fields, ...options } = await resolveCredentials(credentials);
        const address = new URL(url);
        for (const [name, value] of fill({ token, ...fields })) address.searchParams.set(name, value);
        return probe.send(label, address.href, {}, options);
      };
      for (const [label, credentials] of others) {
        const send = label === BY_GET ? get : post;
        const { response } = await send(`An invented token, ${uncapitalize(label)}`, INVENTED, credentials);
        const isAnswered = response.status === 200 && !/<html/i.test(response.body);
        if (isAnswered || isSameAnswer({ response })) open.push(label);
      }
      const requireNarrow = async (labels: readonly string[]) => {
        const isByClient = labels.length > 0 && labels.every((label) => label === BY_ID || label === BY_WRONG_SECRET);
        if (client !== undefined && isByClient && (await isUnauthenticated(probe, client)))
          throw createBroaderControlError('client-authentication');
      };
      await requireNarrow(open);
      const wrong = attempts.size > 1 ? bad.at(-1) : undefined;
      const isRefused = correct !== null && correct.response.status !== 200;
      if (isRefused ? !isAboutToken : open.length === 0) return { correct, bad, wrong };
      const owner = client ?? probe.target.client;
      if (owner === null)
        throw new CannotProbe('inconclusive', 'It answers an invented token: only a real one shows what it does.');
      const effective: string[] = [];
      for (const label of open) {
        const send = label === BY_GET ? get : post;
        const credentials = attempts.get(label) ?? others.get(label) ?? NO_CREDENTIALS;
        const ask = (token: string) => send(label, token, credentials);
        if (await takesEffect(probe, owner, ask)) effective.push(label);
      }
      await requireNarrow(effective);
      const own = () => probe.createClientCredentials(owner);
      if (!isRefused && effective.length === 0 && open.every((label) => others.has(label)))
        return { correct, bad, wrong };
      const works =
        effective.length > 0 || (await takesEffect(probe, owner, (token) => post('As its own client', token, own)));
      return { correct, bad, wrong, effective, works };
    },
    rule({ correct, bad, wrong, effective, works }) {
      if (correct !== null && correct.response.status !== 200 && works !== true) {
        const wall = explainWall(correct);
        return createInconclusive(
          `A request with credentials is answered with ${correct.response.status}${wall === null ? '' : `: ${wall}`}.`,
        );
      }
      if (effective !== undefined && effective.length > 0)
        return createFailed(`A real token was ${effect}: ${effective.map(uncapitalize).join(', ')}.`);
      if (works === false) return createNotApplicable(`A real token is not ${effect} for its own client either.`);
      for (const exchange of bad) {
        if (exchange.response.status === 200) continue;
        const compared = compareTokens(readTokens(exchange));
        if (compared.kind === 'undecided' && !isAnswerToWrongSecret(exchange, correct, wrong))
          return createInconclusive(`Undecided: ${compared.why}.`);
        // If no valid request succeeds, only an OAuth error or a challenge shows that the endpoint itself refused.
        if (correct === null && !hasRefusalReason(exchange))
          return createInconclusive(`The answer is ${exchange.response.status} and names no error.`);
      }
      return createPassed(
        works === undefined || bad.every(({ response }) => response.status !== 200)
          ? 'Without credentials it was refused.'
          : `It answers without credentials, but a real token was not ${effect}.`,
      );
    },
  });
}

/** Throws for an answer that neither accepts nor refuses. @throws CannotProbe inconclusive */
function isAccepted(compared: Comparison): boolean {
  if (compared.kind === 'undecided') throw new CannotProbe('inconclusive', `Undecided: ${compared.why}.`);
  return compared.kind === 'accepted';
}

const UNRELATED = 'A token that was not revoked does not work either.';

/** Returns whether a request ends a refresh token. @throws CannotProbe inconclusive if another one does not work either */
async function isEnded(probe: Probe, client: TargetClient, token: string, ask: Ask): Promise<boolean> {
  const canRefresh = async (label: string, refreshToken: string) =>
    isAccepted(compareTokens(await probe.refresh(label, refreshToken, {}, { client })));
  await ask(token);
  if (await canRefresh('Use it after its revocation', token)) return false;
  const { refreshToken } = await probe.runCodeFlowWithRefresh({}, { client });
  if (await canRefresh('Use one that was not revoked', refreshToken)) return true;
  throw new CannotProbe('inconclusive', UNRELATED);
}

/** Returns whether a request ends an access token, which the resource takes before. @throws CannotProbe */
async function isAccessEnded(probe: Probe, client: TargetClient, ask: Ask): Promise<boolean> {
  const present = async (label: string, token: string) => compareAccess(await probe.presentToken(label, token));
  const { accessToken } = await probe.runCodeFlow({}, { client });
  if (!isAccepted(await present('Use the access token', accessToken))) return false;
  await ask(accessToken);
  if (isAccepted(await present('Use it after its revocation', accessToken))) return false;
  const { accessToken: other } = await probe.runCodeFlow({}, { client });
  if (isAccepted(await present('Use one that was not revoked', other))) return true;
  throw new CannotProbe('inconclusive', UNRELATED);
}

/** Controls for the other endpoints that authenticate clients. */
export const AUTHENTICATED_ENDPOINTS: readonly Control[] = [
  defineAuthenticationControl({
    id: 'introspection-authentication',
    title: 'Introspection takes authentication',
    wrong: 'Anyone may introspect tokens',
    severity: 'high',
    area: 'token',
    source: ['RFC 7662 2.1', 'RFC 7662 4'],
    switchable: false,
    needs: [],
    protectsFrom: 'Anyone tries out tokens, and learns what they are good for.',
    endpoint: 'introspection_endpoint',
    effect: 'described',
    isForOwnTokens: true,
    async takesEffect(probe, client, ask) {
      const { accessToken } = await probe.runCodeFlow({}, { client });
      return parseResponseJson(await ask(accessToken)).active === true;
    },
  }),
  defineAuthenticationControl({
    id: 'revocation-authentication',
    title: 'Revocation takes authentication',
    wrong: 'Anyone may revoke tokens',
    severity: 'high',
    area: 'token',
    source: ['RFC 7009 2.1'],
    switchable: false,
    needs: [],
    cost: 'ends-grant',
    protectsFrom: "Anyone who finds a token ends its owner's session.",
    endpoint: 'revocation_endpoint',
    effect: 'revoked',
    async takesEffect(probe, client, ask) {
      const refreshable = await probe.runCodeFlowWithRefresh({}, { client }).catch(ignoreUndecided);
      const refreshToken = refreshable?.refreshToken ?? null;
      if (refreshToken === null && probe.target.resource === null)
        throw new CannotProbe('inconclusive', 'There is neither a refresh token nor a resource to try a token at.');
      // Some servers revoke one kind of token only.
      if (refreshToken !== null && (await isEnded(probe, client, refreshToken, ask))) return true;
      return probe.target.resource !== null && (await isAccessEnded(probe, client, ask));
    },
  }),
];
