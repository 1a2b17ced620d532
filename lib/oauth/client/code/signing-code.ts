import { buildSecretValue, type CodeInput, formatJsLiteral, formatJsValue } from '@/lib/oauth/client/code/code-values';
import { readPrivateKey } from '@/lib/oauth/client/environment';
import { chooseAlgorithm } from '@/lib/oauth/client/private-key';

/** Writes code that signs a client assertion (RFC 7523 section 3). It has no single quotes, so a shell can quote it. */
export function formatAssertionCode({ environment, showSecrets }: CodeInput): string {
  const { client_id, issuer, key } = environment;
  const jwk = readPrivateKey(key);
  const algorithm = formatJsLiteral(jwk === null ? 'ES256' : chooseAlgorithm(jwk));
  const kid = jwk?.kid === undefined ? '' : `, kid: ${formatJsLiteral(jwk.kid)}`;
  return `const clientKey = JSON.parse(${formatJsValue(buildSecretValue('CLIENT_KEY', key, showSecrets))});
const assertion = await new SignJWT({ jti: crypto.randomUUID() })
  .setProtectedHeader({ alg: ${algorithm}${kid} })
  .setIssuer(${formatJsLiteral(client_id)})
  .setSubject(${formatJsLiteral(client_id)})
  .setAudience(${formatJsLiteral(issuer)})
  .setIssuedAt()
  .setExpirationTime("1m")
  .sign(await importJWK(clientKey, ${algorithm}));
`;
}

/** Writes code that signs a DPoP proof (RFC 9449 section 4.2). It has no single quotes, so a shell can quote it. */
export function formatProofCode({ planned, proofKey, nonce, showSecrets }: CodeInput): string {
  const { credentials, method, url } = planned;
  const token = credentials.kind === 'token' ? buildSecretValue('ACCESS_TOKEN', credentials.token, showSecrets) : null;
  const hash =
    token === null
      ? ''
      : `const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(${formatJsValue(token)}));\n`;
  const claims = [
    `htm: ${formatJsLiteral(method)}`,
    `htu: ${formatJsLiteral(url.replace(/[?#].*$/s, ''))}`,
    'jti: crypto.randomUUID()',
    ...(token === null ? [] : ['ath: base64url.encode(new Uint8Array(hash))']),
    ...(nonce === undefined ? [] : [`nonce: ${formatJsLiteral(nonce)}`]),
  ];
  return `const { d, alg, ...publicJwk } = JSON.parse(${formatJsValue(buildSecretValue('DPOP_KEY', proofKey, showSecrets))});
${hash}const proof = await new SignJWT({ ${claims.join(', ')} })
  .setProtectedHeader({ alg, typ: "dpop+jwt", jwk: publicJwk })
  .setIssuedAt()
  .sign(await importJWK({ ...publicJwk, d }, alg));
`;
}

/** Import that the signing code needs. */
export const JOSE_IMPORT = 'import { base64url, importJWK, SignJWT } from "jose"; // npm install jose\n';
