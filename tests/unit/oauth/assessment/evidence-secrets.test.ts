import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import { assess } from '@/lib/oauth/assessment/run';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { writeEventLines } from '@/tests/fixtures/event-lines';
import { loopbackNetwork } from '@/tests/fixtures/loopback';
import { type Planted, planted, SecretTarget } from '@/tests/fixtures/secret-target';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

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

/** As it leaves the server: every line of the stream. */
async function evidenceOf(server: SecretTarget, secrets: Planted): Promise<string> {
  const target = createRemoteTarget(ServerTargetInput.parse(server.plant(secrets)), loopbackNetwork());
  return writeEventLines(assess(target, options));
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

describe('no secret leaves the server with the evidence', () => {
  test('whatever it is, and however a hostile server repeats it', async () => {
    await using server = await SecretTarget.start();
    await fc.assert(
      fc.asyncProperty(planted, async (secrets) => {
        const text = textsOf(await evidenceOf(server, secrets));
        expect(server.tracesIn(text)).toEqual([]);
        expect(server.issued.codes.length).toBeGreaterThan(5);
        expect(server.issued.tokens.length).toBeGreaterThan(10);
      }),
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
    expect(hide.redactAgain(early).response.body).toBe('{"hint":"[refresh token 1]"}');
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
