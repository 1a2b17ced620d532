import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { streamOf } from '@/lib/http/stream';
import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { remoteTarget } from '@/lib/oauth/assessment/remote-target';
import { assess, eventLines } from '@/lib/oauth/assessment/run';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { loopbackNetwork } from '@/tests/fixtures/loopback';

/**
 * An authorization server that repeats every secret that it knows, wherever it can and in every encoding: in headers,
 * cookies, redirects, JSON, forms, pages and tokens.
 */
let server: Server;
let origin: string;
/** What it repeats: the secrets of the run, and what it has been sent and has issued so far. */
let known: string[] = [];
let issued = { codes: [] as string[], tokens: [] as string[], cookies: [] as string[] };
let counter = 0;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const percent = (text: string) => encodeURIComponent(text);
const strict = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) =>
  [...Array(text.length).keys()].map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
const html = (text: string) =>
  text.replaceAll(/[&<>"']/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[one]!);
const references = (text: string) => [...text].map((one) => `&#x${one.codePointAt(0)!.toString(16)};`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** Every encoding in which the secret is planted and must not be found. */
const ENCODINGS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  form,
  percent,
  'percent in lower case': (text) => percent(text).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  'percent of every byte': strict,
  'percent twice': (text) => percent(percent(text)),
  'form in JSON': (text) => json(form(text)),
  JSON: json,
  'JSON in ASCII': ascii,
  'JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'JSON in JSON': (text) => json(json(text)),
  'HTML entities': html,
  'HTML references': references,
  'percent in HTML': (text) => html(percent(text)),
  base64,
  base64url,
  'base64 at 1': (text) => base64(`x${text}`).slice(2),
  'base64 at 2': (text) => base64(`xx${text}y`).slice(3),
  'base64url at 1': (text) => base64url(`x${text}y`).slice(2),
  'Basic credentials': (text) => base64(`a client:${text}`),
  'Basic credentials of a form': (text) => base64(`${form('a client')}:${form(text)}`),
};
/** What is left of base64 at the edges of the whole says nothing about the secret. */
const inner = (encoding: string, text: string) => {
  const encoded = (ENCODINGS[encoding] ?? String)(text);
  return /base64|Basic/.test(encoding)
    ? encoded.replaceAll('=', '').slice(encoding.startsWith('Basic') ? 18 : 0)
    : encoded;
};

function everywhere(): string {
  return known.flatMap((secret) => Object.values(ENCODINGS).map((encode) => encode(secret))).join(' | ');
}

/** As much of it as a header can carry. */
function headerText(): string {
  return known
    .flatMap((secret) => [
      Buffer.from(secret).toString('latin1'),
      form(secret),
      base64(secret),
      base64(`id:${secret}`),
      ascii(secret),
    ])
    .join(' ')
    .slice(0, 6_000);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', origin);
  const fields = new URLSearchParams(Buffer.concat(chunks).toString());
  counter += 1;
  const cookie = `cookie-value-${counter}-${randomBytes(12).toString('hex')}`;
  issued.cookies.push(cookie);
  response.setHeader('Set-Cookie', [`_session=${form(known[0] ?? '')}; Path=/`, `next=${cookie}; HttpOnly`]);
  response.setHeader('X-Echo', headerText());
  const send = (status: number, body: Record<string, unknown>) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    // Escaped by JSON, and once more as they are.
    response.end(
      `${JSON.stringify({ ...body, echo: everywhere(), more: known })}\n<!-- ${everywhere()} -->`.slice(0, 1_000_000),
    );
  };
  if (url.pathname.startsWith('/.well-known')) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const metadata = {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      revocation_endpoint: `${origin}/revoke`,
      pushed_authorization_request_endpoint: `${origin}/par`,
      dpop_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      echo: everywhere(),
      more: known,
    };
    return void response.end(JSON.stringify(metadata));
  }
  if (url.pathname === '/authorize') {
    const code = `code-${randomBytes(9).toString('base64url')}`;
    issued.codes.push(code);
    known = [...known.slice(0, 3), code];
    const back = new URL('https://app.example.com/callback');
    back.searchParams.set('code', code);
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    back.searchParams.set('echo', known[0] ?? '');
    response.writeHead(302, { Location: back.href, 'Content-Type': 'text/html' });
    return void response.end(
      `<a href="${html(back.href)}">on</a><input type="hidden" name="code" value="${html(code)}"><p>${everywhere()}</p>`,
    );
  }
  if (url.pathname === '/par') {
    const uri = `urn:ietf:params:oauth:request_uri:${randomBytes(12).toString('hex')}`;
    issued.tokens.push(uri);
    return send(201, { request_uri: uri });
  }
  if (url.pathname === '/token') {
    const verifier = fields.get('code_verifier');
    const claims = { sub: 'user', iat: 1_795_176_061, note: known[0], client_secret: known[1] ?? 'x' };
    const signature = randomBytes(40).toString('base64url');
    const access = `${base64url('{"alg":"ES256","typ":"at+jwt"}')}.${base64url(JSON.stringify(claims))}.${signature}`;
    const refresh = `refresh-${randomBytes(24).toString('base64url')}`;
    issued.tokens.push(
      access.slice(8),
      signature,
      refresh.slice(8),
      ...(verifier !== null && verifier.length > 20 ? [verifier] : []),
    );
    known = [...known.slice(0, 3), access, refresh];
    return send(200, { access_token: access, refresh_token: refresh, id_token: access, token_type: 'Bearer' });
  }
  send(url.pathname === '/jwks' ? 200 : 401, url.pathname === '/jwks' ? { keys: [] } : { error: known[0] });
}

const CONTROLS = [
  'client-id-mixup',
  'credentials-in-uri',
  'par',
  'refresh-rotation',
  'sender-constrained',
  'signature-verified',
  'token-post-only',
];
const controls = CATALOGUE.filter(({ id }) => CONTROLS.includes(id));
const options = { controls, clock: () => performance.now(), sleep, random: (length: number) => randomBytes(length) };

interface Planted {
  secret: string;
  otherSecret: string;
  cookie: string;
}

async function evidenceOf({ secret, otherSecret, cookie }: Planted): Promise<string> {
  known = [secret, otherSecret, cookie];
  issued = { codes: [], tokens: [], cookies: [] };
  const redirect_uri = 'https://app.example.com/callback';
  const target = remoteTarget(
    ServerTargetInput.parse({
      issuer: origin,
      client: { client_id: 'a client', redirect_uri, authentication: 'post', secret },
      other_client: { client_id: 'another', redirect_uri, authentication: 'post', secret: otherSecret },
      resource: { url: `${origin}/data` },
      cookie: `_session=${cookie}; theme="dark"`,
    }),
    loopbackNetwork(),
  );
  // As it leaves the server: every line of the stream.
  return new Response(streamOf(eventLines(assess(target, options)))).text();
}

/** The texts of a stream with nothing of JSON around them, and the stream itself. */
function textsOf(stream: string): string {
  const texts: string[] = [stream];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        texts.push(key);
        walk(member);
      }
    }
  };
  for (const line of stream.trimEnd().split('\n')) walk(JSON.parse(line));
  return texts.join('\n');
}

function tracesOf(secret: string, text: string): string[] {
  return Object.keys(ENCODINGS).filter((encoding) => {
    const trace = inner(encoding, secret);
    return trace.length >= 4 && text.includes(trace);
  });
}

const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abcXYZ019-_.~') },
  { weight: 3, arbitrary: fc.constantFrom(...`+%&<>"'/\\ =:;?#,!*()[]{}@$|^\``) },
  { weight: 1, arbitrary: fc.constantFrom('é', 'ß', '€', '漢', '😀', '\u00a0') },
);
/** Long enough that chance does not write it; the shortest ones are looked at by hand below. */
const secretText = fc
  .array(character, { minLength: 6, maxLength: 200 })
  .map((all) => all.join(''))
  .filter((text) => new Set(text.trim()).size > 4);
const cookieText = fc
  .array(fc.constantFrom(..."abcXYZ019-_.~+%&!#$'*/:=<>?@[]^`{|}()"), { minLength: 8, maxLength: 120 })
  .map((all) => all.join(''))
  .filter((text) => new Set(text).size > 4);

describe('no secret leaves the server with the evidence', () => {
  test('whatever it is, and however a hostile server repeats it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ secret: secretText, otherSecret: secretText, cookie: cookieText }),
        async (planted) => {
          const text = textsOf(await evidenceOf(planted));
          for (const secret of [planted.secret, planted.otherSecret, planted.cookie]) {
            expect(tracesOf(secret, text), JSON.stringify(secret)).toEqual([]);
            expect(tracesOf(secret.trim(), text), JSON.stringify(secret)).toEqual([]);
          }
          expect(issued.codes.length).toBeGreaterThan(5);
          expect(issued.tokens.length).toBeGreaterThan(10);
          for (const secret of [...issued.codes, ...issued.tokens, ...issued.cookies]) {
            expect(tracesOf(secret, text), secret).toEqual([]);
          }
        },
      ),
      { numRuns: 4, seed: 20_261_121 },
    );
  });
});

describe('evidence stays readable', () => {
  const client = { id: 'app', redirectUri: 'https://app.example.com/callback' };
  const secrets = (cookie = '', secret = 'a secret') =>
    new EvidenceSecrets({
      client: { ...client, authentication: { method: 'post', secret } },
      otherClient: null,
      nativeClient: null,
      cookie,
    });
  const exchange = (changes: {
    request?: Partial<Exchange['request']>;
    response?: Partial<Exchange['response']>;
  }): Exchange => ({
    label: 'x',
    request: { method: 'POST', url: 'https://as.example/token', headers: [], body: '', ...changes.request },
    response: { status: 200, headers: [], body: '', ...changes.response },
    startedAt: 0,
    durationMs: 1,
  });
  const keep = (hide: EvidenceSecrets, one: Exchange) => {
    hide.learnFromRequest(one.request);
    hide.learnFromResponse(one.response);
    return hide.redactExchange(one);
  };
  const jwt = (claims: object, signature = randomBytes(32).toString('base64url')) =>
    `${base64url('{"alg":"ES256"}')}.${base64url(JSON.stringify(claims))}.${signature}`;

  test('the same secret has the same name wherever it is', () => {
    const hide = secrets();
    const location = 'https://app.example.com/callback?state=s-1&code=abcdefghij%2B1';
    const first = keep(hide, exchange({ response: { status: 302, headers: [['location', location]] } }));
    expect(first.response.headers).toEqual([['location', 'https://app.example.com/callback?state=s-1&code=[code 1]']]);
    const body = 'client_id=app&client_secret=a+secret&code=abcdefghij%2B1&code_verifier=short';
    const second = keep(hide, exchange({ request: { body }, response: { body: '{"seen":["abcdefghij+1"]}' } }));
    expect(second.request.body).toBe(
      'client_id=app&client_secret=[client secret]&code=[code 1]&code_verifier=[code verifier 1]',
    );
    expect(second.response.body).toBe('{"seen":["[code 1]"]}');
    const third = keep(hide, exchange({ response: { body: '{"code":"another-code"}' } }));
    expect(third.response.body).toBe('{"code":"[code 2]"}');
  });

  test('a JWT keeps its header, its claims and eight characters; another token eight characters', () => {
    const hide = secrets();
    const token = jwt({ sub: 'alice', note: 'a secret', nested: { password: 'xyz' } });
    const opaque = 'opaque-0123456789-0123456789';
    const body = JSON.stringify({ access_token: token, refresh_token: opaque, id_token: null });
    const kept = keep(hide, exchange({ response: { body } }));
    expect(JSON.parse(kept.response.body)).toEqual({
      access_token: '[access token 1: eyJhbGci…]',
      refresh_token: '[refresh token 1: opaque-0…]',
      id_token: null,
    });
    expect(kept.tokens).toEqual([
      {
        name: 'access token 1',
        header: { alg: 'ES256' },
        claims: { sub: 'alice', note: '[client secret]', nested: { password: '[password 1]' } },
      },
    ]);
    const [header, claims, signature] = token.split('.');
    const forged = `${header}.${base64url('{"sub":"administrator"}')}.${signature}`;
    const presented = keep(hide, exchange({ request: { headers: [['authorization', `Bearer ${forged}`]] } }));
    expect(presented.request.headers).toEqual([['authorization', 'Bearer [token 1: eyJhbGci…]']]);
    expect(presented.tokens?.[0]?.claims).toEqual({ sub: 'administrator' });
    expect(JSON.stringify(presented)).not.toContain(signature);
    expect(JSON.stringify(presented)).not.toContain(claims);
  });

  test('cookies keep their names, Basic its client, and what is no secret everything', () => {
    const hide = secrets('_session=s%3A0123456789abcdef; theme="dark-blue"; n=1');
    const kept = keep(
      hide,
      exchange({
        request: {
          headers: [
            ['cookie', '_session=s%3A0123456789abcdef; theme="dark-blue"; n=1'],
            ['authorization', `Basic ${base64('app:a+secret')}`],
            ['accept', 'text/html'],
          ],
        },
        response: {
          headers: [['set-cookie', '_session=s%3A0123456789abcdef; Path=/; HttpOnly']],
          body: '{"session":"s:0123456789abcdef","token_type":"Bearer","error":"invalid_token","code_challenge":"E9Melhoa2O"}',
        },
      }),
    );
    expect(kept.request.headers).toEqual([
      ['cookie', '_session=[cookie 1]; theme=[cookie 2]; n=[cookie 3]'],
      ['authorization', 'Basic [app:[client secret]]'],
      ['accept', 'text/html'],
    ]);
    expect(kept.response.headers).toEqual([['set-cookie', '_session=[cookie 1]; Path=/; HttpOnly']]);
    expect(kept.response.body).toBe(
      '{"session":"[cookie 1]","token_type":"Bearer","error":"invalid_token","code_challenge":"E9Melhoa2O"}',
    );
  });

  test('secrets of up to three characters are replaced where secrets stand, and only there', () => {
    const hide = secrets('', 'ab');
    const kept = keep(
      hide,
      exchange({
        request: {
          url: 'https://as.example/token?client_secret=ab&x=about',
          headers: [['authorization', `Basic ${base64('app:ab')}`]],
          body: 'client_secret=ab',
        },
        response: { body: `{"client_secret":"ab","about":"grab","sent":"Basic ${base64('app:ab')}"}` },
      }),
    );
    expect(kept.request).toMatchObject({
      url: 'https://as.example/token?client_secret=[client secret]&x=about',
      headers: [['authorization', 'Basic [app:[client secret]]']],
      body: 'client_secret=[client secret]',
    });
    expect(kept.response.body).toBe(
      '{"client_secret":"[client secret]","about":"grab","sent":"Basic [client secret]"}',
    );
  });

  test('a fault of the server keeps its name, and a private key of it is not kept', () => {
    const hide = secrets();
    const refused = keep(hide, exchange({ response: { status: 400, body: '{"code":"invalid_grant"}' } }));
    expect(refused.response.body).toBe('{"code":"invalid_grant"}');
    const keys = `{"keys":[{"kty":"EC","x":"public-0123456789","d":"private-0123456789"}]}`;
    expect(keep(hide, exchange({ response: { body: keys } })).response.body).toBe(
      '{"keys":[{"kty":"EC","x":"public-0123456789","d":"[private key 1]"}]}',
    );
  });

  test('a body is cut after its secrets are gone, so that none is left in halves', () => {
    const hide = secrets();
    for (const before of [65_530, 65_534, 65_536]) {
      const kept = hide.redactExchange(
        exchange({ response: { body: `${'x'.repeat(before)}a secret${'y'.repeat(99)}` } }),
      );
      expect(kept.response.body.replaceAll('x', '')).toBe(before === 65_536 ? '' : '[client secret]');
    }
  });

  test('sentences that quote the server are redacted, and so is what was seen before it was known to be secret', () => {
    const hide = secrets();
    const early = hide.redactExchange(exchange({ response: { body: '{"hint":"issued-later"}' } }));
    expect(early.response.body).toContain('issued-later');
    keep(hide, exchange({ response: { body: '{"refresh_token":"issued-later"}' } }));
    expect(hide.hideAgain(early).response.body).toBe('{"hint":"[refresh token 1]"}');
    expect(hide.redactText('The server gave no code: a+secret.')).toBe('The server gave no code: [client secret].');
  });

  test('hostile bodies take no time', () => {
    const hide = secrets();
    const size = 80_000;
    for (const piece of [
      'eyJ',
      'eyJ.',
      '<input ',
      '"a":"',
      'a=',
      '%25',
      '\\u',
      '&#',
      '%',
      '\\',
      `${'a'.repeat(15)}.`,
    ]) {
      const body = piece.repeat(size / piece.length);
      const startedAt = process.cpuUsage();
      keep(hide, exchange({ response: { body } }));
      const { user, system } = process.cpuUsage(startedAt);
      // Quadratic work would be a thousand times as much; the bound is one of processor time, not of a clock.
      expect((user + system) / 1_000, piece).toBeLessThan(5_000);
    }
  });
});
