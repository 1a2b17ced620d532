import { SignJWT } from 'jose';
import { type Comparison, explainWall } from '@/lib/oauth/assessment/comparison';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isQuestion, isSamePage, readPage } from '@/lib/oauth/assessment/shown-page';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createPassed,
  createVerdict,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import {
  chooseRegistered,
  findValidLogout,
  isSentTo,
  listClientNamings,
  requestHint,
  requireValidLogout,
  sendLogout,
} from '@/lib/oauth/controls/authorization/logout-requests';
import { LOOK_ALIKES, listLookAlikes } from '@/lib/oauth/controls/authorization/look-alike-addresses';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { UNREGISTERED } from '@/lib/oauth/controls/patterns';
import { generateUntrustedKey } from '@/lib/oauth/controls/resource/forged-tokens';
import { putTogether, takeApart } from '@/lib/oauth/controls/token-parts';
import { SPELLINGS_OF_NONE } from '@/lib/oauth/token/forgeries';

/** Addresses without a scheme, which browsers complete. */
const INCOMPLETE = {
  'an address without a scheme': '//unregistered.example/landing',
  'a slash and a backslash': '/\\unregistered.example/landing',
} as const;

/** Judges where a faulty request took the browser. */
function compareLogout(exchange: Exchange, address: string, registered: string | null = null): Comparison {
  if (isSentTo(exchange, address, registered)) return { kind: 'accepted' };
  const why = explainWall(exchange);
  return why === null ? { kind: 'refused', how: `status ${exchange.response.status}` } : { kind: 'undecided', why };
}

/** Sends logout requests to addresses that are not registered, until one is followed. */
async function tryAddresses(probe: Probe): Promise<Map<string, Comparison>> {
  const registered = chooseRegistered(probe);
  const { href } = new URL(registered);
  const comparisons = new Map<string, Comparison>();
  const isFollowed = async (label: string, fields: Fields, address = UNREGISTERED): Promise<boolean> => {
    const { exchange } = await sendLogout(probe, `Log out with ${label}`, fields, address);
    const compared = compareLogout(exchange, address, href);
    comparisons.set(label, compared);
    return compared.kind === 'accepted';
  };
  const post_logout_redirect_uri = UNREGISTERED;
  const claims = {
    iss: probe.target.issuer,
    sub: 'nobody',
    aud: 'no-such-client',
    iat: probe.now(),
    exp: probe.now() + 60,
  };
  const unknown: Record<string, Fields> = {
    'no client': { post_logout_redirect_uri },
    'an unknown client': { client_id: 'no-such-client', post_logout_redirect_uri },
    'an unsigned ID token of an unknown client': {
      id_token_hint: putTogether({ alg: 'none' }, claims, ''),
      post_logout_redirect_uri,
    },
  };
  for (const [label, fields] of Object.entries(unknown)) if (await isFollowed(label, fields)) return comparisons;
  const ways = await listClientNamings(probe);
  for (const [way, fields] of ways)
    if (await isFollowed(`an unregistered address with ${way}`, { ...fields, post_logout_redirect_uri }))
      return comparisons;
  const fields = (await findValidLogout(probe))?.fields ?? ways[0]?.[1] ?? {};
  for (const name of ['redirect_uri', 'target_url'])
    if (await isFollowed(`the parameter ${name}`, { ...fields, [name]: UNREGISTERED })) return comparisons;
  for (const [label, address] of Object.entries({ ...INCOMPLETE, ...listLookAlikes(registered) }))
    await isFollowed(label, { ...fields, post_logout_redirect_uri: address }, address);
  return comparisons;
}

/** Creates ID tokens that the server must not take for its own, by their fault. */
async function createFalseHints(probe: Probe, hint: string): Promise<Record<string, string[]>> {
  const { header, claims, signature } = takeApart(hint);
  const { alg, privateKey } = await generateUntrustedKey(header.alg);
  const { forge } = probe.target.capabilities;
  const sign = (changes: object) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, alg }).sign(privateKey);
  const iss = 'https://unregistered.example';
  return {
    'a changed payload under the old signature': [putTogether(header, { ...claims, sub: 'another-user' }, signature)],
    'an ID token with alg none': SPELLINGS_OF_NONE.map((each) => putTogether({ ...header, alg: each }, claims, '')),
    'an ID token of another key': [await sign({})],
    'an ID token of another issuer': [
      forge === undefined ? await sign({ iss }) : await forge({ ...claims, iss }, { typ: header.typ }),
    ],
  };
}

/** Compares logouts with false hints, which lead to the registered address if they are believed. @throws CannotProbe */
async function compareHints(probe: Probe): Promise<Map<string, Comparison>> {
  const hint = await requestHint(probe);
  if (hint === null) throw new CannotProbe('inconclusive', 'An ID token is needed.');
  const registered = chooseRegistered(probe);
  const send = (label: string, fields: Fields) =>
    sendLogout(probe, label, { ...fields, post_logout_redirect_uri: registered }, registered);
  if ((await requireValidLogout(probe)).way !== 'an ID token')
    throw new CannotProbe('not_applicable', 'An ID token alone does not lead back to the client.');
  if (isSentTo((await send('Log out without an ID token', {})).exchange, registered))
    throw new CannotProbe('not_applicable', 'The address alone leads back to the client.');
  const comparisons = new Map<string, Comparison>();
  for (const [label, tokens] of Object.entries(await createFalseHints(probe, hint))) {
    for (const token of tokens) {
      const { exchange } = await send(`Log out with ${label}`, { id_token_hint: token });
      const compared = compareLogout(exchange, registered);
      if (compared.kind === 'accepted' || comparisons.get(label)?.kind !== 'undecided')
        comparisons.set(label, compared);
      if (compared.kind === 'accepted') break;
    }
  }
  const { otherClient: client, client: own } = probe.target;
  const other = client === null ? null : await probe.runCodeFlow({}, { client }).catch(ignoreUndecided);
  if (own === null || other === null || other.idToken === null) return comparisons;
  const label = 'an ID token of another client';
  const answer = await send(`Log out with ${label}`, { id_token_hint: other.idToken, client_id: own.id });
  const compared = compareLogout(answer.exchange, registered);
  // A page that asks may follow from the client id alone.
  if (compared.kind !== 'accepted' || !answer.isAsked) comparisons.set(label, compared);
  return comparisons;
}

/**
 * Logs out a signed-in browser without an ID token, and looks whether its session lives. A server that does not ask ends
 * the session. @throws CannotProbe inconclusive if there is no session
 */
async function logOutSignedIn(probe: Probe, endpoint: string) {
  const before = probe.target.cookie === '' ? null : await probe.authorize('Is the browser signed in?');
  if (before?.kind !== 'granted')
    throw new CannotProbe('inconclusive', 'Only a signed-in browser shows whether it is asked.');
  const answer = await probe.openSignedIn('Log out a signed-in browser', endpoint);
  const after = await probe.authorize('Is the browser still signed in?');
  if (after.kind === 'granted') return { answer, isAlive: true };
  const signedOut = await probe.authorize('What a browser without a session gets', {}, { anonymous: true });
  const isEnded = after.kind === 'page' && signedOut.kind === 'page' && isSamePage(after.page, signedOut.page);
  if (isEnded && explainWall(after.exchange) === null) return { answer, isAlive: false };
  throw new CannotProbe(
    'inconclusive',
    'The browser got no code afterwards, for another reason than a missing session.',
  );
}

/** Controls for the logout endpoint (OpenID Connect RP-Initiated Logout 1.0). */
export const LOGOUT: readonly Control[] = [
  defineControl({
    id: 'logout-confirmation',
    title: 'A logout without an ID token asks first',
    wrong: 'Any page can sign the user out',
    severity: 'low',
    area: 'authorization',
    source: ['OpenID Connect RP-Initiated Logout 2', 'OpenID Connect RP-Initiated Logout 6'],
    switchable: false,
    needs: ['login'],
    cost: 'ends-grant',
    evidence: 'answer',
    protectsFrom: 'A page that the user visits signs them out, again and again.',
    tries: {
      'a browser without a session': 'OpenID Connect RP-Initiated Logout 2',
      'a signed-in browser': 'OpenID Connect RP-Initiated Logout 6',
    },
    async probe(probe) {
      const endpoint = await probe.requireEndpoint('end_session_endpoint');
      // The controls that follow need an ID token. None is issued once the session has ended.
      if (probe.target.client !== null) await requestHint(probe);
      const signedOut = await probe.send('Log out a browser without a session', endpoint, {
        headers: { accept: 'text/html' },
      });
      const why = explainWall(signedOut);
      if (why !== null) throw new CannotProbe('inconclusive', `Undecided: ${why}.`);
      return isQuestion(signedOut.response) ? null : logOutSignedIn(probe, endpoint);
    },
    rule(seen) {
      if (seen === null) return createPassed('A page asks, signed in or not.');
      const { answer, isAlive } = seen;
      const why = explainWall(answer);
      if (why !== null) return createInconclusive(`Undecided: ${why}.`);
      const { status } = answer.response;
      if (isAlive && status > 400) return createInconclusive(`The answer is ${status}.`);
      if (isAlive && !isQuestion(answer.response) && readPage(answer).hasScript)
        return createInconclusive('The page runs a script; only a browser shows what follows.');
      return createVerdict(
        isAlive,
        isQuestion(answer.response)
          ? 'A page asks a signed-in browser.'
          : 'The session of a signed-in browser did not end.',
        'The session of a signed-in browser ended without a question.',
      );
    },
  }),
  defineControl({
    id: 'logout-redirect-uri',
    title: 'After a logout the browser goes to registered addresses only',
    wrong: 'After a logout the browser goes to unregistered addresses',
    severity: 'high',
    area: 'authorization',
    source: ['OpenID Connect RP-Initiated Logout 3', 'RFC 9700 4.11.2'],
    switchable: true,
    needs: ['client', 'post-logout redirect URI'],
    cost: 'ends-grant',
    evidence: 'answer',
    protectsFrom: 'The logout becomes an open redirector that lends the name of the server to phishing.',
    tries: {
      'no client': 'GluuFederation/oxAuth#927, GHSA-36f2-fcrx-fp4j',
      'an unknown client': 'OpenID Connect RP-Initiated Logout 3',
      'an unsigned ID token of an unknown client': 'openemr/openemr#12711',
      'an unregistered address with an ID token': 'idenplane/idenplane#359',
      'an unregistered address with the client id': 'OpenID Connect RP-Initiated Logout 3',
      'the parameter redirect_uri': 'OpenID Connect RP-Initiated Logout 3',
      'the parameter target_url': 'gravitee-io/issues#8535',
      'an address without a scheme': 'OpenIDC/mod_auth_openidc#449',
      'a slash and a backslash': 'OpenIDC/mod_auth_openidc#453',
      ...LOOK_ALIKES,
    },
    async probe(probe) {
      await probe.requireEndpoint('end_session_endpoint');
      const verdict = judgeRefusals(await tryAddresses(probe));
      if (verdict.kind === 'passed') await requireValidLogout(probe);
      return verdict;
    },
    rule: (verdict) => verdict,
  }),
  defineControl({
    id: 'logout-hint',
    title: 'Logout accepts only ID tokens of the server',
    wrong: 'Logout accepts ID tokens that the server did not issue to the client',
    severity: 'medium',
    area: 'authorization',
    source: ['OpenID Connect RP-Initiated Logout 2', 'OpenID Connect RP-Initiated Logout 4'],
    switchable: true,
    needs: ['client', 'login', 'post-logout redirect URI'],
    cost: 'ends-grant',
    evidence: 'token',
    protectsFrom: 'Anyone writes an ID token that signs a user out without a question.',
    tries: {
      'a changed payload under the old signature': 'openemr/openemr#12711',
      'an ID token with alg none': 'openemr/openemr#12711',
      'an ID token of another key': 'OpenID Connect RP-Initiated Logout 4',
      'an ID token of another issuer': 'OpenID Connect RP-Initiated Logout 2',
      'an ID token of another client': 'OpenID Connect RP-Initiated Logout 2',
    },
    async probe(probe) {
      await probe.requireEndpoint('end_session_endpoint');
      return compareHints(probe);
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'logout-state',
    title: 'The state of a logout comes back',
    wrong: 'The state of a logout is lost or changed',
    severity: 'low',
    area: 'authorization',
    source: ['OpenID Connect RP-Initiated Logout 2', 'OpenID Connect RP-Initiated Logout 3'],
    switchable: false,
    needs: ['client', 'post-logout redirect URI'],
    cost: 'ends-grant',
    evidence: 'answer',
    protectsFrom: 'The client cannot tell its own logout from one that another page began.',
    tries: { 'a state with signs that need encoding': 'leodip/goiabada#109' },
    async probe(probe) {
      await probe.requireEndpoint('end_session_endpoint');
      return requireValidLogout(probe);
    },
    rule: ({ sent, returned }) =>
      returned === null
        ? createFailed('The state did not come back.')
        : createVerdict(returned === sent, 'The state came back whole.', 'The state came back changed.'),
  }),
];
