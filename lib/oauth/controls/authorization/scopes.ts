import {
  type AcceptedRequest,
  type Comparison,
  compareAuthorizations,
  compareTokens,
} from '@/lib/oauth/assessment/comparison';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential } from '@/lib/oauth/assessment/target';
import {
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { askInWay } from '@/lib/oauth/controls/ask-in-way';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { hasServerScopes } from '@/lib/oauth/controls/has-server-scopes';
import { redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';
import { readScope } from '@/lib/oauth/controls/token-parts';
import { UNREGISTERED_SCOPE } from '@/lib/oauth/controls/unregistered-scope';

/** Controls for the scope of an authorization request (RFC 6749 section 3.3). */
export const SCOPES: readonly Control[] = [
  defineControl({
    id: 'scope-limits',
    title: "No scope beyond the client's registration",
    wrong: 'A client gets scopes that it is not registered for',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 6749 3.3'],
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'A client gains rights that it was never meant to have.',
    tries: {
      'an invented scope': 'RFC 6749 3.3',
      'a scope that the metadata lists': 'RFC 6749 3.3',
      'a scope that begins with a known one': 'RFC 6749 3.3',
      'an invented scope when redeeming': 'RFC 6749 3.3',
      'an invented scope of client credentials': 'RFC 6749 4.4.2',
      'an invented scope by POST': 'RFC 6749 3.1',
      'an invented scope, pushed': 'RFC 9126 2.1',
      'an invented scope of a device': 'RFC 8628 3.1',
    },
    async probe(probe) {
      const good = await probe.requireAccepted();
      const seen = new Map<string, Comparison | Granted>();
      for (const scope of [UNREGISTERED_SCOPE, ...listContinuedScopes(probe), ...(await listForeignScopes(probe))])
        seen.set(scope, await askForScope(probe, good, scope));
      const later = await listScopesOfTokenRequests(probe);
      const isNamed = [...seen.values()].some((found) => found.kind === 'granted' && found.scope !== null);
      return { seen, later, hasScopes: isNamed || (await hasServerScopes(probe)) };
    },
    rule({ seen, later, hasScopes }) {
      if (later.length > 0) return createFailed(`An invented scope was granted: ${later.join(', ')}.`);
      const granted = [...seen].filter(([scope, found]) => isGranted(scope, found)).map(([scope]) => scope);
      const isSilent = [...seen.values()].some((found) => found.kind === 'granted' && found.scope === null);
      if (granted.length > 0 && !hasScopes)
        return createNotApplicable(
          'The server has no scopes: neither its metadata nor its responses and tokens name one.',
        );
      const wrong = granted.filter((scope) => isInvented(scope) || PRIVILEGED.test(scope));
      if (wrong.length > 0) {
        const why = isSilent ? ', for the response names no scope, which means all of it (RFC 6749 5.1)' : '';
        return createFailed(`A scope was granted: ${wrong.join(', ')}${why}.`);
      }
      if (granted.length > 0)
        return createInconclusive(
          `The server granted ${granted.join(', ')}, which its metadata lists: add to the scope what the client is registered for.`,
        );
      for (const found of seen.values())
        if (found.kind === 'undecided') return createInconclusive(`Undecided: ${found.why}.`);
      const names = [...seen.keys()].map((scope) => (scope === UNREGISTERED_SCOPE ? 'an invented scope' : scope));
      return createPassed(`The server refused or narrowed: ${names.join(', ')}.`);
    },
  }),
];

/** The scope that a code gave, or null if neither response nor token names one. */
interface Granted {
  kind: 'granted';
  scope: string | null;
}

/** Scopes of OpenID Connect that a user may grant to any client. */
const OF_USERS = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access']);
/** Words of scopes that no ordinary client is registered for. */
const PRIVILEGED = /admin|root|super|sudo|system|internal|manage|owner|impersonat|\*/i;
/** Number of foreign scopes that are tried. */
const MOST_SCOPES = 5;

/** What makes a known scope another one, which no server has. */
const CONTINUATION = '-sluice';
const isInvented = (scope: string): boolean => scope === UNREGISTERED_SCOPE || scope.endsWith(CONTINUATION);

/** Lists a scope that begins with the last one of the target, for servers that compare beginnings. */
function listContinuedScopes({ target }: Probe): string[] {
  const last = target.scope.split(' ').at(-1) ?? '';
  return last === '' ? [] : [last + CONTINUATION];
}

/** Describes a scope that is asked for. */
function describeScope(name: string): string {
  if (name === UNREGISTERED_SCOPE) return 'An invented scope';
  return isInvented(name) ? 'A scope that begins with a known one' : `A scope that the metadata lists: ${name}`;
}

/** Lists scopes of the metadata that the target's scope does not name, the most dangerous first. */
async function listForeignScopes(probe: Probe): Promise<string[]> {
  const { scopes_supported: listed } = await probe.fetchServerMetadata();
  const own = new Set([...probe.target.scope.split(' '), probe.target.resource?.scope]);
  const foreign = Array.isArray(listed)
    ? listed.map(String).filter((name) => !own.has(name) && !OF_USERS.has(name))
    : [];
  const isDangerous = (name: string) => Number(PRIVILEGED.test(name));
  return foreign.sort((a, b) => isDangerous(b) - isDangerous(a)).slice(0, MOST_SCOPES);
}

/** Asks for one more scope than the client has, and redeems the code. */
async function askForScope(probe: Probe, good: AcceptedRequest, name: string): Promise<Comparison | Granted> {
  const label = describeScope(name);
  const fields = { scope: `${probe.target.scope} ${name}`.trim() };
  const outcome = await authorizeRefusably(probe, () => probe.authorize(label, fields));
  if (outcome.kind !== 'granted') return compareAuthorizations(good, outcome);
  const { code = '' } = outcome.parameters;
  const grant = { code, verifier: outcome.verifier, lifetime: null, client: probe.requireClient() };
  const redeemed = await probe.redeem('Redeem the code for it', grant);
  if (redeemed.kind === 'issued')
    return { kind: 'granted', scope: redeemed.tokens.scope ?? readScope(redeemed.tokens.accessToken) };
  await redeemCorrectly(probe, await probe.requestCode());
  return compareTokens(redeemed);
}

/**
 * Asks for an invented scope in token requests, and lists those that got it. Only a response or a token that names the
 * scope shows it, because servers may ignore the parameter.
 */
async function listScopesOfTokenRequests(probe: Probe): Promise<string[]> {
  const scope = `${probe.target.scope} ${UNREGISTERED_SCOPE}`.trim();
  const redeemed = await probe.redeem('An invented scope when redeeming', await probe.requestCode(), { scope });
  const client = probe.listClients().find(isConfidential);
  const label = 'An invented scope of client credentials';
  const fields = { grant_type: 'client_credentials', scope: UNREGISTERED_SCOPE };
  const own = client === undefined ? null : await probe.sendTokenRequest(label, fields, { client });
  const isNamed = (outcome: TokenOutcome | null | undefined) =>
    outcome?.kind === 'issued' &&
    (outcome.tokens.scope ?? readScope(outcome.tokens.accessToken))?.split(' ').includes(UNREGISTERED_SCOPE) === true;
  const asked = {
    'when redeeming': redeemed,
    'with client credentials': own,
    'by POST': await redeemScopeOfWay(probe, 'byPost', 'an invented scope by POST', scope),
    pushed: await redeemScopeOfWay(probe, 'pushed', 'an invented scope, pushed', scope),
    'of a device': await redeemScopeOfDevice(probe, scope).catch(ignoreUndecided),
  };
  return Object.entries(asked).flatMap(([where, outcome]) => (isNamed(outcome) ? [where] : []));
}

/** Asks for a scope by POST, or pushed, and redeems the code. Null if there is none. */
async function redeemScopeOfWay(probe: Probe, way: 'byPost' | 'pushed', label: string, scope: string) {
  const outcome = await askInWay(probe, way, label, { scope });
  const code = outcome?.kind === 'granted' ? outcome.parameters.code : undefined;
  if (outcome?.kind !== 'granted' || code === undefined) return null;
  const grant = { code, verifier: outcome.verifier, lifetime: null, client: probe.requireClient() };
  return probe.redeem('Redeem the code for it', grant);
}

/** Asks for a scope as a device, and for its tokens after a person agreed. @throws CannotProbe */
async function redeemScopeOfDevice(probe: Probe, scope: string) {
  const client = await probe.requireDeviceClient();
  const device = await probe.requestDeviceCode(client, { label: 'An invented scope of a device', scope });
  await probe.approveDevice(device);
  return probe.pollDevice('Poll after a person agreed', device);
}

/** Returns whether a scope was granted. A response without a scope grants what was asked for. */
const isGranted = (name: string, found: Comparison | Granted): boolean =>
  found.kind === 'granted' && (found.scope === null || found.scope.split(' ').includes(name));
