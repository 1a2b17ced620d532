import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { capitalize } from '@/lib/capitalize';
import { identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { type AuthorizationOutcome, findRedirect } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isMadeByScript, isSamePage, readPage } from '@/lib/oauth/assessment/shown-page';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { createFailed, createInconclusive, createPassed, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { createRegistration, unregister } from '@/lib/oauth/controls/registrations';

/** Name of the element, and of the attribute, that a page must not get from a request. */
const MARK = 'sluice-mark';
/** Leaves an attribute in either quotes, a title and a script, and then opens an element. */
const MARKUP = `x" ${MARK}="' ${MARK}='></title></script><${MARK}>`;
const SCRIPT = `javascript:${MARK}()`;
/** Attributes whose address a browser opens or runs. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction']);
const IN_ERROR = { response_type: 'nothing_known' };
const POSTED = { response_mode: 'form_post', state: MARKUP };

interface Answer {
  label: string;
  exchange: Exchange;
}

/** What a request carries, by its label. */
const REQUESTS: Readonly<Record<string, Fields>> = {
  'markup as client_id': { client_id: MARKUP },
  'markup as redirect_uri': { redirect_uri: `https://unregistered.example/${MARKUP}` },
  'a script as redirect_uri': { redirect_uri: SCRIPT },
  'markup as response_type': { response_type: MARKUP },
  'markup as scope': { scope: MARKUP },
  'markup as state': { state: MARKUP },
  'markup as state of an error': { state: MARKUP, ...IN_ERROR },
  'markup as prompt': { prompt: MARKUP },
  'markup as code_challenge_method': { code_challenge_method: MARKUP },
  'markup as login_hint': { login_hint: MARKUP },
  'markup as error_description': { error: MARKUP, error_description: MARKUP },
  'markup as code_challenge': { code_challenge: MARKUP },
  'markup as resource': { resource: `https://unregistered.example/${MARKUP}` },
  'markup as response_mode': { response_mode: MARKUP },
  'markup as display': { display: MARKUP },
  'markup as request_uri': { request_uri: MARKUP },
  'markup as other hints': { nonce: MARKUP, ui_locales: MARKUP, acr_values: MARKUP, sluice_unknown: MARKUP },
  'markup as a posted state': POSTED,
  'markup as a posted state of an error': { ...POSTED, ...IN_ERROR },
  'markup as a posted state with prompt=none': { ...POSTED, prompt: 'none' },
};

/** Control for pages that repeat parts of a request (RFC 6749 section 10.14). */
export const REFLECTED_MARKUP: readonly Control[] = [
  defineControl({
    id: 'markup-escaped',
    title: 'Pages show what a request carries as text',
    wrong: 'A page repeats what a request carries as markup',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 6749 10.14'],
    switchable: false,
    needs: ['client'],
    tries: {
      ...Object.fromEntries(
        Object.keys(REQUESTS).map((label) => [
          label,
          label.includes('script') ? 'CVE-2023-6134, RFC 6749 10.14' : 'RFC 6749 10.14',
        ]),
      ),
      'markup as the name of a registered client': 'RFC 7591 5',
      'markup as user_code': 'RFC 8628 3.3.1',
      'markup in a logout': 'OpenID Connect RP-Initiated Logout 3',
      'markup in a token request': 'RFC 6749 10.14',
    },
    protectsFrom: 'A link runs a script on the page of the server, where the person is signed in.',
    async probe(probe) {
      const { outcome: good } = await probe.requireAccepted({ anonymous: true });
      const sessions = probe.target.cookie === '' ? [true] : [true, false];
      const answers: Answer[] = [];
      let isRead = false;
      for (const [label, fields] of Object.entries(REQUESTS)) {
        for (const anonymous of sessions) {
          const outcome = await ask(probe, label, fields, anonymous);
          answers.push({ label, exchange: outcome.exchange });
          isRead ||= good.kind !== 'page' || outcome.kind !== 'page' || !isSamePage(good.page, outcome.page);
        }
      }
      const others: Answer[] = [];
      for (const list of [askAsRegistered, openDevicePages, openLogout, askForTokens])
        others.push(...((await list(probe).catch(ignoreUndecided)) ?? []));
      return { answers, others, isRead };
    },
    rule({ answers, others, isRead }) {
      const reflected = [...answers, ...others]
        .filter(({ exchange }) => isReflected(exchange))
        .map(({ label }) => label);
      if (reflected.length > 0)
        return createFailed(`A page has the markup of the request: ${[...new Set(reflected)].join(', ')}.`);
      for (const { label, exchange } of answers) {
        // A server may answer nonsense with a fault, whose page was read, too.
        const wall = exchange.response.status === 500 ? null : explainWall(exchange);
        if (wall !== null) return createInconclusive(`Undecided for ${label}: ${wall}.`);
      }
      if (!isRead) return createInconclusive('The server reads a request only after a login.');
      const shown = answers.filter(({ exchange }) => findRedirect(exchange) === null);
      return shown.length > 0 && shown.every(({ exchange }) => isMadeByScript(readPage(exchange)))
        ? createInconclusive('Scripts make all pages, so what they show is not known.')
        : createPassed('No page has the markup of a request.');
    },
  }),
];

/** Sends a request as a link, or as the client itself sends it: pushed, if the server requires that. */
const ask = (probe: Probe, label: string, fields: Fields, anonymous: boolean): Promise<AuthorizationOutcome> =>
  probe.authorize(capitalize(label), fields, {
    anonymous,
    direct: anonymous,
    withoutAgreeing: true,
  });

/** Registers a client whose name and addresses are markup, and opens the page that asks for consent to it. */
async function askAsRegistered(probe: Probe): Promise<Answer[]> {
  const endpoint = await probe.requireEndpoint('registration_endpoint');
  const { redirectUri } = probe.requireClient();
  const register = (fields: object) =>
    probe.send('Register a client whose name is markup', endpoint, createRegistration([redirectUri], fields));
  const isRegistered = (answer: Exchange) => typeof parseResponseJson(answer).client_id === 'string';
  const first = await register({ client_name: MARKUP, client_uri: SCRIPT, policy_uri: SCRIPT, tos_uri: SCRIPT });
  const answer = isRegistered(first) ? first : await register({ client_name: MARKUP });
  if (!isRegistered(answer)) return [];
  const client: TargetClient = {
    ...{ id: String(parseResponseJson(answer).client_id), redirectUri },
    authentication: { method: 'none' },
  };
  const label = 'markup as the name of a registered client';
  try {
    const options = { client, withoutAgreeing: true, anonymous: probe.target.cookie === '' };
    return [{ label, exchange: (await probe.authorize(capitalize(label), {}, options)).exchange }];
  } finally {
    await unregister(probe, answer);
  }
}

/** Opens the page for devices with a user code that is markup. */
async function openDevicePages(probe: Probe): Promise<Answer[]> {
  if (probe.target.cookie === '' || probe.target.capabilities.directAuthorization === true) return [];
  const device = await probe.requestDeviceCode(await probe.requireDeviceClient());
  const url = new URL(device.completeUri ?? device.verificationUri);
  const names = [...url.searchParams].flatMap(([name, value]) => (value === device.userCode ? [name] : []));
  url.searchParams.set(names[0] ?? 'user_code', MARKUP);
  const label = 'markup as user_code';
  return [{ label, exchange: await probe.openSignedIn(capitalize(label), url.href) }];
}

/** Opens the logout page with parameters that are markup, as a browser without a session. */
async function openLogout(probe: Probe): Promise<Answer[]> {
  const url = new URL(await probe.requireEndpoint('end_session_endpoint'));
  for (const name of ['state', 'post_logout_redirect_uri', 'client_id', 'id_token_hint', 'logout_hint'])
    url.searchParams.set(name, MARKUP);
  const label = 'markup in a logout';
  return [{ label, exchange: await probe.send(capitalize(label), url.href, { headers: { accept: 'text/html' } }) }];
}

/**
 * Sends a token request that is markup. A form of another site can send it, without the client's secret, and the browser
 * shows the answer.
 */
async function askForTokens(probe: Probe): Promise<Answer[]> {
  const label = 'markup in a token request';
  const fields = { grant_type: MARKUP, code: MARKUP, redirect_uri: MARKUP, scope: MARKUP };
  const credentials = identifyClient(probe.requireClient());
  const options = { credentials, withoutProof: true, headers: { accept: 'text/html' } };
  const { exchange } = await probe.sendTokenRequest(capitalize(label), fields, options);
  return [{ label, exchange }];
}

/** Returns whether a browser finds an element, an attribute or an address of the request in a page. */
function isReflected(exchange: Exchange): boolean {
  const type = findResponseHeader(exchange, 'content-type');
  // Browsers do not show the page of a redirect.
  if (findRedirect(exchange) !== null) return false;
  // Without a type, browsers show a body as a page only if it begins like one.
  if (type === null ? !/^\s*</.test(exchange.response.body) : !/html|xml/i.test(type)) return false;
  const open: DefaultTreeAdapterTypes.Node[] = [parse(exchange.response.body)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('tagName' in node) {
      const isMarked = node.attrs.some(
        ({ name, value }) => name === MARK || (ADDRESSES.has(name) && value.trim().toLowerCase().startsWith(SCRIPT)),
      );
      if (node.tagName === MARK || isMarked) return true;
    }
    if ('content' in node) open.push(node.content);
    if ('childNodes' in node) open.push(...node.childNodes);
  }
  return false;
}
