import { exportSPKI, importJWK, SignJWT } from 'jose';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { publishedKeys } from '@/lib/oauth/controls/published-keys';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'alg-confusion',
  title: 'A public key is not used as a secret',
  severity: 'critical',
  area: 'resource',
  source: ['RFC 8725 3.1', 'RFC 8725 2.1'],
  switchable: true,
  protectsFrom: 'The published key signs tokens of the attacker.',
  async probe(probe) {
    const { header, claims } = takeApart((await probe.workingToken()).accessToken);
    const keys = await publishedKeys(probe);
    const jwk = keys.find((one) => one.kid === header.kid) ?? keys[0];
    if (jwk === undefined) throw new CannotProbe('not_applicable', 'The server publishes no key.');
    const key = await importJWK(jwk, typeof header.alg === 'string' ? header.alg : 'ES256', { extractable: true });
    if (key instanceof Uint8Array) throw new CannotProbe('not_applicable', 'The server publishes no public key.');
    const secrets = { 'the PEM form': await exportSPKI(key), 'the JWK form': JSON.stringify(jwk) };
    const attempts = [];
    for (const [label, secret] of Object.entries(secrets)) {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ ...header, alg: 'HS256' })
        .sign(new TextEncoder().encode(secret));
      attempts.push({
        label: `HS256 with ${label} of the public key`,
        outcome: await probe.presentToken(`Use a token signed with ${label} of the public key`, token),
      });
    }
    return attempts;
  },
  rule: noTokenAccepted,
});
