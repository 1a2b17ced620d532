import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { takeApart } from '@/lib/oauth/controls/token-parts';

/** A DPoP proof for a POST (RFC 9449 section 4.2) by a new key. */
async function makeProof(htu: string, jti: string, iat: number): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const { kty, crv, x, y } = await exportJWK(publicKey);
  return new SignJWT({ htm: 'POST', htu, jti, iat })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } })
    .sign(privateKey);
}

export default defineControl({
  id: 'sender-constrained',
  title: 'A token that is bound to a key needs a proof of the key',
  severity: 'info',
  area: 'resource',
  source: ['RFC 9449 7', 'RFC 9700 2.2.1'],
  oauch: 'IsDPoPTokenRequiredTest',
  switchable: true,
  protectsFrom: 'A stolen token works without the key that it is bound to.',
  async probe(probe) {
    const metadata = await probe.metadata();
    if (!Array.isArray(metadata.dpop_signing_alg_values_supported)) {
      throw new CannotProbe('not_applicable', 'The server does not offer DPoP.');
    }
    const issuedAt = Number(takeApart((await probe.workingToken()).accessToken).claims.iat);
    const proof = await makeProof(await probe.endpoint('token_endpoint'), probe.randomText(), issuedAt);
    const given = await probe.code();
    const outcome = await probe.redeem('Redeem with a proof', given, {}, { headers: { dpop: proof } });
    if (outcome.kind === 'refused') throw new CannotProbe('inconclusive', 'The server did not take the proof.');
    if (outcome.tokens.type.toLowerCase() !== 'dpop') throw new CannotProbe('inconclusive', 'The token was not bound.');
    const used = await probe.presentToken('Use the bound token without a proof', outcome.tokens.accessToken);
    return [{ label: 'a bound token without a proof', outcome: used }];
  },
  rule: noTokenAccepted,
});
