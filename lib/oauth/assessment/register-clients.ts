import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { PreflightCheck } from '@/lib/oauth/assessment/preflight';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { Sender, SharedState } from '@/lib/oauth/assessment/sender';
import type { AssessmentTarget, ClientAuthentication, TargetClient } from '@/lib/oauth/assessment/target';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

const NAME = 'Sluice assessment';
/** Hosts that OpenID Connect Registration allows only to native clients. */
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const NATIVE_REDIRECT_URI = 'http://127.0.0.1/callback';
/** Scopes to request from an OpenID provider, if it supports them. */
const WANTED_SCOPES = ['openid', 'profile', 'offline_access'];
const WANTED_GRANTS = ['authorization_code', 'refresh_token'];
/** Methods to authenticate the second client, best first. */
const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

/** A target with its registered clients. */
interface RegisteredTarget {
  target: AssessmentTarget;
  check: PreflightCheck;
  /** Removals of the clients, to run at the end. */
  removals: readonly Removal[];
}

/** A registered client, and the request that removes it (RFC 7592 section 2.3). The request is null if there is none. */
interface Removal {
  id: string;
  request: Request | null;
}

interface WantedClient {
  label: string;
  redirectUri: string;
  method: string;
}

interface Registration {
  client: TargetClient;
  answer: Exchange;
}

/**
 * Registers clients for the assessment (RFC 7591): a public one, one with a secret, and a native one. If the server
 * offers no registration, the address of a client metadata document becomes the client id, where that is supported.
 */
export async function registerClients(probe: Probe): Promise<RegisteredTarget> {
  const metadata = await probe.fetchServerMetadata().catch(ignoreUndecided);
  const target = metadata === null ? probe.target : completeTarget(probe.target, metadata);
  const { registration } = target;
  if (registration === null) throw new TypeError('The target has no registration.');
  const refuse = (text: string): RegisteredTarget => ({ target, removals: [], check: createCheck(null, text) });
  if (metadata === null) return refuse('No client is registered, because the server publishes no metadata.');
  const { registration_endpoint: endpoint } = metadata;
  const acceptsDocument = metadata.client_id_metadata_document_supported === true && registration.document !== null;
  const takeDocument = (): RegisteredTarget => ({
    target: { ...target, client: createPublicClient(registration.document ?? '', registration.redirectUri) },
    removals: [],
    check: createCheck(true, `The client is the document at ${registration.document}.`),
  });
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint))
    return acceptsDocument ? takeDocument() : refuse('The server offers no registration, so no client is used.');

  const secretMethod = SECRET_METHODS.find((method) => isSupported(metadata, 'token_endpoint_auth_methods', method));
  const create = createRegistrar(probe, endpoint, { metadata, scope: target.scope });
  const main = await create({ label: 'Register a client', redirectUri: registration.redirectUri, method: 'none' });
  if (main === null)
    return acceptsDocument ? takeDocument() : refuse('The server refuses the registration of a client.');
  const other =
    secretMethod === undefined
      ? null
      : await create({
          label: 'Register a second client',
          redirectUri: registration.redirectUri,
          method: secretMethod,
        });
  const native = await create({
    label: 'Register a native client',
    redirectUri: NATIVE_REDIRECT_URI,
    method: 'none',
  });
  const registered = [main, other, native].filter((one) => one !== null);
  const removals = registered.map(({ client, answer }) => ({ id: client.id, request: createRemoval(answer) }));
  const words = registered.length === 1 ? 'One client is registered' : `${registered.length} clients are registered`;
  const end = removals.every(({ request }) => request !== null)
    ? 'They are removed at the end, if the server allows that'
    : 'The server offers no way to remove them';
  return {
    target: {
      ...target,
      client: main.client,
      otherClient: target.otherClient ?? other?.client ?? null,
      nativeClient: target.nativeClient ?? native?.client ?? null,
      severalRedirectUris: false,
    },
    removals,
    check: createCheck(true, `${words}. ${end}.`),
  };
}

/**
 * Removes registered clients. A stopped assessment removes them too, so no signal ends these requests.
 * @returns the result for the report if clients are left, otherwise null
 */
export async function removeClients(
  removals: readonly Removal[],
  { target, world, secrets }: SharedState,
): Promise<PreflightCheck | null> {
  const { signal: _, ...lasting } = world;
  const sender = new Sender(new SharedState(target, lasting, secrets));
  const remove = ({ url, method, headers }: Request) =>
    sender.send('Remove the client', url, { method, headers }).catch(ignoreUndecided);
  const left: string[] = [];
  for (const { id, request } of removals) {
    const answer = request === null ? null : await remove(request);
    const status = answer?.response.status ?? 0;
    if (status < 200 || status > 299) left.push(answer === null ? id : `${id} (status ${status})`);
  }
  if (left.length === 0) return null;
  return createCheck(false, `Clients that are still registered: ${left.join(', ')}. Remove them at the server.`);
}

const createCheck = (ok: PreflightCheck['ok'], text: string): PreflightCheck => ({ what: 'registration', ok, text });

const createPublicClient = (id: string, redirectUri: string): TargetClient => ({
  id,
  redirectUri,
  authentication: { method: 'none' },
});

/** Completes scope and resource of an OpenID provider. Its userinfo endpoint is a resource that every client may use. */
function completeTarget(target: AssessmentTarget, metadata: Record<string, unknown>): AssessmentTarget {
  if (target.isFoundByResource || target.scope !== 'openid') return target;
  const { scopes_supported: supported, userinfo_endpoint: userinfo } = metadata;
  const scopes = Array.isArray(supported) ? WANTED_SCOPES.filter((scope) => supported.includes(scope)) : [];
  if (!scopes.includes('openid')) return { ...target, scope: '' };
  const isUsable = target.resource === null && typeof userinfo === 'string' && URL.canParse(userinfo);
  return {
    ...target,
    scope: scopes.join(' '),
    resource: isUsable ? { url: userinfo, scope: 'openid' } : target.resource,
  };
}

/** Returns whether metadata lists a value. A missing list allows every value. */
function isSupported(metadata: Record<string, unknown>, name: string, value: string): boolean {
  const supported = metadata[`${name}_supported`];
  return !Array.isArray(supported) || supported.includes(value);
}

/** Creates the function that registers one client. It returns null if the server refuses. */
function createRegistrar(
  probe: Probe,
  endpoint: string,
  { metadata, scope }: { metadata: Record<string, unknown>; scope: string },
) {
  const grants = WANTED_GRANTS.filter((grant) => isSupported(metadata, 'grant_types', grant));
  return async ({ label, redirectUri, method }: WantedClient): Promise<Registration | null> => {
    const least = {
      client_name: NAME,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: method,
      response_types: ['code'],
    };
    const { hostname } = new URL(redirectUri);
    const isNative = LOOPBACK_HOSTS.has(hostname);
    const whole = {
      ...least,
      grant_types: grants,
      application_type: isNative ? 'native' : 'web',
      ...(scope === '' ? {} : { scope }),
      ...('end_session_endpoint' in metadata ? { post_logout_redirect_uris: [redirectUri] } : {}),
    };
    // Some servers refuse members that they do not support, instead of ignoring them (RFC 7591 section 2).
    for (const body of [whole, { ...least, grant_types: grants }, least]) {
      const answer = await probe
        .send(label, endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(body),
        })
        .catch(ignoreUndecided);
      const client = answer === null ? null : readClient(answer, redirectUri, method, metadata);
      if (answer !== null && client !== null) return { client, answer };
      if (answer?.response.status !== 400 && answer?.response.status !== 422) return null;
    }
    return null;
  };
}

/**
 * Reads the registered client. The server may choose another method than the requested one (RFC 7591 section 3.2.1). A
 * secret without a named method is for HTTP Basic, even if none was requested (section 2).
 */
function readClient(
  answer: Exchange,
  redirectUri: string,
  requested: string,
  metadata: Record<string, unknown>,
): TargetClient | null {
  const {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: named,
    post_logout_redirect_uris: afterLogout,
  } = parseResponseJson(answer);
  if (typeof id !== 'string' || id === '') return null;
  const method = named ?? (requested === 'none' ? 'client_secret_basic' : requested);
  const isKnown = Array.isArray(afterLogout) && afterLogout.includes(redirectUri);
  return {
    id,
    redirectUri,
    ...(isKnown ? { postLogoutRedirectUri: redirectUri } : {}),
    authentication: chooseAuthentication({ id, secret, method, metadata }),
  };
}

/** Text that form encoding does not change. */
const PLAIN = /^[\w.*-]*$/;

/** Not every server decodes the parts of HTTP Basic, so a secret with special characters is sent in the body. */
function chooseAuthentication({
  id,
  secret,
  method,
  metadata: { token_endpoint_auth_methods_supported: methods },
}: {
  id: string;
  secret: unknown;
  method: unknown;
  metadata: Record<string, unknown>;
}): ClientAuthentication {
  if (method === 'none' || typeof secret !== 'string' || secret === '') return { method: 'none' };
  const takesBody = Array.isArray(methods) && methods.includes('client_secret_post');
  const isPlain = PLAIN.test(id + secret);
  return { method: method === 'client_secret_post' || (takesBody && !isPlain) ? 'post' : 'basic', secret };
}

function createRemoval(answer: Exchange): Request | null {
  const { registration_client_uri: uri, registration_access_token: token } = parseResponseJson(answer);
  if (typeof uri !== 'string' || !URL.canParse(uri) || typeof token !== 'string') return null;
  return new Request(uri, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
}
