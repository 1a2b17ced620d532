import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEVICE_GRANT } from '@/lib/contract/lab-paths';
import { escapeMarkup } from '@/lib/oauth/report/escape-markup';
import { plantedConsent } from './planted-consent';
import { plantedDevices } from './planted-devices';
import { plantedRegistrations } from './planted-registrations';
import { acceptsToken } from './planted-resource';
import { WEAK_MATCHES, WEAK_ORIGINS } from './redirect-matching';

/** A hand-written server with one weakness, on loopback. */
export interface PlantedServer extends AsyncDisposable {
  issuer: string;
  resource: string;
}

const REDIRECT_URI = 'https://app.example.com/callback';
const SECRET = 'Jx4-aVq0Tn7Zb1Lw9Ck3Hs6Pd8Rf2Gm5Yu';
const CLIENTS = [
  { id: 'main', secret: null, redirectUri: REDIRECT_URI },
  { id: 'other', secret: SECRET, redirectUri: REDIRECT_URI },
  { id: 'native', secret: null, redirectUri: 'http://127.0.0.1/callback' },
] as const;
type Client = (typeof CLIENTS)[number];

/** How an assessment is told of the server. */
export const describePlanted = ({ issuer, resource }: PlantedServer) => ({
  issuer,
  client: { client_id: 'main', redirect_uri: REDIRECT_URI },
  other_client: { client_id: 'other', redirect_uri: REDIRECT_URI, authentication: 'post', secret: SECRET },
  native_client: { client_id: 'native', redirect_uri: 'http://127.0.0.1/callback' },
  several_redirect_uris: false,
  scope: 'openid profile read',
  resource: { url: resource, scope: 'read' },
  login: 'cookie',
  cookie: 'sid=1',
});

interface Grant {
  client: string;
  redirectUri: string;
  maxAge: string | null;
  challenge: string | null;
  method: string | null;
  nonce: string | null;
  scope: string;
  resource: string | null;
  /** Names everything that was issued for one authorization. */
  family: string;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'planted', alg: 'RS256', use: 'sig' };
const random = () => randomBytes(32).toString('base64url');
const isWithoutUser = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'access_token' in body && !('refresh_token' in body);
/** Seconds since the person signed in. */
const AGE = 600;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');
const sign = (claims: object, typ: string) => {
  const signed = `${encode({ alg: 'RS256', kid: 'planted', typ })}.${encode(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`;
};

/** Reads the issuer of a token without a look at its signature. */
function readIssuer(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).iss;
  } catch {
    return null;
  }
}

/** When a code or token was used: its time in milliseconds, and the number of requests until then. */
interface Use {
  at: number;
  served: number;
}

/** Number of requests after which two weaknesses forget what was used. */
const MANY = 50;

/** Starts the server. @param weakness its only weakness; empty for none */
export async function plantedServer(weakness: string, { opaque = false } = {}): Promise<PlantedServer> {
  const is = (...names: string[]) => names.includes(weakness);
  /** The answer of a consent is being given. */
  let isAnswered = false;
  /** Number of requests so far. */
  let served = 0;
  const codes = new Map<string, Grant & { usedAt: Use | null }>();
  const refreshTokens = new Map<string, Grant & { used: boolean; at: number; usedAt?: Use }>();
  const accessTokens = new Map<string, Grant>();
  const idTokens = new Set<string>();
  const pushed = new Map<string, { client: string; parameters: URLSearchParams }>();
  const ended = new Set<string>();
  const forgotten = new Set<string | null>();
  let issuer = '';
  let lastNonce: string | null = null;
  /** Grant type of the last token request. */
  let lastGrant: string | null = null;

  const reply = (response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}) => {
    const isRefreshed =
      is('no-store missing after a refresh') &&
      typeof body === 'object' &&
      body !== null &&
      lastGrant === 'refresh_token' &&
      'access_token' in body;
    const isOpen =
      isRefreshed || is('no-store missing') || (is('no-store missing without a user') && isWithoutUser(body));
    const cache = { 'cache-control': isOpen ? 'max-age=60' : 'no-store' };
    response.writeHead(status, { 'content-type': 'application/json', ...cache, ...headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  const page = (response: ServerResponse, status: number, body: string, { isFramed = false } = {}) => {
    const isOpen = isFramed || is('frames of any site', 'frames by ALLOW-FROM');
    const ancestors = is('frames of any site') ? '; frame-ancestors *' : isOpen ? '' : "; frame-ancestors 'none'";
    const scripts = is('scripts of any site') ? 'https:' : "'none'";
    const csp = `default-src ${scripts}; form-action 'self'${ancestors}`;
    const referrer = is('the address to any site') ? 'unsafe-url' : 'no-referrer';
    const headers = { 'content-type': 'text/html', 'content-security-policy': csp, 'referrer-policy': referrer };
    const frames = is('frames by ALLOW-FROM') ? 'ALLOW-FROM https://app.example.com' : isOpen ? null : 'DENY';
    response
      .writeHead(status, { ...headers, ...(frames === null ? {} : { 'x-frame-options': frames }) })
      .end(`<!doctype html><title>Page</title>${body}`);
  };

  const registrations = plantedRegistrations({ is, random, issuer: () => issuer, reply });
  const consent = plantedConsent({ is, random, page });
  const devices = plantedDevices({ is, random, issuer: () => issuer, page, reply });

  function isRegistered(client: Client, given: string, by: 'GET' | 'POST' | 'push' = 'GET'): boolean {
    if (given === client.redirectUri) return true;
    if (by === 'push' && is('any pushed redirect URI')) return true;
    if (by === 'push' && is('pushed redirect URIs by prefix')) return given.startsWith(client.redirectUri);
    if (by === 'POST' && is('redirect URIs are checked for GET alone')) return URL.canParse(given);
    if (client.id === 'native') {
      if (is('native redirect URI by prefix') && given.startsWith('http://127.0.0.1')) return true;
      if (is('native redirect URI with user information') && /\/\/\w+@127\.0\.0\.1(:\d+)?\/callback$/.test(given))
        return true;
      if (
        is('native redirect URI without its query') &&
        given.split('?')[0]?.replace(/:\d+\//, '/') === client.redirectUri
      )
        return true;
      return /^http:\/\/127\.0\.0\.1(:\d+)?\/callback$/.test(given);
    }
    return WEAK_MATCHES[weakness]?.(given, client.redirectUri) ?? false;
  }

  function authorize(response: ServerResponse, request: IncomingMessage, query: URLSearchParams) {
    let asked = query;
    const uri = query.get('request_uri');
    if (uri !== null) {
      const entry = pushed.get(uri);
      if (entry === undefined || (entry.client !== query.get('client_id') && !is('request_uri for any client')))
        return page(response, 400, 'The request_uri is invalid.');
      if (!is('request_uri again and again')) pushed.delete(uri);
      if (is('a redirect_uri beside a request_uri') && query.has('redirect_uri')) {
        response.writeHead(302, { location: `${query.get('redirect_uri')}?code=x` }).end();
        return;
      }
      asked = is('parameters beside a request_uri') ? new URLSearchParams(entry.parameters) : entry.parameters;
      if (is('parameters beside a request_uri') && query.has('state')) asked.set('state', query.get('state') ?? '');
      if (is('a code_challenge beside a request_uri')) {
        asked = new URLSearchParams(entry.parameters);
        asked.set('code_challenge', query.get('code_challenge') ?? entry.parameters.get('code_challenge') ?? '');
      }
    }
    const object = asked.get('request');
    const [head = ''] = object?.split('.') ?? [];
    const isSigned = head !== '' && Buffer.from(head, 'base64url').toString().includes('"ES256"');
    if (object !== null && (is('unsigned request objects') || (isSigned && is('request objects of any key')))) {
      const claims = JSON.parse(Buffer.from(object.split('.')[1] ?? '', 'base64url').toString());
      for (const [name, value] of Object.entries(claims)) asked.set(name, String(value));
    }
    const registered = registrations.find(asked.get('client_id') ?? '');
    if (registered !== undefined) return consent.ask(response, asked, registered);
    const client = CLIENTS.find(({ id }) => id === asked.get('client_id'));
    const given = asked.get('redirect_uri') ?? '';
    const toAnywhere = (error: string) => {
      response.writeHead(302, { location: `${given}?error=${error}` }).end();
    };
    const isEarly =
      (is('login_required before the redirect URI is checked') && asked.get('prompt') === 'none') ||
      (is('invalid_target before the redirect URI is checked') &&
        (asked.get('resource') ?? '').includes('unregistered')) ||
      (is('request_not_supported before the redirect URI is checked') && asked.has('request')) ||
      (is('repeated parameters before the redirect URI is checked') && asked.getAll('state').length > 1) ||
      (is('errors to what begins as a redirect URI') &&
        given !== REDIRECT_URI &&
        given.startsWith(REDIRECT_URI) &&
        asked.get('response_type') !== 'code');
    if (isEarly && URL.canParse(given)) return toAnywhere('invalid_request');
    if (is('errors before the redirect URI is checked') && asked.get('code_challenge') === null && URL.canParse(given))
      return toAnywhere('invalid_request');
    if (
      client === undefined ||
      !isRegistered(client, given, uri === null ? (request.method as 'GET' | 'POST') : 'push')
    ) {
      if (is('errors to any redirect URI') && URL.canParse(given)) return toAnywhere('invalid_request');
      const shown = is('markup in an error page') ? given : escapeMarkup(given);
      const isLinked = is('a link to a refused redirect_uri') || /^https?:/.test(given);
      return page(
        response,
        400,
        `The client or its redirect_uri ${isLinked ? `<a href="${shown}">` : ''}${shown} is invalid.`,
      );
    }
    const target = new URL(given);
    const answer = (fields: Record<string, string>, inFragment = false) => {
      const state = asked.get('state');
      const isSilent = is('no issuer in responses') || (is('no issuer in errors') && fields.error !== undefined);
      const all = new URLSearchParams({ ...fields, ...(isSilent ? {} : { iss: issuer }) });
      const isLost = is('no state in errors') && fields.error !== undefined;
      if (is('the issuer of another server in responses')) all.set('iss', 'https://other.example');
      if (state !== null && is('a state cut at 256 characters')) all.set('state', state.slice(0, 256));
      else if (state !== null && !isLost)
        all.set('state', is('state decoded twice') ? decodeURIComponent(state.replace(/%(?!\w\w)/g, '%25')) : state);
      if (asked.get('response_mode') === 'form_post') {
        const write = (value: string) => (is('markup in a posted state') ? value : escapeMarkup(value));
        const fields = [...all].map(([name, value]) => `<input type="hidden" name="${name}" value="${write(value)}">`);
        return page(
          response,
          200,
          `<form method="post" action="${escapeMarkup(given)}">${fields.join('')}<button>Go</button></form>`,
        );
      }
      const isForScripts = is('a session cookie for scripts');
      if (request.headers.cookie !== undefined)
        response.setHeader('set-cookie', `sid=1; Path=/${isForScripts ? '' : '; HttpOnly'}`);
      if (inFragment) target.hash = all.toString();
      else for (const [name, value] of all) target.searchParams.set(name, value);
      response.writeHead(isAnswered && is('a consent answered with 307') ? 307 : 302, { location: target.href }).end();
    };
    for (const name of new Set(asked.keys()))
      if (asked.getAll(name).length > 1 && !is('repeated parameters', `a repeated ${name}`))
        return answer({ error: 'invalid_request' });
    const type = asked.get('response_type');
    const isImplicit =
      (is('the implicit grant of pushed requests') && uri !== null && type === 'token') ||
      (is('the implicit grant by form_post') && type === 'token' && asked.get('response_mode') === 'form_post') ||
      (is('the implicit grant') && type === 'token') ||
      (is('the hybrid grant') && type === 'code token') ||
      (is('the implicit grant in capitals') && type !== 'token' && type?.toLowerCase() === 'token');
    if (type !== 'code' && !isImplicit) return answer({ error: 'unsupported_response_type' });
    const challenge = asked.get('code_challenge');
    const method = asked.get('code_challenge_method');
    const isOptional =
      (client.id === 'native' && is('PKCE is optional for native clients')) ||
      (client.secret !== null && is('PKCE is optional for clients with a secret')) ||
      (uri !== null && is('PKCE is optional for pushed requests')) ||
      (request.method === 'POST' && is('PKCE is optional by POST'));
    if (challenge === null && !isOptional && !is('PKCE is optional', 'PKCE downgrade'))
      return answer({ error: 'invalid_request' });
    if (challenge !== null) {
      const isOddPlain =
        (is('plain PKCE of pushed requests') && uri !== null && method === 'plain') ||
        (is('plain PKCE with a capital') && method === 'Plain') ||
        (is('plain PKCE by an empty method') && method === '');
      if (!/^[\w.~-]{43,128}$/.test(challenge)) return answer({ error: 'invalid_request' });
      if (method !== 'S256' && !(is('plain PKCE') && (method === null || method === 'plain')) && !isOddPlain)
        return answer({ error: 'invalid_request' });
    }
    const scope = asked.get('scope') ?? '';
    const known = scope.split(' ').filter((name) => ['openid', 'profile', 'read'].includes(name));
    const isTaken =
      is('any scope') ||
      (is('any scope of pushed requests') && uri !== null) ||
      (is('any scope by POST') && request.method === 'POST') ||
      (is('a scope that begins with a known one') &&
        scope.split(' ').every((name) => /^(openid|profile|read)/.test(name)));
    if (known.length < scope.split(' ').length && !isTaken) return answer({ error: 'invalid_scope' });
    const resource = asked.get('resource');
    if (
      resource !== null &&
      resource !== `${issuer}/data` &&
      resource !== issuer &&
      !(is('any audience') && resource.startsWith('https://another-resource'))
    )
      return answer({ error: 'invalid_target' });
    const maxAge = asked.get('max_age');
    const isIgnored =
      is('max_age is ignored', 'auth_time is always now') || (is('max_age of zero is ignored') && maxAge === '0');
    const isOld = maxAge !== null && Number(maxAge) < AGE && !isIgnored;
    const isAsked = asked.get('prompt') === 'consent' && !is('prompt=consent is ignored');
    if (request.headers.cookie !== undefined && isAsked && !isOld)
      return consent.ask(response, asked, { name: client.id, home: '' });
    if (request.headers.cookie === undefined || isOld) {
      if (asked.get('prompt') === 'none') return answer({ error: 'login_required' });
      if (!is('codes without a session') || request.headers.cookie !== undefined) {
        const hint = asked.get('login_hint') ?? '';
        const shown = is('a quote of a request in a form') ? hint.replace(/[<>]/g, '') : escapeMarkup(hint);
        const script = is('markup of a request in a script')
          ? `<script>var state = ${JSON.stringify(asked.get('state'))}</script>`
          : '';
        return page(
          response,
          200,
          `<form method="post" action="/login"><input name="user" value="${shown}"><input type="password" name="password"></form>${script}`,
        );
      }
    }
    lastNonce = asked.get('nonce');
    const grant: Grant = {
      ...{ client: client.id, redirectUri: given, challenge, method, nonce: asked.get('nonce'), maxAge },
      ...{ scope, resource, family: random() },
    };
    if (isImplicit) return answer({ access_token: issueAccessToken(grant), token_type: 'Bearer' }, true);
    const code = is('codes that count') ? String(1e15 + codes.size) : random();
    codes.set(code, { ...grant, usedAt: null });
    answer({ code });
  }

  function issueAccessToken(grant: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: 'someone', aud: grant.resource ?? `${issuer}/data`, client_id: grant.client };
    const lifetime = is('tokens for a day', 'tokens that live longer than they say') ? 86_400 : 600;
    const token = opaque
      ? random()
      : sign(
          {
            ...claims,
            iat: now,
            exp: now + lifetime,
            jti: random(),
            scope: is('every token has every scope') ? 'openid profile read' : grant.scope,
          },
          'at+jwt',
        );
    accessTokens.set(token, grant);
    return token;
  }

  const isOfIdToken = (what: string, at: number) => is(what) || (at > 0 && is(`${what}, after a refresh`));

  function issue(grant: Grant, at = 0, old?: string) {
    const now = Math.floor(Date.now() / 1000);
    const access_token = issueAccessToken(grant);
    const refresh_token = old ?? random();
    refreshTokens.set(refresh_token, { ...grant, used: false, at });
    const hash = createHash('sha256')
      .update(isOfIdToken('a wrong at_hash', at) ? 'x' : access_token)
      .digest();
    const claims = {
      ...{
        iss: isOfIdToken('an ID token of another issuer', at) ? 'https://other.example' : issuer,
        ...(is('an ID token without a subject')
          ? {}
          : { sub: isOfIdToken('an ID token of another person', at) ? 'another' : 'someone' }),
        ...(is('an ID token of another party') ? { azp: 'other-client' } : {}),
        iat: is('an ID token of tomorrow') ? now + 86_400 : now,
        exp: is('an ID token that has expired') ? now - 600 : now + 90_000,
      },
      ...(grant.maxAge === null || is('no auth_time')
        ? {}
        : { auth_time: is('auth_time is always now') ? now : now - AGE }),
      aud: isOfIdToken('an ID token for another client', at)
        ? 'somebody'
        : is('an ID token for another client, too')
          ? [grant.client, 'https://other.example']
          : grant.client,
      ...(grant.nonce === null || is('no nonce')
        ? {}
        : { nonce: is('the nonce of the last request') ? lastNonce : grant.nonce }),
      at_hash: hash.subarray(0, 16).toString('base64url'),
    };
    const isOpenId = grant.scope.split(' ').includes('openid');
    const idToken = isOfIdToken('an ID token of another key', at)
      ? sign(claims, 'JWT').replace(/.{20}$/, 'A'.repeat(20))
      : isOfIdToken('an ID token without a signature', at)
        ? `${encode({ alg: 'none' })}.${encode(claims)}.`
        : sign(claims, 'JWT');
    idTokens.add(idToken);
    return {
      ...{ access_token, refresh_token, token_type: 'Bearer', expires_in: is('tokens for a day') ? 86_400 : 600 },
      ...{ scope: grant.scope, ...(isOpenId ? { id_token: idToken } : {}) },
    };
  }

  /** Compares secrets, in the way of the weakness. */
  function isSecret(given: string, secret: string, client: Client): boolean {
    if (is('secret in any case')) return given.toLowerCase() === secret.toLowerCase();
    if (is('secret trimmed')) return given.trim() === secret;
    if (is('secret by its first eight characters')) return given.slice(0, 8) === secret.slice(0, 8);
    if (is('secret by prefix')) return given.startsWith(secret);
    if (is('the client id as secret')) return given === secret || given === client.id;
    return given === secret;
  }

  function authenticate(request: IncomingMessage, body: URLSearchParams, what: string): Client | null {
    const { searchParams } = new URL(request.url ?? '/', issuer);
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const [basicId, basicSecret] = basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':');
    const given = (name: string) => body.get(name) ?? (is('credentials in the query') ? searchParams.get(name) : null);
    const secret =
      basicSecret ?? given('client_secret') ?? (is('a secret in the query') ? searchParams.get('client_secret') : null);
    if (is('unsigned client assertions') && body.has('client_assertion')) {
      const [, payload = ''] = body.get('client_assertion')?.split('.') ?? [];
      const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
      return CLIENTS.find(({ id }) => id === sub) ?? null;
    }
    const client = CLIENTS.find(({ id }) => id === (basicId ?? given('client_id')));
    if (client === undefined) return null;
    if (is('any secret by Basic') && what === 'redeem' && basicId !== undefined && !body.has('client_id'))
      return client;
    if (basicId !== undefined && body.has('client_id') && body.get('client_id') !== basicId) {
      if (!is(`a client_id beside Basic to ${what}`) || basicSecret !== client.secret) return null;
      return CLIENTS.find(({ id }) => id === body.get('client_id')) ?? null;
    }
    if (is('a list as a secret') && [...body.keys()].some((name) => name.startsWith('client_secret['))) return client;
    if (is('no client authentication', `no authentication to ${what}`)) return client;
    if (is('a missing secret') && secret === null) return client;
    if (is('an empty secret') && secret === '') return client;
    if (is(`any secret to ${what}`) && secret !== null) return client;
    if (client.secret === null) return secret === null ? client : null;
    return secret !== null && isSecret(secret, client.secret, client) ? client : null;
  }

  async function token(request: IncomingMessage, response: ServerResponse, body: URLSearchParams) {
    if (is('markup of a grant type') && /[<>]/.test(body.get('grant_type') ?? ''))
      return page(response, 400, `Unsupported: ${body.get('grant_type')}`);
    const refuse = (error: string, status = 400) => reply(response, status, { error });
    const names = [...body.keys()];
    const repeated = names.filter((name, at) => names.indexOf(name) < at);
    const isTaken =
      is('repeated token parameters') || repeated.every((name) => is(`a repeated ${name} of a token request`));
    if (!isTaken) return refuse('invalid_request');
    const type = body.get('grant_type') ?? '';
    lastGrant = type;
    const kind = {
      authorization_code: 'redeem',
      refresh_token: 'refresh',
      client_credentials: 'get a token of its own',
      [DEVICE_GRANT]: 'poll',
    }[type];
    const client = authenticate(request, body, kind ?? 'do anything else');
    if (client === null) return refuse('invalid_client', 401);
    const isOpenToPasswords =
      is('the password grant') || (is('the password grant of clients with a secret') && client.secret !== null);
    if (type === 'password' && isOpenToPasswords) return refuse('invalid_grant');
    const owner = {
      client: client.id,
      redirectUri: '',
      challenge: null,
      method: null,
      nonce: null,
      resource: null,
      maxAge: null,
    };
    if (type === DEVICE_GRANT) {
      const device = await devices.redeem(client.id, body);
      return typeof device === 'string'
        ? refuse(device)
        : reply(response, 200, issue({ ...owner, scope: device.scope, family: random() }));
    }
    if (type === 'client_credentials') {
      if (client.secret === null && !is('client credentials of public clients')) return refuse('unauthorized_client');
      const scope = body.get('scope') ?? 'read';
      const isKnown = scope.split(' ').every((name) => ['openid', 'profile', 'read'].includes(name));
      if (!isKnown && !is('any scope of client credentials')) return refuse('invalid_scope');
      const { access_token } = issue({ ...owner, scope, family: random() });
      return reply(response, 200, { access_token, token_type: 'Bearer', expires_in: 600, scope });
    }
    if (type === 'refresh_token') return refresh(response, body, client, refuse);
    if (type !== 'authorization_code') return refuse('unsupported_grant_type');
    const code = (is('a query as a code') ? body.get('code[$eq]') : null) ?? body.get('code') ?? '';
    const grant = is('codes by their first half')
      ? [...codes].find(([known]) => code !== '' && code.slice(0, 20) === known.slice(0, 20))?.[1]
      : codes.get(code);
    if (grant === undefined) return refuse('invalid_grant');
    const isPublic = CLIENTS.find(({ id }) => id === grant.client)?.secret === null;
    if (grant.client !== client.id) {
      const isTaken =
        is('codes for any client') ||
        (is('codes of public clients for public ones') && isPublic && client.secret === null) ||
        (is('codes of confidential clients for public ones') && !isPublic) ||
        (is('codes of public clients for confidential ones') && isPublic) ||
        (is('codes for any client by Basic') && !body.has('client_id'));
      if (!isTaken) return refuse('invalid_grant');
    }
    if (grant.usedAt !== null) {
      const again =
        is('codes again and again') ||
        (is('codes again after many requests') && served > grant.usedAt.served + MANY) ||
        (is('codes for ten seconds') && Date.now() < grant.usedAt.at + 10_000) ||
        (is('codes again after their token was used') && ended.has(`used ${grant.family}`));
      if (!again) {
        if (is('reuse of a code ends refresh tokens alone')) {
          for (const [name, one] of refreshTokens) if (one.family === grant.family) refreshTokens.delete(name);
        } else if (!is('reuse of a code revokes nothing')) ended.add(grant.family);
        return refuse('invalid_grant');
      }
    }
    const redirectUri = body.get('redirect_uri');
    const isBound = is('redirect_uri of a code by host')
      ? redirectUri !== null &&
        URL.canParse(redirectUri) &&
        new URL(redirectUri).host === new URL(grant.redirectUri).host
      : is('redirect_uri of a code by its beginning')
        ? redirectUri !== null && redirectUri !== '' && grant.redirectUri.startsWith(redirectUri)
        : redirectUri === grant.redirectUri;
    if (!isBound && !is('codes for any redirect URI')) return refuse('invalid_grant');
    if (!isVerified(grant, body, isPublic)) return refuse('invalid_grant');
    grant.usedAt = { at: Date.now(), served };
    const scope = (is('a scope of the redemption') ? body.get('scope') : null) ?? grant.scope;
    const wanted = body.get('resource');
    const isKnown = wanted === issuer || wanted === `${issuer}/data`;
    const isMoved = is('any resource when redeeming') || (isKnown && is('another resource when redeeming'));
    const resource = (isMoved ? wanted : null) ?? grant.resource;
    reply(response, 200, issue({ ...grant, scope, resource }));
  }

  function isVerified({ challenge, method }: Grant, body: URLSearchParams, isPublic: boolean): boolean {
    const verifier = body.get('code_verifier');
    const own = body.get('code_challenge');
    if (is('a method of the redemption') && body.get('code_challenge_method') === 'plain')
      return verifier === challenge;
    if (is('a challenge of the redemption') && own !== null && verifier !== null) return sha256(verifier) === own;
    if (is('challenges in any case') && sha256(verifier ?? '').toLowerCase() === challenge?.toLowerCase()) return true;
    if (is('challenges by their beginning') && sha256(verifier ?? '').slice(0, 20) === challenge?.slice(0, 20))
      return true;
    if (is('a challenge forgotten after a wrong verifier') && verifier !== null && sha256(verifier) !== challenge)
      forgotten.add(challenge);
    if (is('a challenge forgotten after a wrong verifier') && forgotten.has(challenge) && verifier === null)
      return true;
    if (is('verifiers by their first 43 characters') && sha256(verifier?.slice(0, 43) ?? '') === challenge) return true;
    if (challenge === null) return verifier === null || is('PKCE downgrade');
    if (is('PKCE not verified')) return true;
    if (is('PKCE verified only if there is a verifier') && verifier === null) return true;
    if (is('PKCE not verified for clients with a secret') && !isPublic) return true;
    if (is('S256 redeemed as plain') && verifier === challenge) return true;
    return verifier !== null && (method === 'S256' ? sha256(verifier) : verifier) === challenge;
  }

  /** Finds the grant of what a weak server takes for a refresh token. */
  function findRefreshable(given: string, client: Client) {
    if (is('any refresh token') && given !== '')
      return [...refreshTokens.values()].find((one) => one.client === client.id && !one.used && !ended.has(one.family));
    const isAlike = (known: string) =>
      (is('refresh tokens in any case') && known.toLowerCase() === given.toLowerCase()) ||
      (is('refresh tokens by their first half') && given !== '' && known.slice(0, 20) === given.slice(0, 20));
    const issued = is('access tokens as refresh tokens') ? accessTokens.get(given) : undefined;
    if (issued !== undefined) return { ...issued, used: false, at: 0 };
    return [...refreshTokens].find(([known]) => isAlike(known))?.[1];
  }

  function refresh(response: ServerResponse, body: URLSearchParams, client: Client, refuse: (error: string) => void) {
    const presented =
      (is('a query as a refresh token') ? body.get('refresh_token[$eq]') : null) ?? body.get('refresh_token') ?? '';
    const grant = refreshTokens.get(presented) ?? findRefreshable(presented, client);
    if (grant === undefined || ended.has(grant.family)) return refuse('invalid_grant');
    const isPublic = CLIENTS.find(({ id }) => id === grant.client)?.secret === null;
    if (grant.client !== client.id) {
      const isTaken =
        is('refresh tokens for any client') ||
        (is('refresh tokens of public clients for public ones') && isPublic && client.secret === null) ||
        (is('refresh tokens of confidential clients for public ones') && !isPublic);
      if (!isTaken) return refuse('invalid_grant');
    }
    if (grant.used) {
      const newest = Math.max(
        ...[...refreshTokens.values()].filter(({ family }) => family === grant.family).map(({ at }) => at),
      );
      const isForgotten = is('refresh tokens again after many requests') && served > (grant.usedAt?.served ?? 0) + MANY;
      if (
        !isForgotten &&
        !is('refresh tokens again and again') &&
        !(is('refresh tokens of native clients again and again') && client.id === 'native') &&
        !(is('refresh tokens before the last') && grant.at < newest - 1)
      ) {
        if (!is('reuse of a refresh token revokes nothing')) ended.add(grant.family);
        return refuse('invalid_grant');
      }
    }
    const everything = is('everything by refreshing') ? 'openid profile read' : grant.scope;
    const scope = body.get('scope') ?? everything;
    const isUnknown = !scope.split(' ').every((name) => ['openid', 'profile', 'read'].includes(name));
    if (isUnknown && is('a wider scope that exists by refreshing')) return refuse('invalid_scope');
    if (!isUnknown && is('an invented scope by refreshing') && scope !== grant.scope) return refuse('invalid_scope');
    const isWider = scope.split(' ').some((name) => !grant.scope.split(' ').includes(name));
    const isTaken = is(
      ...['a wider scope by refreshing', 'a wider scope that exists by refreshing'],
      ...['an invented scope by refreshing', 'everything by refreshing'],
    );
    if (isWider && !isTaken) return refuse('invalid_scope');
    const resource = body.get('resource') ?? grant.resource;
    if (resource !== grant.resource && resource !== `${issuer}/data` && !is('any resource when refreshing'))
      return refuse('invalid_target');
    if (is('refresh tokens that stay')) return reply(response, 200, issue({ ...grant, scope }, grant.at, presented));
    grant.used = true;
    grant.usedAt = { at: Date.now(), served };
    reply(response, 200, issue({ ...grant, scope, resource }, grant.at + 1));
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', issuer);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body = new URLSearchParams(text);
    const allowed = WEAK_ORIGINS[weakness];
    if (url.pathname === '/token' && allowed?.test(request.headers.origin ?? '')) {
      response.setHeader('access-control-allow-origin', request.headers.origin ?? '');
      response.setHeader('access-control-allow-credentials', 'true');
    }
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return reply(response, 200, metadata(readOrigin(request)));
      case '/jwks':
        return reply(response, 200, {
          keys: [
            is('the private key among the published ones')
              ? { ...privateKey.export({ format: 'jwk' }), kid: 'planted', alg: 'RS256', use: 'sig' }
              : jwk,
          ],
        });
      case '/authorize':
        return authorize(response, request, request.method === 'POST' ? body : url.searchParams);
      case '/consent': {
        const agreed = consent.readAnswer(body);
        if (agreed === null) return page(response, 403, 'Forbidden.');
        isAnswered = true;
        authorize(response, request, agreed);
        isAnswered = false;
        return;
      }
      case '/token':
        if (request.method === 'POST') return token(request, response, body);
        if (request.method === 'GET' && is('tokens by GET')) return token(request, response, url.searchParams);
        return reply(response, 405, { error: 'invalid_request' });
      case '/par': {
        const client = authenticate(request, body, 'push');
        if (client === null) return reply(response, 401, { error: 'invalid_client' });
        if (!isRegistered(client, body.get('redirect_uri') ?? '', 'push'))
          return reply(response, 400, { error: 'invalid_request' });
        const uri = `urn:ietf:params:oauth:request_uri:${is('request_uris that count') ? String(1e15 + pushed.size) : random()}`;
        pushed.set(uri, { client: client.id, parameters: body });
        return reply(response, 201, { request_uri: uri, expires_in: 60 });
      }
      case '/device_authorization': {
        const client = authenticate(request, body, 'ask for a device code');
        return client === null
          ? reply(response, 401, { error: 'invalid_client' })
          : devices.authorize(response, client.id, body);
      }
      case '/device':
        return devices.verify(request, response, url.searchParams, body);
      case '/introspect': {
        const isOpen =
          (request.method === 'GET' && is('introspection by GET')) ||
          (request.headers.authorization?.startsWith('Bearer ') && is('introspection by any bearer token'));
        const client = isOpen ? CLIENTS[1] : authenticate(request, body, 'introspect');
        if (client?.secret === null && is('introspection by public clients'))
          return reply(response, 200, { active: accessTokens.has(body.get('token') ?? '') });
        if (client === null || (client.secret === null && !is('no authentication to introspect')))
          return reply(response, 401, { error: 'invalid_client' });
        const presented = body.get('token') ?? url.searchParams.get('token') ?? '';
        if (is('introspection without a signature check') && readIssuer(presented) === issuer)
          return reply(response, 200, { active: true });
        if (is('introspection of any token')) return reply(response, 200, { active: true });
        const isAlike = (known: string) =>
          is('introspection of tokens by their beginning') && presented.length > 20 && known.startsWith(presented);
        const grant = accessTokens.get(presented) ?? [...accessTokens].find(([known]) => isAlike(known))?.[1];
        const isEnded = grant !== undefined && ended.has(grant.family) && !is('introspection of revoked tokens');
        return reply(response, 200, { active: grant !== undefined && !isEnded });
      }
      case '/revoke': {
        const client = authenticate(request, body, 'revoke');
        if (client === null) return reply(response, 401, { error: 'invalid_client' });
        const presented = body.get('token') ?? '';
        const grant = refreshTokens.get(presented) ?? accessTokens.get(presented);
        const isOwn =
          grant?.client === client.id ||
          is('revocation by any client') ||
          (is('revocation of access tokens by any client') && accessTokens.has(presented));
        if (grant === undefined || !isOwn || is('revocation that does nothing')) return reply(response, 200, {});
        const hinted = body.get('token_type_hint') === 'access_token' ? accessTokens : refreshTokens;
        if (is('revocation by the hint alone') && body.has('token_type_hint') && !hinted.has(presented))
          return reply(response, 200, {});
        if (is('revocation of access tokens alone') && !accessTokens.has(presented)) return reply(response, 200, {});
        if (is('revocation of refresh tokens leaves access tokens') && refreshTokens.has(presented)) {
          refreshTokens.delete(presented);
          return reply(response, 200, {});
        }
        ended.add(grant.family);
        return reply(response, 200, {});
      }
      case '/register':
        return registrations.register(response, text);
      case '/userinfo': {
        const inQuery = is('UserInfo by tokens in the URL') ? url.searchParams.get('access_token') : null;
        const [, presented = inQuery ?? ''] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
        const isIdToken = is('UserInfo by ID tokens') && idTokens.has(presented);
        const issued = accessTokens.get(presented);
        const isLive = issued !== undefined && (!ended.has(issued.family) || is('revoked tokens at UserInfo'));
        const isRead = is('UserInfo without a signature check') && readIssuer(presented) === issuer;
        const scope = isIdToken || isRead ? 'openid' : isLive ? issued.scope : '';
        if (presented === '' && is('UserInfo without a token')) return reply(response, 200, { sub: 'someone' });
        if (!scope.split(' ').includes('openid') && !(isLive && is('UserInfo without openid')))
          return reply(response, 401, undefined, { 'www-authenticate': 'Bearer' });
        const sub = is('UserInfo of another person') ? 'another' : 'someone';
        return reply(response, 200, is('UserInfo without a subject') ? {} : { sub });
      }
      case '/data': {
        const scheme = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
        const presented = scheme ?? (is('tokens in the URL') ? url.searchParams.get('access_token') : null);
        const world = { issuer, publicKey, accessTokens, refreshTokens, ended, opaque, is };
        const scope = presented === null ? null : await acceptsToken(presented, world);
        const challenge = (error: string) => ({ 'www-authenticate': `Bearer error="${error}"` });
        if (presented === null && is('data without a token')) return reply(response, 200, { sub: 'someone' });
        if (scope === null) return reply(response, 401, undefined, challenge('invalid_token'));
        if (!scope.split(' ').includes('read') && !is('the scope is not enforced'))
          return reply(response, 403, undefined, challenge('insufficient_scope'));
        ended.add(`used ${accessTokens.get(presented ?? '')?.family}`);
        return reply(response, 200, { sub: 'someone' });
      }
      default:
        if (url.pathname.startsWith('/register/'))
          return registrations.manage(request, response, { id: url.pathname.slice('/register/'.length), text });
        return reply(response, 404, { error: 'not_found' });
    }
  }

  const readOrigin = (request: IncomingMessage): string => {
    const { forwarded, 'x-forwarded-host': forwardedHost } = request.headers;
    const named =
      (is('the host of X-Forwarded-Host') && typeof forwardedHost === 'string' ? forwardedHost : null) ??
      (is('the host of Forwarded') ? /host=([^;,]+)/.exec(forwarded ?? '')?.[1] : null);
    return named === null || named === undefined ? issuer : `http://${named}`;
  };
  const metadata = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    pushed_authorization_request_endpoint: `${issuer}/par`,
    registration_endpoint: `${issuer}/register`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    response_types_supported: ['code'],
    scopes_supported: ['openid', 'profile', 'read'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: is('request objects of any key'),
  });

  const server = createServer((request, response) => {
    served += 1;
    void answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    resource: `${issuer}/data`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
