import { createHash, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, decodeJwt, EmbeddedJWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';

// A server with DPoP. It compares the addresses of proofs as RFC 9449 section 4.3 says: normalized, without query and
// fragment. Its endpoints are where each test wants them.

const ISSUER = 'https://as.example';
const METADATA = '/.well-known/oauth-authorization-server';

interface Server {
  token: string;
  resource: string;
  /** Compares origins only. */
  comparesOrigins?: boolean;
  /** Accepts a proof twice at the resource. */
  takesUsedProofs?: boolean;
  /** Accepts proofs of any key at the resource. */
  takesAnyKey?: boolean;
  /** Time that each request takes, in seconds. */
  answersIn?: number;
}

function dpopServer({ token, resource, answersIn = 0, ...faults }: Server) {
  let passed = 0;
  const now = () => Date.now() + passed;
  const keys = new Map<string, string>();
  const used = new Set<string>();
  const random = () => randomBytes(32).toString('base64url');
  const normalize = (address: unknown) => {
    const { origin, pathname } = new URL(String(address));
    return faults.comparesOrigins ? origin : `${origin}${pathname}`;
  };

  /** Returns the thumbprint of the key of a valid proof, or null. */
  async function checkProof(request: Request, accessToken?: string): Promise<string | null> {
    try {
      const proof = request.headers.get('dpop') ?? '';
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['jti', 'iat'],
      });
      const { htm, htu, iat = 0, jti = '', ath } = payload;
      const { jwk } = protectedHeader;
      const hash = accessToken && createHash('sha256').update(accessToken).digest('base64url');
      const isRecent = Math.abs(now() / 1000 - iat) < 300;
      const isRight = htm === request.method && normalize(htu) === normalize(request.url) && ath === hash;
      const isReplayed = used.has(jti) && !(faults.takesUsedProofs && accessToken !== undefined);
      if (jwk === undefined || 'd' in jwk || isReplayed || !isRecent || !isRight) return null;
      used.add(jti);
      return await calculateJwkThumbprint(jwk);
    } catch {
      return null;
    }
  }

  async function answer(request: Request): Promise<Response> {
    const { origin, pathname, searchParams } = new URL(request.url);
    const isAt = (place: string) => normalize(place) === normalize(request.url) && new URL(place).origin === origin;
    if (pathname === METADATA && origin === ISSUER)
      return Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: token,
        response_types_supported: ['code'],
        dpop_signing_alg_values_supported: ['ES256'],
      });
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', random());
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return new Response(null, { status: 302, headers: { location: back.href } });
    }
    if (request.method === 'POST' && isAt(token)) {
      const key = await checkProof(request);
      if (key === null) return Response.json({ error: 'invalid_dpop_proof' }, { status: 400 });
      const accessToken = random();
      keys.set(accessToken, key);
      return Response.json({ access_token: accessToken, token_type: 'DPoP', expires_in: 600 });
    }
    const given = /^DPoP (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const key = await checkProof(request, given);
    const isBound = key !== null && (key === keys.get(given) || faults.takesAnyKey);
    return isAt(resource) && isBound && keys.has(given) ? Response.json({}) : new Response(null, { status: 401 });
  }

  const sent: unknown[] = [];
  const target = createRemoteTarget(
    ServerTargetInput.parse({
      issuer: ISSUER,
      client: { client_id: 'client', redirect_uri: 'https://app.example.com/callback' },
      scope: 'read',
      cookie: 'session=1',
      resource: { url: resource, scope: 'read' },
    }),
    {
      now,
      transport(request) {
        passed += answersIn * 1000;
        const proof = request.headers.get('dpop');
        if (proof !== null) sent.push(decodeJwt(proof).htu);
        return answer(request);
      },
    },
  );
  return { target, sent, elapsed: () => passed };
}

async function judge(server: Server) {
  const { target, sent, elapsed } = dpopServer(server);
  const [finding] = await assessAll(target, {
    clock: () => performance.now() + elapsed(),
    sleep: async () => undefined,
    random: (length: number) => randomBytes(length),
    controls: CATALOGUE.filter(({ id }) => id === 'dpop-proof'),
  });
  return { verdict: finding?.verdict, sent };
}

test.each([
  ['https://token.example/', 'https://mcp.example/'],
  ['https://token.example', 'https://mcp.example'],
  ['https://token.example/?tenant=a', 'https://mcp.example/?part=b'],
  ['https://token.example/token?tenant=a', 'https://mcp.example/data?part=b'],
])('every proof for another address than %s or %s is for another one', async (token, resource) => {
  const { verdict, sent } = await judge({ token, resource });
  expect(verdict).toMatchObject({ kind: 'passed', reason: expect.stringContaining('a proof for a longer address') });
  expect(sent).toContain('https://unregistered.example/');
});

const PLACES = { token: 'https://token.example/token', resource: 'https://mcp.example/data' };

test.each([
  ['used proofs', { takesUsedProofs: true }, 'a proof that was used'],
  ['proofs of any key', { takesAnyKey: true }, 'a proof of another key'],
])('no proof is too old when it is sent: a slow resource that takes %s fails', async (_what, fault, label) => {
  const { verdict } = await judge({ ...PLACES, ...fault, answersIn: 50 });
  expect(verdict).toMatchObject({ kind: 'failed', reason: expect.stringContaining(label) });
});

test('the beginning of an address is tried where it is another one', async () => {
  const { verdict, sent } = await judge({ ...PLACES, comparesOrigins: true });
  expect(verdict).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('for the beginning of the address'),
  });
  expect(sent).toContain('https://token.example');
});
