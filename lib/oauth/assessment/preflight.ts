import { compareTokens, explainRefusal, explainWall } from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { describeResource } from '@/lib/oauth/assessment/protected-resource';
import { isSamePage, type ShownPage } from '@/lib/oauth/assessment/shown-page';
import { isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Sample, Wall, WallWatch } from '@/lib/oauth/assessment/wall';
import type { Need } from '@/lib/oauth/controls/control';

/** One result of the set-up check: OK, wrong, or not present (null). */
export interface PreflightCheck {
  what:
    | 'server'
    | 'metadata'
    | 'registration'
    | 'client'
    | 'session'
    | 'credentials'
    | 'second client'
    | 'native client'
    | 'resource';
  ok: boolean | null;
  text: string;
}

/** Result of the set-up check. */
export interface SetUp {
  checks: PreflightCheck[];
  /** Wrong inputs with the reason. Controls that need them are undecided, and are not probed. */
  wrong: ReadonlyMap<Need, string>;
}

type Look = Omit<PreflightCheck, 'what'> & {
  /** True if the server itself refused, as opposed to a fault, a firewall or a page. */
  isRefused?: boolean;
};

/** Checks the set-up before any control is judged. Faults leave controls undecided, never passed. */
export async function runPreflight(probe: Probe): Promise<SetUp> {
  const { target } = probe;
  const checks: PreflightCheck[] = [];
  const wrong = new Map<Need, string>();
  /** @returns whether the server refused */
  const check = async (what: PreflightCheck['what'], look: () => Promise<Look>): Promise<boolean> => {
    try {
      const { isRefused = false, ...seen } = await look();
      checks.push({ what, ...seen });
      return isRefused;
    } catch (error) {
      checks.push({ what, ok: false, text: error instanceof CannotProbe ? error.message : 'It could not be checked.' });
      return false;
    }
  };
  const isWrong = (need: Need, what: string) => wrong.set(need, `The ${what} is wrong: see the set-up check.`);
  await check('metadata', () => lookAtMetadata(probe));
  await findAssertionAudience(probe).catch(() => undefined);
  await findEmptySecret(probe).catch(() => undefined);
  const refusedSecrets = new Set<TargetClient>();
  const lookAtSecret = async (what: 'credentials' | 'second client', client: TargetClient) => {
    const isRefused = await check(what, () => lookAtCredentials(probe, client));
    if (isRefused) refusedSecrets.add(client);
    return isRefused;
  };
  if (target.client === null) {
    checks.push({ what: 'client', ok: null, text: 'No client was given: only what needs none is judged.' });
  } else {
    const isRefused = await check('client', () => lookAtClient(probe, probe.requireClient()));
    let givesCodes = false;
    await check('session', async () => {
      await probe.getReservedCode();
      givesCodes = true;
      return { ok: true, text: 'The server gives codes.' };
    });
    const isUnknown = await lookAtSecret('credentials', target.client);
    const isPublic = !isConfidential(target.client);
    if (!givesCodes && (isRefused || (isUnknown && isPublic))) isWrong('client', 'client id, redirect URI or scope');
  }
  const { otherClient, nativeClient } = target;
  if (otherClient !== null && (await lookAtSecret('second client', otherClient)))
    isWrong('second client', 'second client');
  if (nativeClient !== null && (await check('native client', () => lookAtClient(probe, nativeClient))))
    isWrong('native client', 'native client');
  const confidential = probe.listClients().filter(isConfidential);
  if (confidential.some((client) => refusedSecrets.has(client))) isWrong('confidential client', 'secret of a client');
  if (target.resource !== null) await check('resource', () => lookAtResource(probe));
  return { checks, wrong };
}

/** Checks whether anything in front of the server or the resource answers all requests alike. */
export async function lookForWalls(probe: Probe, watch: WallWatch): Promise<Wall[]> {
  const client = probe.chooseAnyClient();
  const { resource } = probe.target;
  const endpoints = await Promise.all(
    ['authorization_endpoint', 'token_endpoint'].map((name) => probe.requireEndpoint(name).catch(() => null)),
  );
  const buildSamples = (authorization: string, token: string): Sample[] => {
    const sign = authorization.includes('?') ? '&' : '?';
    const url = `${authorization}${sign}${probe.buildAuthorizationParameters({}, client)}`;
    const invented = { grant_type: 'authorization_code', code: probe.generateRandomText(), client_id: client.id };
    const init = { method: 'POST', body: new URLSearchParams(invented) };
    return [
      { label: 'What the authorization endpoint answers', url },
      { label: 'What the token endpoint answers', url: token, init },
    ];
  };
  const [authorization, token] = endpoints;
  const walls = [
    authorization && token ? await watch.lookAtServer(probe, buildSamples(authorization, token)) : null,
    resource === null
      ? null
      : await watch.lookAtResource(probe, { label: 'The resource without a token', url: resource.url }),
  ];
  return walls.filter((wall) => wall !== null);
}

/** Finds the audience for client assertions. Some servers accept only their token endpoint. */
async function findAssertionAudience(probe: Probe): Promise<void> {
  const client = probe.listClients().find(({ authentication }) => authentication.method === 'private_key_jwt');
  if (client === undefined) return;
  const isRefused = async () => {
    const outcome = await probe.redeem('Whom are client assertions for?', inventGrant(probe, client));
    return outcome.kind === 'refused' && outcome.error === 'invalid_client';
  };
  if (!(await isRefused())) return;
  probe.demands.assertionAudience = await probe.requireEndpoint('token_endpoint');
  if (await isRefused()) probe.demands.assertionAudience = null;
}

/**
 * Finds whether a public client must send an empty secret: without it, the server refuses the client before it checks
 * the invented code.
 */
async function findEmptySecret(probe: Probe): Promise<void> {
  const client = probe.listClients().find((candidate) => !isConfidential(candidate));
  if (client === undefined) return;
  const isKnown = async (label: string) => {
    const outcome = await probe.redeem(label, inventGrant(probe, client));
    return outcome.kind === 'issued' || outcome.error === 'invalid_grant';
  };
  if (await isKnown('Redeem an invented code')) return;
  probe.demands.emptySecret = true;
  probe.demands.emptySecret = await isKnown('Redeem an invented code with an empty secret');
}

const inventGrant = (probe: Probe, client: TargetClient) => ({
  code: probe.generateRandomText(),
  verifier: probe.generateRandomText(),
  lifetime: null,
  client,
});

async function lookAtMetadata(probe: Probe): Promise<Look> {
  const { issuer } = await probe.fetchServerMetadata();
  const { issuer: enteredIssuer } = probe.target;
  if (issuer === undefined) return { ok: null, text: 'None is read: the endpoints were given by hand.' };
  return issuer === enteredIssuer
    ? { ok: true, text: `Published, and the issuer is ${enteredIssuer}.` }
    : { ok: false, text: `Published, for the issuer ${String(issuer)}, not ${enteredIssuer}.` };
}

async function lookAtResource(probe: Probe): Promise<Look> {
  const { status, metadata, servers } = await describeResource(probe);
  if (status !== 401 && status !== 403) {
    return { ok: false, text: `Without a token it answers ${status}, not 401: is the address right?` };
  }
  const answered = `Without a token it answers ${status}`;
  if (!probe.target.isFoundByResource) return { ok: true, text: `${answered}.` };
  if (metadata === null) return { ok: false, text: `${answered}, but it publishes no metadata (RFC 9728).` };
  return servers.length === 0
    ? { ok: false, text: `${answered}, but its metadata names no authorization server.` }
    : { ok: true, text: `${answered}; its metadata names ${servers.join(', ')}.` };
}

/** Errors of a valid authorization request that are unrelated to the client. */
const NOT_OF_THE_CLIENT = new Set(['server_error', 'temporarily_unavailable', 'access_denied', 'consent_required']);

/** Sends a valid request. It is pushed if the server requires that without saying so in its metadata. */
async function askWithoutSession(probe: Probe, client: TargetClient): Promise<AuthorizationOutcome> {
  const ask = () => probe.authorize('A valid request, without a session', {}, { client, anonymous: true });
  const isExpectedOutcome = (outcome: AuthorizationOutcome) =>
    /^(login|interaction)_required$|^$/.test(explainRefusal(outcome) ?? '');
  const first = await ask();
  const outcome = isExpectedOutcome(first) ? first : ((await askForLess(probe, ask, isExpectedOutcome)) ?? first);
  const { pushed_authorization_request_endpoint: offered } = await probe.fetchServerMetadata();
  if (isExpectedOutcome(outcome) || offered === undefined || (await probe.isPushRequired())) return outcome;
  probe.demands.pushes = true;
  const pushed = await ask();
  probe.demands.pushes = isExpectedOutcome(pushed);
  return probe.demands.pushes ? pushed : outcome;
}

/**
 * Asks for offline access as the server wants it (OpenID Connect Core section 11), or else for none. Each visit of a
 * person would have to agree again.
 * @returns null if the server refuses that, too
 */
async function askForLess(
  probe: Probe,
  ask: () => Promise<AuthorizationOutcome>,
  isValid: (outcome: AuthorizationOutcome) => boolean,
): Promise<AuthorizationOutcome | null> {
  const isFound = Object.keys(probe.demands.fields).length > 0;
  if (isFound || !probe.target.scope.split(' ').includes('offline_access')) return null;
  const less = { scope: probe.omitFromScope('offline_access') };
  for (const fields of probe.target.cookie === '' ? [less] : [{ prompt: 'consent' }, less]) {
    probe.demands.fields = fields;
    const outcome = await ask();
    if (isValid(outcome)) return outcome;
  }
  probe.demands.fields = {};
  return null;
}

async function lookAtClient(probe: Probe, client: TargetClient): Promise<Look> {
  const outcome = await askWithoutSession(probe, client);
  const why = explainRefusal(outcome);
  if (why === null || why === 'login_required' || why === 'interaction_required') {
    if (outcome.kind === 'page' && (await isShownToAnyone(probe, client, outcome.page)))
      return {
        ok: null,
        text: `The server shows the same page for any client: only signing in tells about ${client.id}.`,
      };
    return { ok: true, text: `${client.id} is known, with this redirect URI and scope.` };
  }
  const hint: Record<string, string> = {
    invalid_scope: 'the scope is not allowed',
    unauthorized_client: 'the client may not use the authorization code grant',
    invalid_client: 'the client is not known',
  };
  return {
    ok: false,
    text: `The server refuses ${client.id}: ${hint[why] ?? why}. Check client id, redirect URI and scope.`,
    isRefused: explainWall(outcome.exchange) === null && !NOT_OF_THE_CLIENT.has(why),
  };
}

async function isShownToAnyone(probe: Probe, client: TargetClient, page: ShownPage): Promise<boolean> {
  const unknown = { client_id: `nobody-${probe.generateRandomText(9)}` };
  const outcome = await probe.authorize('The same for an invented client', unknown, { client, anonymous: true });
  return outcome.kind === 'page' && isSamePage(page, outcome.page);
}

/** An invented code tests the credentials: `invalid_grant` means that they are valid. */
async function lookAtCredentials(probe: Probe, client: TargetClient): Promise<Look> {
  const outcome = await probe.redeem('Redeem an invented code', inventGrant(probe, client));
  if (outcome.kind === 'issued') return { ok: false, text: 'The server redeems a code that it never issued.' };
  const redeemsOwn = () => probe.runCodeFlow({}, { client }).then(Boolean, () => false);
  const isNamed = outcome.error === 'invalid_client';
  // A server may answer every fault with 401.
  if (isNamed || (outcome.status === 401 && outcome.error === null && !(await redeemsOwn()))) {
    return {
      ok: false,
      text: `The server does not accept ${client.id} with these credentials: check id, secret and method.`,
      isRefused: true,
    };
  }
  const compared = compareTokens(outcome);
  if (compared.kind !== 'undecided') return { ok: true, text: `The token endpoint recognizes ${client.id}.` };
  const redeems = client === probe.target.client && (await probe.getReservedTokens().then(Boolean, () => false));
  return redeems
    ? { ok: true, text: `The token endpoint redeems a code of ${client.id}, and for an invented one ${compared.why}.` }
    : { ok: false, text: `The token endpoint gives no clear answer: ${compared.why}.` };
}
