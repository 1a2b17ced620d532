import { createHmac, createPublicKey, createVerify, type KeyObject, X509Certificate } from 'node:crypto';

interface Issued {
  scope: string;
  family: string;
  client: string;
}

/** What the resource knows of the server, and its weakness. */
interface ResourceWorld {
  issuer: string;
  publicKey: KeyObject;
  accessTokens: ReadonlyMap<string, Issued>;
  refreshTokens: ReadonlyMap<string, Issued>;
  /** Families of revoked grants. */
  ended: ReadonlySet<string>;
  opaque: boolean;
  is: (...names: string[]) => boolean;
}

/** Returns the scope of a token that opens the resource, or null. */
export async function acceptsToken(token: string, world: ResourceWorld): Promise<string | null> {
  const { is, ended, opaque, accessTokens, refreshTokens } = world;
  const isAlive = (issued: Issued | undefined) => issued !== undefined && !ended.has(issued.family);
  if (is('refresh tokens as access tokens') && isAlive(refreshTokens.get(token)))
    return refreshTokens.get(token)?.scope ?? null;
  if (opaque) {
    const found = [...accessTokens].find(([known]) => isSame(token, known, is))?.[1];
    return isAlive(found) ? (found?.scope ?? null) : null;
  }
  if (ended.has(accessTokens.get(token)?.family ?? '')) return null;
  return acceptsJwt(token, world);
}

function isSame(given: string, known: string, is: ResourceWorld['is']): boolean {
  if (is('opaque tokens in any case')) return given.toLowerCase() === known.toLowerCase();
  if (is('opaque tokens by their beginning')) return known.startsWith(given) && given.length > 20;
  return given === known;
}

async function acceptsJwt(token: string, world: ResourceWorld): Promise<string | null> {
  const { is, issuer, publicKey } = world;
  const parts = token.split('.');
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3 && !(is('tokens of two parts') && parts.length === 2)) return null;
  let header: Record<string, unknown>;
  let claims: Record<string, unknown>;
  try {
    header = JSON.parse(Buffer.from(head, 'base64url').toString());
    claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  } catch {
    return null;
  }
  if (!(await isVerified(`${head}.${body}`, signature, header, world, parts.length))) return null;
  if (header.typ !== 'at+jwt' && !is('ID tokens as access tokens')) return null;
  const audience = [claims.aud].flat();
  const isHere = audience.includes(`${issuer}/data`);
  if (!isHere && !is('any audience', 'ID tokens as access tokens')) return null;
  if (claims.iss !== issuer || Number(claims.exp) < Date.now() / 1000) return null;
  return is('ID tokens as access tokens') && claims.scope === undefined ? 'read' : String(claims.scope);

  async function isVerified(
    signed: string,
    given: string,
    { alg, jwk, jku, x5c, x5u, kid }: Record<string, unknown>,
    _world: ResourceWorld,
    count: number,
  ): Promise<boolean> {
    const verify = (key: Parameters<ReturnType<typeof createVerify>['verify']>[0]) =>
      createVerify('sha256').update(signed).verify(key, given, 'base64url');
    const isHmac = (secret: string | Buffer) =>
      createHmac('sha256', secret).update(signed).digest('base64url') === given;
    if (is('tokens of two parts') && count === 2) return true;
    if (is('no signature check')) return true;
    if (is('an empty signature') && given === '') return true;
    if (is('alg none') && String(alg).toLowerCase() === 'none') return true;
    if (is('alg none in other cases') && String(alg).toLowerCase() === 'none' && alg !== 'none') return true;
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    if (is('HS256 with the public key') && alg === 'HS256') return isHmac(pem);
    if (is('HS256 with a common secret') && alg === 'HS256') return isHmac('secret');
    if (is('a path as kid') && alg === 'HS256' && String(kid).includes('../')) return isHmac('');
    if (alg !== 'RS256') return false;
    if (is('an embedded jwk') && jwk !== undefined)
      return verify(createPublicKey({ key: jwk as never, format: 'jwk' }));
    if (is('an embedded certificate') && Array.isArray(x5c))
      return verify(new X509Certificate(Buffer.from(String(x5c[0]), 'base64')).publicKey);
    if (is('a key by jku') && typeof jku === 'string') {
      const set = await fetch(jku).then(
        (answer) => answer.json(),
        () => ({ keys: [] }),
      );
      const key = set.keys.find((each: { kid?: string }) => each.kid === kid) ?? set.keys[0];
      return key !== undefined && verify(createPublicKey({ key, format: 'jwk' }));
    }
    if (is('a certificate by x5u') && typeof x5u === 'string') {
      const text = await fetch(x5u).then(
        (answer) => answer.text(),
        () => '',
      );
      return text !== '' && verify(new X509Certificate(text).publicKey);
    }
    return verify(publicKey);
  }
}
