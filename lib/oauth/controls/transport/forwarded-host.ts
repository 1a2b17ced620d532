import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { findRedirect } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  explainNoMetadata,
  findSameOriginRedirect,
  listMetadataAddresses,
  MOST_REDIRECTS,
} from '@/lib/oauth/assessment/server-metadata';
import { readPage } from '@/lib/oauth/assessment/shown-page';
import { CannotProbe, createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

const HOST = 'unregistered.example';

/** Headers by which a proxy names the host that a client asked for (RFC 7239), each with another host. */
const HEADERS: Readonly<Record<string, Record<string, string>>> = {
  'X-Forwarded-Host': { 'x-forwarded-host': HOST },
  Forwarded: { forwarded: `host=${HOST}` },
};

/** Control for servers that learn their own address from a request. */
export const FORWARDED_HOST: readonly Control[] = [
  defineControl({
    id: 'forwarded-host',
    title: 'A request does not choose the issuer and the addresses of the server',
    wrong: 'A header of a request chooses the issuer or the addresses of the server',
    severity: 'medium',
    area: 'transport',
    source: ['RFC 7239 8.1', 'RFC 8414 6.2'],
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A shared cache keeps metadata of an attacker, or a token names an issuer that an attacker chose.',
    tries: Object.fromEntries(
      Object.keys(HEADERS).flatMap((name) => [
        [`${name}: read the metadata`, 'RFC 8414 6.2'],
        [`${name}: ask for a code`, 'RFC 7239 8.1'],
        [`${name}: redeem a code`, 'RFC 7239 8.1'],
      ]),
    ),
    async probe(probe) {
      const found: string[] = [];
      const walls: string[] = [];
      for (const [name, headers] of Object.entries(HEADERS)) {
        for (const list of [listInMetadata, listOnTheWay, listInTokens]) {
          try {
            found.push(...(await list(probe, headers, name)).map((place) => `${place} by ${name}`));
          } catch (error) {
            if (!(error instanceof CannotProbe)) throw error;
            walls.push(error.message);
          }
        }
      }
      return { found, wall: walls[0] ?? null };
    },
    rule({ found, wall }) {
      if (found.length > 0) return createFailed(`The server takes a host from the request: ${found.join(', ')}.`);
      return wall === null
        ? createPassed('No answer names the host of X-Forwarded-Host or Forwarded.')
        : createInconclusive(wall);
    },
  }),
];

/** Lists the places of an answer that name the foreign host. @throws CannotProbe if the server does not answer */
type List = (probe: Probe, headers: Record<string, string>, name: string) => Promise<string[]>;

const listInMetadata: List = async (probe, headers, name) => {
  const { issuer } = await probe.fetchServerMetadata();
  if (issuer === undefined || probe.target.issuer === '') return [];
  let isSeen = false;
  let problem: string | null = null;
  for (const address of listMetadataAddresses(probe.target.issuer)) {
    const read = (label: string, sent: Record<string, string>) => readMetadata(probe, label, address, sent);
    const { exchange, isForeign } = await read(`${name}: read the metadata`, headers);
    if (isForeign) return ['the metadata'];
    const why = explainNoMetadata(exchange);
    if (why === null) isSeen = true;
    else if (explainNoMetadata((await read('The same without the header', {})).exchange) === null) {
      isSeen = true;
      if (!isRefusal(exchange)) problem = `With ${name} ${new URL(address).pathname} ${why}.`;
    }
  }
  if (isSeen && problem === null) return [];
  throw new CannotProbe('inconclusive', problem ?? 'The server publishes no metadata.');
};

/**
 * Reads metadata past every cache, and without leaving an answer in one that others read. Redirects within the origin
 * are followed.
 */
async function readMetadata(probe: Probe, label: string, address: string, headers: Record<string, string>) {
  const addQuery = (url: string) => {
    const fresh = new URL(url);
    fresh.searchParams.set('sluice', probe.generateRandomText(12));
    return fresh.href;
  };
  let url = addQuery(address);
  for (let hops = 0; ; hops += 1) {
    const exchange: Exchange = await probe.send(label, url, { headers });
    if ([findRedirect(exchange), parseResponseJson(exchange)].some(hasForeign)) return { exchange, isForeign: true };
    const next = findSameOriginRedirect(exchange, url);
    if (next === null || hops === MOST_REDIRECTS) return { exchange, isForeign: false };
    // A server may remove the query by a redirect.
    url = new URL(next).pathname === new URL(url).pathname ? next : addQuery(next);
  }
}

const listOnTheWay: List = async (probe, headers, name) => {
  const outcome = await probe.authorize(`${name}: ask for a code`, {}, { anonymous: true, headers });
  const addresses = [
    findRedirect(outcome.exchange),
    ...(outcome.kind === 'page' ? readPage(outcome.exchange).forms.map(({ action }) => action) : []),
    ...(outcome.kind === 'granted' ? [outcome.parameters.iss] : []),
  ];
  if (hasForeign(addresses)) return ['the way to a code'];
  if (isRefusal(outcome.exchange)) await probe.requireAccepted({ anonymous: true });
  else await probe.requireOutcome(outcome);
  return [];
};

const listInTokens: List = async (probe, headers, name) => {
  const grant = await probe.requestCode();
  const outcome = await probe.redeem(`${name}: redeem a code`, grant, {}, { headers });
  if (outcome.kind === 'refused') {
    if (!isRefusal(outcome.exchange)) throw new CannotProbe('inconclusive', 'The code was not redeemed.');
    await probe.runCodeFlow();
    return [];
  }
  const { accessToken, idToken } = outcome.tokens;
  return hasForeign([accessToken, idToken ?? ''].map((token) => decodeClaims(token).iss))
    ? ['the issuer of tokens']
    : [];
};

/** Returns whether an answer refuses a request. That is safe if the server serves the request without the header. */
const isRefusal = ({ response: { status } }: Exchange): boolean => status >= 400 && status < 500 && status !== 429;

/** Returns whether a value, or a part of it, is an address at the foreign host. */
function hasForeign(value: unknown): boolean {
  // Metadata may be nested more deeply than the stack allows.
  const open = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'object' && one !== null) for (const part of Object.values(one)) open.push(part);
    if (typeof one === 'string' && URL.canParse(one) && new URL(one).hostname === HOST) return true;
  }
  return false;
}
