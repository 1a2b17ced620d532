import { randomBytes } from 'node:crypto';
import { buildBasicHeader, type Credentials } from '@/lib/oauth/assessment/client-credentials';
import {
  type Comparison,
  compareAuthorizations,
  compareTokens,
  explainUnrelatedAnswer,
  explainWall,
} from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isErrorPage, isPromptPage, isSamePage, type ShownPage } from '@/lib/oauth/assessment/shown-page';
import { readSecret, type TargetClient } from '@/lib/oauth/assessment/target';
import { createFailed, createInconclusive, createNotApplicable, createPassed } from '@/lib/oauth/assessment/verdict';
import { askInWay } from '@/lib/oauth/controls/ask-in-way';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { explainNoSecret, redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

/** Error codes of a token endpoint for an unknown client (RFC 6749 section 5.2). */
const CLIENT_ERRORS = new Set(['invalid_client', 'unauthorized_client']);

/** Response types that issue an access token at the authorization endpoint, in both orders of their parts. */
const IMPLICIT_TYPES = [
  'token',
  'TOKEN',
  'id_token token',
  'token id_token',
  'code token',
  'token code',
  'code id_token token',
];

const PUSHED = 'token, pushed';
const POSTED = 'token with response_mode form_post';

/** Controls for the parameters of an authorization request (RFC 6749 sections 3.1 and 3.3). */
export const PARAMETERS: readonly Control[] = [
  defineControl({
    id: 'response-type-code',
    title: 'There is no implicit or hybrid grant',
    wrong: 'Tokens are issued at the authorization endpoint',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 2.1.2'],
    oauch: 'ImplicitFlowsSupportedTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'Access tokens appear in addresses, histories and logs.',
    tries: Object.fromEntries(
      [...IMPLICIT_TYPES, 'that the metadata lists', PUSHED, POSTED].map((type) => [
        `response_type ${type}`,
        'CVE-2026-7571, RFC 9700 2.1.2',
      ]),
    ),
    async probe(probe) {
      const { response_types_supported: listed } = await probe.fetchServerMetadata();
      const advertised = Array.isArray(listed) ? listed.map(String).filter((type) => /\btoken\b/.test(type)) : [];
      const good = await probe.requireAccepted();
      const comparisons = new Map<string, Comparison>();
      const compare = (type: string, outcome: AuthorizationOutcome) => {
        const isHarmless = outcome.kind === 'granted' && !('access_token' in outcome.parameters);
        const compared = compareAuthorizations(good, outcome);
        const how = 'no access token was issued';
        comparisons.set(`response_type ${type}`, isHarmless ? { kind: 'refused', how } : compared);
      };
      const build = (type: string) => ({ response_type: type, nonce: probe.generateRandomText(12) });
      for (const type of new Set([...IMPLICIT_TYPES, ...advertised])) {
        const ask = () => probe.authorize(`response_type ${type}`, build(type));
        compare(type, await authorizeRefusably(probe, ask));
      }
      const byForm = { ...build('token'), response_mode: 'form_post' };
      compare(POSTED, await authorizeRefusably(probe, () => probe.authorize(`response_type ${POSTED}`, byForm)));
      const pushed = await askInWay(probe, 'pushed', `response_type ${PUSHED}`, build('token'));
      if (pushed !== null) compare(PUSHED, pushed);
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'client-unknown',
    title: 'An unknown client is refused',
    wrong: 'An unknown client is served',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 6749 4.1.2.1', 'RFC 6749 5.2'],
    switchable: false,
    needs: [],
    protectsFrom: 'Anyone acts as a client, and no rule for clients applies.',
    tries: { 'an unknown client': 'RFC 6749 4.1.2.1', 'an unknown client redeems': 'RFC 6749 5.2' },
    async probe(probe) {
      const client_id = `unknown-${randomBytes(6).toString('hex')}`;
      const client = probe.chooseAnyClient();
      const anonymous = probe.target.capabilities.visit !== undefined;
      const shown = await authorizeRefusably(probe, () =>
        probe.authorize('An unknown client', { client_id }, { client, anonymous, direct: true }),
      );
      const fields = {
        grant_type: 'authorization_code',
        code: 'unknown',
        code_verifier: 'x'.repeat(43),
        redirect_uri: client.redirectUri,
      };
      const credentials = { fields: { client_id }, headers: {} };
      const token = await probe.sendTokenRequest('An unknown client redeems', fields, { client, credentials });
      const isRefusing = shown.kind === 'page' && (await isRefusal(probe, shown.page));
      const isShownAnError = shown.kind === 'error' || isRefusing || (shown.kind === 'page' && isErrorPage(shown.page));
      const isFailing = shown.exchange.failsAgain === true;
      const wall = isFailing
        ? null
        : (explainWall(shown.exchange) ?? (isRefusing ? null : explainUnrelatedAnswer(shown)));
      return { isServed: shown.kind === 'granted', isRefused: isShownAnError && wall === null, wall, token };
    },
    rule({ isServed, isRefused, wall, token }) {
      if (isServed) return createFailed('An unknown client was given a code.');
      if (token.kind === 'issued') return createFailed('A token was issued to an unknown client.');
      const compared = compareTokens(token);
      const isNamed = compared.kind === 'refused' && CLIENT_ERRORS.has(token.error ?? '');
      if (isNamed)
        return createPassed(isRefused ? 'It was refused at both endpoints.' : 'The token endpoint refused it.');
      if (isRefused) return createPassed('The authorization endpoint refused it.');
      const why =
        wall ?? (compared.kind === 'undecided' ? compared.why : `${token.error ?? token.status} may be about the code`);
      return createInconclusive(`Undecided: ${why}.`);
    },
  }),
  defineControl({
    id: 'duplicate-parameters',
    title: 'Repeated parameters are refused',
    wrong: 'Repeated parameters are accepted',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 3.1'],
    oauch: 'SameParameterTwiceDisallowedTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'Two parts of a system read different values from one request.',
    tries: {
      'client_id twice': 'RFC 6749 3.1',
      'redirect_uri twice': 'CVE-2026-9689',
      'state twice': 'RFC 6749 3.1',
      'scope twice': 'RFC 6749 3.1',
      'response_type twice': 'RFC 6749 3.1',
      'code_challenge twice': 'RFC 6749 3.1',
    },
    async probe(probe) {
      const good = await probe.requireAccepted();
      const comparisons = new Map<string, Comparison>();
      for (const name of ['client_id', 'redirect_uri', 'state', 'scope', 'response_type', 'code_challenge']) {
        const parameters = probe.buildAuthorizationParameters();
        const value = parameters.get(name);
        if (value === null) continue;
        parameters.append(name, name === 'state' ? `${value}-again` : value);
        const label = `${name} twice`;
        const outcome = await authorizeRefusably(probe, () => probe.authorizeWith(label, parameters));
        comparisons.set(label, compareAuthorizations(good, outcome));
      }
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'unknown-parameter-ignored',
    title: 'Unknown parameters are ignored',
    wrong: 'Unknown parameters are refused',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 6749 3.1'],
    oauch: 'UnrecognizedParameterAllowedTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'Clients with newer extensions cannot use the server.',
    tries: { 'an unknown parameter': 'RFC 6749 3.1' },
    async probe(probe) {
      const good = await probe.requireAccepted();
      const other = await probe.authorize('An unknown parameter', { sluice_unknown: 'anything' });
      return {
        compared: compareAuthorizations(good, other),
        samePage: good.outcome.kind === 'page' && other.kind === 'page',
      };
    },
    rule({ compared, samePage }) {
      if (compared.kind === 'accepted') return createPassed('The request was accepted.');
      if (compared.kind === 'refused') return createFailed('The request was refused.');
      return samePage
        ? createPassed('The server shows the same page with it as without.')
        : createInconclusive(`Undecided: ${compared.why}.`);
    },
  }),
  defineControl({
    id: 'client-id-mixup',
    title: 'The client_id of body and Basic must agree',
    wrong: 'A request may name two clients',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 6749 3.2.1', 'RFC 6749 2.3'],
    oauch: 'ClientIdsCorrespondTest',
    switchable: false,
    needs: ['client', 'login', 'second client', 'confidential client'],
    protectsFrom: 'One part of the server authenticates one client, another part serves a second.',
    tries: { 'two clients in one request': 'RFC 6749 3.2.1', 'two clients in one refresh': 'RFC 6749 6' },
    async probe(probe) {
      const [client, other] = [probe.requireClient(), probe.requireOtherClient()];
      const [authenticated, named] = readSecret(other) !== null ? [other, client] : [client, other];
      const secret = readSecret(authenticated);
      if (secret === null) throw await explainNoSecret(probe);
      const grant = await probe.requestCode({}, { client: named });
      const credentials = {
        fields: { client_id: named.id },
        headers: { authorization: buildBasicHeader(authenticated.id, secret) },
      };
      const mixed = await probe.redeem('Two clients in one request', grant, {}, { credentials });
      const seen = { compared: compareTokens(mixed), authenticated: authenticated.id };
      if (mixed.kind === 'refused') {
        const { tokens } = await redeemCorrectly(probe, await probe.requestRefreshableCode({}, { client: named }));
        const isRefreshed = await isRefreshedByMixup(probe, named, tokens.refreshToken, credentials);
        return { ...seen, owner: undefined, readsBasic: true, isRefreshed };
      }
      const { client_id, azp } = decodeClaims(mixed.tokens.accessToken);
      // A server that ignores the header serves the single client named in the body.
      const wrong = {
        ...credentials,
        headers: { authorization: buildBasicHeader(authenticated.id, 'not-the-secret') },
      };
      const code = await probe.requestCode({}, { client: named });
      const ignored = await probe.redeem('The same with a wrong secret', code, {}, { credentials: wrong });
      return { ...seen, owner: client_id ?? azp, readsBasic: ignored.kind === 'refused', isRefreshed: false };
    },
    rule({ compared, owner, authenticated, readsBasic, isRefreshed }) {
      if (isRefreshed)
        return createFailed('One client authenticated, and the token of another that the body named was refreshed.');
      if (compared.kind === 'undecided') return createInconclusive(`Undecided: ${compared.why}.`);
      if (compared.kind === 'refused') return createPassed('The request was refused.');
      if (owner === authenticated) return createPassed('The token belongs to the client that authenticated.');
      return readsBasic
        ? createFailed('One client authenticated, and the code of another that the body named was redeemed.')
        : createNotApplicable(
            'The server reads the client from the body alone: a wrong secret by Basic changes nothing.',
          );
    },
  }),
];

/** Returns whether a refresh token is used by the client that the body names, while another one authenticates. */
async function isRefreshedByMixup(
  probe: Probe,
  named: TargetClient,
  token: string | null,
  credentials: Credentials,
): Promise<boolean> {
  if (token === null) return false;
  const mixed = await probe.refresh('Two clients in one refresh', token, {}, { client: named, credentials });
  if (mixed.kind === 'refused') return false;
  const { client_id: owner = named.id } = decodeClaims(mixed.tokens.accessToken);
  return owner === named.id;
}

/** Returns whether a page differs from those that valid requests get, and asks for nothing. */
async function isRefusal(probe: Probe, page: ShownPage): Promise<boolean> {
  if (probe.target.client === null || isPromptPage(page)) return false;
  const { outcome, refusal } = await probe.requireAccepted();
  return refusal !== null && isSamePage(refusal, page) && !(outcome.kind === 'page' && isSamePage(outcome.page, page));
}
