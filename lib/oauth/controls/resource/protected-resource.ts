import { capitalize } from '@/lib/capitalize';
import { type Comparison, compareAccess, explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { describeResource, isMetadataFor } from '@/lib/oauth/assessment/protected-resource';
import { listMetadataAddresses } from '@/lib/oauth/assessment/server-metadata';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createLesserFailure,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
  requireValue,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { UNREGISTERED } from '@/lib/oauth/controls/patterns';
import { createRegistration, unregister } from '@/lib/oauth/controls/registrations';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

/** Maximum number of authorization servers that are checked for one resource. */
const MOST_SERVERS = 5;

/** Returns the resource identifier for token requests. @throws CannotProbe not_applicable if there is none */
async function requireResourceIdentifier(probe: Probe): Promise<string> {
  const { url, metadata } = await describeResource(probe);
  const { resource } = probe.target.parameters;
  if (resource !== undefined) return resource;
  if (isMetadataFor(metadata?.resource, url)) return metadata.resource;
  throw new CannotProbe('not_applicable', 'The resource publishes no identifier for which tokens could be asked.');
}

const readAudience = (token: string): string[] => [decodeClaims(token).aud ?? []].flat();

const PLAIN = 'an http: URI of another machine';

const SCRIPT = 'javascript:alert(1)//sluice';

const BY_CHANGE = 'a javascript: URI by changing a client';

/** Redirect URIs that no server may register (RFC 7591 section 5, RFC 6749 section 3.1.2). */
const DANGEROUS: Readonly<Record<string, string>> = {
  'a javascript: URI': SCRIPT,
  'a data: URI': 'data:text/html,sluice',
  'a URI with a fragment': 'https://unregistered.example/landing#fragment',
  'a javascript: URI in capitals': 'JAVASCRIPT:alert(1)//sluice',
  'a javascript: URI behind a space': ` ${SCRIPT}`,
  [PLAIN]: 'http://unregistered.example/landing',
};

/** Controls for protected resources, such as MCP servers, and for their authorization servers. */
export const PROTECTED_RESOURCE: readonly Control[] = [
  defineControl({
    id: 'protected-resource-metadata',
    title: 'A 401 leads to true metadata',
    wrong: 'The metadata of the resource is missing or false',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 9728 3', 'RFC 9728 5.1', 'MCP Authorization'],
    switchable: false,
    needs: ['resource'],
    protectsFrom: 'Clients ask a false authorization server, or send tokens to a false resource.',
    tries: {
      'read the metadata of the resource': 'RFC 9728 3',
      'does the authorization server answer?': 'RFC 9728 3.3',
    },
    async probe(probe) {
      const description = await describeResource(probe);
      const silent: string[] = [];
      for (const server of description.servers.slice(0, MOST_SERVERS)) {
        if (!(await isIssuerConfirmed(probe, server))) silent.push(server);
      }
      return { ...description, silent, isWanted: probe.target.isFoundByResource };
    },
    rule({ url, status, named, metadata, servers, silent, isWanted }) {
      if (named === null && metadata === null) {
        return isWanted
          ? createFailed('The resource publishes no metadata: a client cannot find its authorization server.')
          : createNotApplicable('The resource publishes no metadata.');
      }
      if (metadata === null) return createFailed('The challenge names metadata that is not there.');
      if (!isMetadataFor(metadata.resource, url))
        return createFailed(`The metadata is about ${String(metadata.resource)}.`);
      if (servers.length === 0) return createFailed('The metadata names no authorization server.');
      if (silent.length > 0)
        return createFailed(`An authorization server that it names does not answer as itself: ${silent.join(', ')}.`);
      if (status !== 401)
        return (isWanted ? createFailed : createInconclusive)(
          `Without a token the resource answers ${status}, not 401.`,
        );
      return createPassed('The metadata is true.');
    },
  }),
  defineControl({
    id: 'resource-audience',
    title: 'A token is for the resource that it was asked for',
    evidence: 'token',
    wrong: 'The resource that a client asks for does not become the audience',
    severity: 'high',
    area: 'resource',
    source: ['RFC 8707 2', 'MCP Authorization'],
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'A resource that gets a token uses it at all others.',
    tries: { 'redeem the code': 'CVE-2025-69196' },
    async probe(probe) {
      const resource = await requireResourceIdentifier(probe);
      const { accessToken } = await probe.runCodeFlow({ resource });
      const audience = readAudience(accessToken);
      if (audience.length === 0)
        throw new CannotProbe('inconclusive', 'The token names no audience, or cannot be read.');
      if (audience.includes(resource)) return { resource, audience, usual: null };
      const { accessToken: other } = await probe.runCodeFlow({ resource: null });
      return { resource, audience, usual: readAudience(other) };
    },
    rule({ resource, audience, usual }) {
      const said = `The audience is ${audience.join(', ')}`;
      if (usual === null) return createPassed(`${said}.`);
      // A server may use another name for a resource (RFC 8707 section 2).
      return usual.join() === audience.join()
        ? createFailed(`${said}, whether ${resource} is asked for or not.`)
        : createPassed(`${said}, which stands for ${resource}: without it, it is ${usual.join(', ') || 'missing'}.`);
    },
  }),
  defineControl({
    id: 'token-passthrough',
    title: 'A resource takes no token that was made for another',
    wrong: 'A resource takes tokens that were made for another',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 9068 4', 'MCP Authorization'],
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'A token of one service opens this one, or is passed on to the services behind it.',
    tries: {
      'an ID token': 'MCP Authorization',
      'a token for no resource in particular': 'CVE-2025-69196',
      'a token for https://another-resource.example/': 'RFC 9068 4',
    },
    async probe(probe) {
      if (!probe.target.isFoundByResource) {
        throw new CannotProbe('not_applicable', 'Only judged by the URL of a resource: see validate-audience.');
      }
      const { accessToken } = await probe.requireWorkingToken();
      const own = new Set(readAudience(accessToken));
      const comparisons = new Map<string, Comparison>();
      for await (const [label, token] of requestForeignTokens(probe)) {
        if (readAudience(token).some((audience) => own.has(audience))) continue;
        const seen = compareAccess(await probe.presentToken(`Present ${label}`, token));
        const isOpaque = !('aud' in decodeClaims(token));
        comparisons.set(
          label,
          isOpaque && seen.kind === 'accepted'
            ? { kind: 'undecided', why: 'it was accepted, and what it is for cannot be read' }
            : seen,
        );
      }
      if (comparisons.size === 0)
        throw new CannotProbe('inconclusive', 'The server issues no token that is not for this resource.');
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'registration-redirect-uris',
    title: 'Nobody can register a dangerous redirect URI',
    wrong: 'Anyone can register a client with a dangerous redirect URI',
    severity: 'high',
    area: 'resource',
    source: ['RFC 7591 5', 'RFC 6749 3.1.2', 'MCP Authorization'],
    switchable: false,
    needs: [],
    protectsFrom: 'An attacker registers a client that runs a script on the page of the server, or receives codes.',
    tries: {
      'a javascript: URI': 'CVE-2023-6134',
      'a data: URI': 'CVE-2023-6134',
      'a URI with a fragment': 'RFC 6749 3.1.2',
      'a javascript: URI in capitals': 'CVE-2023-6134',
      'a javascript: URI behind a space': 'CVE-2023-6134',
      'an http: URI of another machine': 'RFC 9700 2.6',
      'a javascript: URI behind a sound one': 'RFC 7591 5',
      [BY_CHANGE]: 'RFC 7592 2.2',
    },
    async probe(probe) {
      const endpoint = await probe.requireEndpoint('registration_endpoint');
      const register = async (label: string, ...uris: string[]) => {
        const answer = await probe.send(label, endpoint, createRegistration(uris));
        await unregister(probe, answer);
        return answer;
      };
      const answers = new Map<string, Exchange>();
      for (const [label, uri] of Object.entries(DANGEROUS))
        answers.set(label, await register(`Ask to register ${label}`, uri));
      if (![...answers.values()].some(isRegistered)) {
        const label = 'a javascript: URI behind a sound one';
        const answer = await register(`Ask to register ${label}`, UNREGISTERED, SCRIPT);
        // A server may leave it out, and register the other.
        const { redirect_uris: kept = [SCRIPT] } = parseResponseJson(answer);
        if (!isRegistered(answer) || [kept].flat().includes(SCRIPT)) answers.set(label, answer);
        const changed = await changeToScript(probe, endpoint);
        if (changed !== null) answers.set(BY_CHANGE, changed);
      }
      // Another error may be about anything, unless the same registration with a sound address succeeds.
      const all = [...answers.values()];
      const isDecided =
        all.every(isRedirectUriRefused) ||
        all.some((answer) => isRegistered(answer) || isClosed(answer) || explainWall(answer) !== null);
      return { answers, sound: isDecided ? null : await register('Ask to register a sound address', UNREGISTERED) };
    },
    rule({ answers, sound }) {
      const registered = [...answers].filter(([, answer]) => isRegistered(answer)).map(([label]) => label);
      if (registered.join() === PLAIN)
        return createLesserFailure(
          'medium',
          `A client was registered with ${PLAIN}, to which codes travel in the clear (RFC 9700 section 2.6).`,
        );
      if (registered.length > 0)
        return createFailed(
          `A client was registered with ${registered.join(', ')}: remove it where the server did not.`,
        );
      for (const [label, answer] of answers) {
        const wall = explainWall(answer);
        if (wall !== null) return createInconclusive(`Undecided for ${label}: ${wall}.`);
      }
      const all = [...answers.values()];
      if (all.every(isClosed)) return createPassed('Registration takes a token.');
      const other = [...answers].find(([, answer]) => !isRedirectUriRefused(answer));
      if (other === undefined) return createPassed('Each was refused for its redirect URI.');
      return sound !== null && isRegistered(sound)
        ? createPassed('Each was refused; the same registration with a sound redirect URI was not.')
        : createInconclusive(`Refused, but not for its redirect URI: ${other[0]}.`);
    },
  }),
];

/** Registers a sound client, and changes its redirect URI to a script (RFC 7592 section 2.2). Null if that is refused. */
async function changeToScript(probe: Probe, endpoint: string): Promise<Exchange | null> {
  const sound = await probe.send('Register a sound client', endpoint, createRegistration([UNREGISTERED]));
  const registered = parseResponseJson(sound);
  const { client_id, client_secret, registration_client_uri: uri, registration_access_token: token } = registered;
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) {
    await unregister(probe, sound);
    return null;
  }
  const { headers, body } = createRegistration([SCRIPT], { client_id, client_secret });
  const changed = await probe.send(capitalize(BY_CHANGE), uri, {
    ...{ method: 'PUT', body },
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  const { registration_access_token: next = token, redirect_uris: kept } = parseResponseJson(changed);
  const response = { ...sound.response, body: JSON.stringify({ ...registered, registration_access_token: next }) };
  await unregister(probe, { ...sound, response });
  return changed.response.status < 300 && [kept].flat().includes(SCRIPT) ? changed : null;
}

/** Returns whether the endpoint itself asks for a token: an OAuth error or a challenge says so. */
const isClosed = (answer: Exchange): boolean =>
  (answer.response.status === 401 || answer.response.status === 403) &&
  (typeof parseResponseJson(answer).error === 'string' || findResponseHeader(answer, 'www-authenticate') !== null);

/** Returns whether a registration was refused for its redirect URI, by its code or in words (RFC 7591 section 3.2.2). */
function isRedirectUriRefused(answer: Exchange): boolean {
  const { error, error_description: said } = parseResponseJson(answer);
  return error === 'invalid_redirect_uri' || (typeof error === 'string' && /redirect/i.test(String(said ?? '')));
}

async function isIssuerConfirmed(probe: Probe, server: string): Promise<boolean> {
  if (!URL.canParse(server)) return false;
  for (const address of listMetadataAddresses(server)) {
    const answer = await probe.send('Does the authorization server answer?', address);
    if (parseResponseJson(answer).issuer === server) return true;
  }
  return false;
}

/** Requests tokens for other purposes: without a resource, for other resources that the server names, to log in. */
async function* requestForeignTokens(probe: Probe): AsyncGenerator<[label: string, token: string]> {
  const { idToken } = await probe.requireWorkingToken();
  if (idToken !== null) yield ['an ID token', idToken];
  const ask = async function* (label: string, resource: string | null): AsyncGenerator<[string, string]> {
    const issued = await probe.runCodeFlow({ resource }).catch(ignoreUndecided);
    if (issued !== null) yield [label, issued.accessToken];
  };
  yield* ask('a token for no resource in particular', null);
  const own = requireValue(probe.target.resource, 'No protected resource is known.').url;
  const { protected_resources: named } = await probe.fetchServerMetadata();
  const others = Array.isArray(named) ? named.map(String).filter((resource) => !isMetadataFor(resource, own)) : [];
  for (const other of ['https://another-resource.example/', ...others].slice(0, 3)) {
    yield* ask(`a token for ${other}`, other);
  }
}

const isRegistered = (answer: Exchange): boolean => typeof parseResponseJson(answer).client_id === 'string';
