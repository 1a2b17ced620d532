import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { capitalize } from '@/lib/capitalize';
import { explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { type AuthorizationOutcome, findRedirect } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isMadeByScript, isSamePage, readPage } from '@/lib/oauth/assessment/shown-page';
import { createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';

/** Name of the element, and of the attribute, that a page must not get from a request. */
const MARK = 'sluice-mark';
/** Leaves an attribute in either quotes, a title and a script, and then opens an element. */
const MARKUP = `x" ${MARK}="' ${MARK}='></title></script><${MARK}>`;
const SCRIPT = `javascript:${MARK}()`;
/** Attributes whose address a browser opens or runs. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction']);
const IN_ERROR = { response_type: 'nothing_known' };
const POSTED = { response_mode: 'form_post', state: MARKUP };

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
    tries: Object.fromEntries(
      Object.keys(REQUESTS).map((label) => [
        label,
        label.includes('script') ? 'CVE-2023-6134, RFC 6749 10.14' : 'RFC 6749 10.14',
      ]),
    ),
    protectsFrom: 'A link runs a script on the page of the server, where the person is signed in.',
    async probe(probe) {
      const { outcome: good } = await probe.requireAccepted({ anonymous: true });
      const sessions = probe.target.cookie === '' ? [true] : [true, false];
      const answers: { label: string; exchange: Exchange }[] = [];
      let isRead = false;
      for (const [label, fields] of Object.entries(REQUESTS)) {
        for (const anonymous of sessions) {
          const outcome = await ask(probe, label, fields, anonymous);
          answers.push({ label, exchange: outcome.exchange });
          isRead ||= good.kind !== 'page' || outcome.kind !== 'page' || !isSamePage(good.page, outcome.page);
        }
      }
      return { answers, isRead };
    },
    rule({ answers, isRead }) {
      const reflected = answers.filter(({ exchange }) => isReflected(exchange)).map(({ label }) => label);
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

/** Returns whether a browser finds an element, an attribute or an address of the request in a page. */
function isReflected(exchange: Exchange): boolean {
  const type = findResponseHeader(exchange, 'content-type');
  // Browsers do not show the page of a redirect.
  if (findRedirect(exchange) !== null) return false;
  if (type !== null && !/html|xml/i.test(type)) return false;
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
