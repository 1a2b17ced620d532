import { capitalize } from '@/lib/capitalize';
import { explainRefusal, explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createPassed,
  requireValue,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { UNREGISTERED } from '@/lib/oauth/controls/patterns';
import { createRegistration, unregister } from '@/lib/oauth/controls/registrations';

/** A registered client, and what manages it (RFC 7592 section 3). */
interface ManagedClient {
  id: string;
  uri: string;
  token: string;
  answer: Exchange;
}

const METHODS = { GET: 'read', PUT: 'change', DELETE: 'delete' } as const;
type Method = keyof typeof METHODS;
const FAULTS = ['without a token', 'with an invented token', 'with the token of another client'] as const;
const CHANGED = `${UNREGISTERED}/changed`;

/** Control for the management of registrations (RFC 7592). */
export const REGISTRATION_MANAGEMENT: readonly Control[] = [
  defineControl({
    id: 'registration-token',
    title: 'Only its own registration token manages a client',
    wrong: 'A registration can be read, changed, replaced or deleted without its own token',
    severity: 'high',
    area: 'resource',
    source: ['RFC 7592 2', 'RFC 7592 3', 'RFC 7592 5'],
    switchable: false,
    needs: [],
    evidence: 'answer',
    protectsFrom: 'Anyone replaces the redirect URIs of a client, or removes it.',
    tries: {
      'register over a client': 'RFC 7591 3.2.1',
      ...Object.fromEntries(
        Object.values(METHODS).flatMap((verb) => FAULTS.map((fault) => [`${verb} a client ${fault}`, 'RFC 7592 2'])),
      ),
    },
    async probe(probe) {
      const client = await register(probe);
      try {
        if (await isReplaced(probe, client))
          return { taken: ['register over a client'], works: [], walls: [], left: null };
        const other = await register(probe);
        const tokens = { [FAULTS[0]]: null, [FAULTS[1]]: probe.generateRandomText(), [FAULTS[2]]: other.token };
        const seen = await tryTokens(probe, client, tokens);
        // A server may end a token that was used for another client (RFC 7592 section 2.1).
        const removed = await manage(probe, other, {
          label: 'delete the other client',
          method: 'DELETE',
          token: other.token,
        });
        return { ...seen, left: removed.response.status < 300 || removed.response.status === 405 ? null : other.id };
      } finally {
        await unregister(probe, client.answer);
      }
    },
    rule({ taken, works, walls, left }) {
      if (taken.length > 0) return createFailed(`The server let anybody ${taken.join(', ')}.`);
      const [wall] = walls;
      if (wall !== undefined) return createInconclusive(`Undecided: ${wall}.`);
      return works.length === 0
        ? createInconclusive('Its own token does not manage the client either.')
        : createPassed(
            `Only its own token could ${works.join(', ')} a client.${left === null ? '' : describeLeft(left)}`,
          );
    },
  }),
];

/** Returns whether a new registration may take the id of a client, and so replaces it. */
async function isReplaced(probe: Probe, { id }: ManagedClient): Promise<boolean> {
  const endpoint = await probe.requireEndpoint('registration_endpoint');
  const again = createRegistration([CHANGED], { client_id: id });
  const answer = await probe.send('Register over a client', endpoint, again);
  const { client_id: given, registration_access_token: token } = parseResponseJson(answer);
  if (typeof given !== 'string' || answer.response.status >= 300) return false;
  if (given !== id) await unregister(probe, answer);
  return given === id && typeof token === 'string';
}

const describeLeft = (id: string): string =>
  ` Its use for another client ended the token of ${id}, which is still registered: remove it at the server.`;

/** @throws CannotProbe not_applicable if the server registers no client for everyone, or registrations cannot be managed */
async function register(probe: Probe): Promise<ManagedClient> {
  const endpoint = await probe.requireEndpoint('registration_endpoint');
  const answer = await probe.send('Register a client', endpoint, createRegistration([UNREGISTERED]));
  const { client_id: id, registration_client_uri: uri, registration_access_token: token } = parseResponseJson(answer);
  if (typeof id !== 'string') {
    const wall = explainWall(answer);
    if (wall !== null) throw new CannotProbe('inconclusive', `Undecided: ${wall}.`);
    throw new CannotProbe('not_applicable', 'The server registers no client for everyone.');
  }
  const none = 'The server gives no token that manages a registration.';
  const isManaged = typeof uri === 'string' && URL.canParse(uri) && typeof token === 'string';
  return requireValue(isManaged ? { id, uri, token, answer } : null, none, 'not_applicable');
}

/** Tries each method with each wrong token, and then with the right one. */
async function tryTokens(probe: Probe, client: ManagedClient, tokens: Readonly<Record<string, string | null>>) {
  const seen = { taken: [] as string[], works: [] as string[], walls: [] as string[] };
  const wasKnown = await isKnown(probe, client);
  // A server may answer with success and delete nothing.
  const hasEffect = async (method: Method, answer: Exchange) =>
    isManagedBy(client, method, answer) && (method !== 'DELETE' || (wasKnown && !(await isKnown(probe, client))));
  for (const [method, verb] of Object.entries(METHODS) as [Method, string][]) {
    const walls: string[] = [];
    for (const [fault, token] of Object.entries(tokens)) {
      const attempt = { label: `${verb} a client ${fault}`, method, token };
      const answer = await manage(probe, client, attempt);
      if (await hasEffect(method, answer)) seen.taken.push(attempt.label);
      const wall = explainWall(answer);
      const isRefusing =
        answer.response.status === 500 && (await manage(probe, client, attempt)).response.status === 500;
      if (wall !== null && !isRefusing) walls.push(wall);
    }
    if (method === 'DELETE' && seen.taken.length > 0) return seen;
    const own = await manage(probe, client, {
      label: `${verb} a client with its own token`,
      method,
      token: client.token,
    });
    const { registration_access_token: next } = parseResponseJson(own);
    if (typeof next === 'string') client.token = next;
    if (!(await hasEffect(method, own))) continue;
    seen.works.push(verb);
    seen.walls.push(...walls);
  }
  return seen;
}

interface Attempt {
  label: string;
  method: Method;
  token: string | null;
}

function manage(probe: Probe, client: ManagedClient, { label, method, token }: Attempt): Promise<Exchange> {
  const { body } = createRegistration([UNREGISTERED, CHANGED]);
  const changed = { ...JSON.parse(String(body)), client_id: client.id };
  return probe.send(capitalize(label), client.uri, {
    method,
    headers: {
      accept: 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'PUT' ? { 'content-type': 'application/json' } : {}),
    },
    ...(method === 'PUT' ? { body: JSON.stringify(changed) } : {}),
  });
}

/** Returns whether an answer shows that a request managed the client. */
function isManagedBy(client: ManagedClient, method: Method, { response }: Exchange): boolean {
  if (response.status < 200 || response.status > 299) return false;
  const { client_id: id, redirect_uris: uris } = parseResponseJson({ response });
  if (method === 'DELETE') return true;
  return id === client.id && (method === 'GET' || [uris].flat().includes(CHANGED));
}

/** Returns whether the server still has the client. */
async function isKnown(probe: Probe, client: ManagedClient): Promise<boolean> {
  const read = await manage(probe, client, { label: 'is it there?', method: 'GET', token: client.token });
  if (parseResponseJson(read).client_id === client.id) return true;
  const target = { id: client.id, redirectUri: UNREGISTERED, authentication: { method: 'none' as const } };
  const outcome = await probe.authorize('Is it served?', {}, { client: target, anonymous: true });
  return explainRefusal(outcome) === null;
}
