import { explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { fillConsentForm } from '@/lib/oauth/assessment/fill-forms';
import type { AuthorizationOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isErrorPage, isMadeByScript, isPromptPage, readPage } from '@/lib/oauth/assessment/shown-page';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { isDeclineIgnored } from '@/lib/oauth/controls/authorization/decline-consent';
import { listConsents } from '@/lib/oauth/controls/authorization/list-consents';
import { type Control, type ControlDraft, defineControl } from '@/lib/oauth/controls/control';
import { createRegistration, unregister } from '@/lib/oauth/controls/registrations';

/**
 * Opens the login or consent page, as shown to a browser without a session.
 * @throws CannotProbe not_applicable if it redirects at once, inconclusive if there is no such page
 */
async function openAuthorizationPage(probe: Probe): Promise<Exchange> {
  const outcome = await probe.authorize('Open the authorization page', {}, { anonymous: true });
  const wall = explainWall(outcome.exchange);
  if (wall !== null) throw new CannotProbe('inconclusive', `No page was shown: ${wall}.`);
  if (outcome.kind !== 'page') throw new CannotProbe('not_applicable', 'The server shows no page: it answers at once.');
  if (isErrorPage(outcome.page))
    throw new CannotProbe('inconclusive', 'The server shows an error page for a valid request.');
  if (!isPromptPage(outcome.page) && !isMadeByScript(outcome.page))
    throw new CannotProbe('inconclusive', 'The server shows nothing that asks for a login or a consent.');
  await probe.requireOutcome(outcome);
  return outcome.exchange;
}

/** Lists the pages of consent on the way to the first code, or else the one that a request can ask for. */
function listConsentPages(probe: Probe): Promise<Exchange[]> {
  return probe.runOnce('consent pages', async () => {
    const first = await listConsents(probe);
    if (first.length > 0 || probe.target.cookie === '') return first.map(({ page }) => page);
    const asked = await probe.openPromptPage({ prompt: 'consent' }, fillConsentForm).catch(ignoreUndecided);
    return asked === null ? [] : [asked.exchange];
  });
}

/** Lists the page that asks a signed-in browser for the code of a device (RFC 8628 section 3.3), if there is one. */
function listDevicePages(probe: Probe): Promise<Exchange[]> {
  return probe.runOnce('device page', async () => {
    if (probe.target.cookie === '' || probe.target.capabilities.visit !== undefined) return [];
    const device = await probe.requireDeviceClient().then((client) => probe.requestDeviceCode(client), ignoreUndecided);
    if (device === null) return [];
    const page = await probe.openSignedIn('Open the page for devices', device.verificationUri);
    return readPage(page).forms.length > 0 ? [page] : [];
  });
}

/** Creates a control that reads a header of the page that a browser without a session gets, and of pages that ask it. */
const definePageControl = ({
  read,
  ...description
}: ControlDraft & { read: (header: (name: string) => string) => ReturnType<typeof createPassed> }): Control =>
  defineControl({
    ...description,
    async probe(probe) {
      const pages = [
        { what: '', page: await openAuthorizationPage(probe) },
        ...(await listConsentPages(probe)).map((page) => ({ what: 'The page that asks for consent: ', page })),
        ...(await listDevicePages(probe)).map((page) => ({ what: 'The page for devices: ', page })),
      ];
      return pages.map(({ what, page }) => ({ what, verdict: read((name) => findResponseHeader(page, name) ?? '') }));
    },
    rule(pages) {
      const bad = pages.find(({ verdict }) => verdict.kind === 'failed');
      if (bad !== undefined) return createFailed(`${bad.what}${bad.verdict.reason}`);
      return pages[0]?.verdict ?? createInconclusive('No page was shown.');
    },
  });

/** Returns the value of a directive in a Content-Security-Policy, or null. */
function findDirective(policy: string, name: string): string | null {
  const found = policy.split(/[;,]/).map((part) => part.trim().split(/\s+/));
  return (
    found
      .find(([given]) => given?.toLowerCase() === name)
      ?.slice(1)
      .join(' ') ?? null
  );
}

/** Sources that match every site, or every site with TLS. */
const ANYWHERE = /(?:^|\s)(?:\*|https?:)(?:\s|$)/i;

/** Returns how the server answers a browser: a page that asks, a code, or anything else. */
function classifyAnswer(outcome: AuthorizationOutcome): 'page' | 'code' | 'other' {
  if (outcome.kind === 'granted') return 'code';
  return outcome.kind === 'page' && isPromptPage(outcome.page) ? 'page' : 'other';
}

/**
 * Returns whether `prompt=none` gives a new client a code, to which nobody can have agreed. Null if the server registers
 * no client.
 */
async function isConsentSkipped(
  probe: Probe,
  ask: (label: string, fields: Fields, client: TargetClient) => Promise<'page' | 'code' | 'other'>,
): Promise<boolean | null> {
  const { registration_endpoint: endpoint } = await probe.fetchServerMetadata();
  if (typeof endpoint !== 'string') return null;
  const { redirectUri } = probe.requireClient();
  const answer = await probe.send(
    'Register a client that nobody agreed to',
    endpoint,
    createRegistration([redirectUri]),
  );
  const { client_id: id } = parseResponseJson(answer);
  if (typeof id !== 'string') return null;
  const client: TargetClient = { id, redirectUri, authentication: { method: 'none' } };
  try {
    return (await ask('prompt=none for a client that nobody agreed to', { prompt: 'none' }, client)) === 'code';
  } finally {
    await unregister(probe, answer);
  }
}

/** Controls for the pages shown to a browser (RFC 9700 sections 4.2 and 4.16). */
export const PAGES: readonly Control[] = [
  defineControl({
    id: 'user-consent',
    title: 'A browser gets no code before its user is asked',
    wrong: 'A browser gets a code without consent of its user',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 10.2'],
    oauch: 'RequireUserConsentTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'A page that the user merely visits silently obtains access.',
    tries: {
      'a browser without a session': 'RFC 6749 10.2',
      'a signed-in browser': 'CVE-2023-34246, CVE-2026-27124, RFC 8252 8.6',
      'a signed-in browser with prompt=consent': 'OpenID Connect Core 3.1.2.1',
      'a signed-in browser with prompt=none': 'OpenID Connect Core 3.1.2.1',
      'prompt=none for a client that nobody agreed to': 'OpenID Connect Core 3.1.2.1',
      decline: 'RFC 6749 4.1.2.1',
    },
    async probe(probe) {
      const outcome = await probe.authorize('A browser without a session', {}, { anonymous: true });
      const wall = explainWall(outcome.exchange);
      if (wall !== null || outcome.kind !== 'page' || isErrorPage(outcome.page))
        return { outcome, wall, signedIn: null };
      if (isPromptPage(outcome.page)) await probe.requireOutcome(outcome);
      if (probe.target.cookie === '') return { outcome, wall, signedIn: null };
      if (await isDeclineIgnored(probe)) return { outcome, wall, signedIn: 'declined' as const };
      const ask = async (label: string, fields: Fields, client = probe.requireClient()) =>
        classifyAnswer(await probe.authorize(label, fields, { client, withoutAgreeing: true }));
      const asked = await probe.authorize('A signed-in browser', {}, { withoutAgreeing: true });
      const silent = classifyAnswer(asked);
      if (silent === 'page') {
        await probe.requireOutcome(asked);
        const none = await ask('A signed-in browser with prompt=none', { prompt: 'none' });
        const skipped = none === 'code' ? await isConsentSkipped(probe, ask) : false;
        return { outcome, wall, signedIn: { silent, skipped } };
      }
      if (silent === 'code' && (await listConsents(probe)).length > 0)
        return { outcome, wall, signedIn: { silent, again: 'first' } };
      const again =
        silent === 'code' ? await ask('A signed-in browser with prompt=consent', { prompt: 'consent' }) : null;
      const isOpenId = probe.target.scope.split(' ').includes('openid');
      return { outcome, wall, signedIn: { silent, again, isOpenId } };
    },
    rule({ outcome, wall, signedIn }) {
      if (wall !== null) return createInconclusive(`Undecided: ${wall}.`);
      if (outcome.kind === 'granted') return createFailed('A code was issued without asking.');
      if (outcome.kind === 'error')
        return createInconclusive(`The request was refused: ${outcome.error ?? 'an error'}.`);
      if (isErrorPage(outcome.page)) return createInconclusive('The server shows an error page.');
      if (signedIn === 'declined') return createFailed('A person declined, and the server gave a code.');
      if (signedIn?.silent === 'page') {
        if (signedIn.skipped) return createFailed('prompt=none gives a code to a client that nobody agreed to.');
        return signedIn.skipped === null
          ? createInconclusive('prompt=none gives a code: an earlier agreement explains it, or nobody need agree.')
          : createPassed('A page asked the user, signed in or not.');
      }
      if (!isPromptPage(outcome.page))
        return createInconclusive('The server shows a page whose form is made by a script.');
      if (fillConsentForm(outcome.page) !== null) return createPassed('A page asked the user to agree.');
      if (signedIn === null)
        return createInconclusive(
          'A page asked for a login; whether a signed-in browser is asked, only its session shows.',
        );
      if (signedIn.again === 'first')
        return createPassed('A page asked the user to agree before the first code; the server remembers the answer.');
      if (signedIn.again === 'page')
        return createPassed(
          'A page asked the user; signed in and with an earlier agreement, it asks again on request.',
        );
      if (signedIn.again === 'code' && signedIn.isOpenId)
        return createFailed('A signed-in browser gets a code in silence, even if prompt=consent demands to ask.');
      return createInconclusive(
        signedIn.silent === 'code'
          ? 'A signed-in browser gets a code in silence: an earlier agreement explains it, or the server never asks.'
          : 'A page asked for a login; a signed-in browser got no clear answer.',
      );
    },
  }),
  definePageControl({
    id: 'frame-protection',
    title: 'The authorization page cannot be framed',
    wrong: 'The authorization page can be framed',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9700 4.16'],
    tries: { 'frame-ancestors or X-Frame-Options': 'RFC 9700 4.16' },
    oauch: 'HasFrameOptionsTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'The user is tricked into clicking a button hidden under another page (clickjacking).',
    read(header) {
      const ancestors = findDirective(header('content-security-policy'), 'frame-ancestors');
      // Browsers ignore X-Frame-Options if frame-ancestors is present.
      if (ancestors !== null) {
        return ANYWHERE.test(ancestors)
          ? createFailed(`frame-ancestors is ${ancestors}: any site may frame the page.`)
          : createPassed(`frame-ancestors is ${ancestors || "'none'"}.`);
      }
      return /^(deny|sameorigin)/i.test(header('x-frame-options'))
        ? createPassed(`X-Frame-Options is ${header('x-frame-options')}.`)
        : createFailed('Neither frame-ancestors nor X-Frame-Options was seen.');
    },
  }),
  definePageControl({
    id: 'content-security-policy',
    title: 'The page has a Content-Security-Policy',
    wrong: 'The page has no Content-Security-Policy, or one that allows any script',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 9700 4.16'],
    tries: { 'Content-Security-Policy': 'RFC 9700 4.16' },
    oauch: 'HasContentSecurityPolicyTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'An injected script reads passwords and codes.',
    read(header) {
      const policy = header('content-security-policy');
      if (policy === '') return createFailed('The page has no Content-Security-Policy.');
      const scripts = findDirective(policy, 'script-src') ?? findDirective(policy, 'default-src');
      if (scripts === null)
        return createPassed('The page has a Content-Security-Policy; it says nothing about scripts.');
      const inline = /'unsafe-inline'/i.test(scripts) && !/'nonce-|'sha(256|384|512)-|'strict-dynamic'/i.test(scripts);
      return inline || ANYWHERE.test(scripts)
        ? createFailed(`The Content-Security-Policy allows any script: ${scripts}.`)
        : createPassed('The Content-Security-Policy restricts scripts.');
    },
  }),
  definePageControl({
    id: 'referrer-policy',
    title: 'Codes do not leak through the Referer header',
    wrong: 'The address of the page leaks through the Referer header',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 9700 4.2.4'],
    tries: { 'Referrer-Policy': 'RFC 9700 4.2.4' },
    oauch: 'ReferrerPolicyEnforcedTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'Third parties on the page learn the parameters of the request.',
    read(header) {
      const policy = header('referrer-policy').split(',').at(-1)?.trim() ?? '';
      if (policy === '') return createFailed('No Referrer-Policy was seen.');
      const strict = /^(no-referrer|same-origin|strict-origin|strict-origin-when-cross-origin|origin)$/i;
      return strict.test(policy)
        ? createPassed(`Referrer-Policy is ${policy}.`)
        : createFailed('The Referrer-Policy exposes the address.');
    },
  }),
];
