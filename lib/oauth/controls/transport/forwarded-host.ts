import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { findRedirect } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { listMetadataAddresses } from '@/lib/oauth/assessment/server-metadata';
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
  for (const address of listMetadataAddresses(probe.target.issuer)) {
    const metadata = parseResponseJson(await probe.send(`${name}: read the metadata`, address, { headers }));
    if (typeof metadata.issuer !== 'string') continue;
    return Object.values(metadata).some(isForeign) ? ['the metadata'] : [];
  }
  throw new CannotProbe('inconclusive', 'The server publishes no metadata.');
};

const listOnTheWay: List = async (probe, headers, name) => {
  const outcome = await probe.authorize(`${name}: ask for a code`, {}, { anonymous: true, headers });
  const addresses = [
    findRedirect(outcome.exchange),
    ...(outcome.kind === 'page' ? readPage(outcome.exchange).forms.map(({ action }) => action) : []),
    ...(outcome.kind === 'granted' ? [outcome.parameters.iss] : []),
  ];
  if (addresses.some(isForeign)) return ['the way to a code'];
  await probe.requireOutcome(outcome);
  return [];
};

const listInTokens: List = async (probe, headers, name) => {
  const grant = await probe.requestCode();
  const outcome = await probe.redeem(`${name}: redeem a code`, grant, {}, { headers });
  if (outcome.kind === 'refused') throw new CannotProbe('inconclusive', 'The code was not redeemed.');
  const { accessToken, idToken } = outcome.tokens;
  return [accessToken, idToken ?? ''].some((token) => isForeign(decodeClaims(token).iss))
    ? ['the issuer of tokens']
    : [];
};

const isForeign = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).hostname === HOST;
