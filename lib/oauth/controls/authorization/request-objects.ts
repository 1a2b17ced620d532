import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { compareVariants, judgeRefusals } from '@/lib/oauth/controls/patterns';

/** Returns whether an unsigned request object takes effect, although the metadata offers none. */
async function isRequestObjectAccepted(probe: Probe): Promise<boolean> {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const object = `${encode({ alg: 'none' })}.${encode({ state: 'of-the-object' })}.`;
  const outcome = await probe.authorize('A request object that is not offered', { request: object });
  return outcome.kind === 'granted' && outcome.parameters.state === 'of-the-object';
}

/** Controls for request objects (RFC 9101). */
export const REQUEST_OBJECTS: readonly Control[] = [
  defineControl({
    id: 'jar-signature',
    title: 'Request objects are verified',
    wrong: 'Request objects are not verified',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9101 6.2', 'RFC 9101 10.1'],
    oauch: 'IsJARSignatureRequiredTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'Anyone writes requests that look signed by the client.',
    tries: {
      'an unsigned request object': 'RFC 9101 10.1, CVE-2026-9793',
      'a request object signed with an invented secret': 'RFC 9101 6.2',
      'a request object signed with an invented ES256 key': 'RFC 9101 6.2',
      'a request object signed with an invented RS256 key': 'RFC 9101 6.2',
      'a request object that brings its ES256 key along': 'RFC 8725 3.10',
    },
    async probe(probe) {
      const { request_parameter_supported: offered } = await probe.fetchServerMetadata();
      if (offered !== true && (probe.target.client === null || !(await isRequestObjectAccepted(probe))))
        throw new CannotProbe('not_applicable', 'The server does not take request objects.');
      const client = probe.requireClient();
      const claims = {
        ...Object.fromEntries(probe.buildAuthorizationParameters()),
        iss: client.id,
        aud: probe.assertionAudience,
      };
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const [elliptic, rsa] = [await generateKeyPair('ES256'), await generateKeyPair('RS256')];
      const jwk = await exportJWK(elliptic.publicKey);
      const signWith = (key: CryptoKey, header: { alg: string; jwk?: JWK }) =>
        new SignJWT(claims).setProtectedHeader({ typ: 'oauth-authz-req+jwt', ...header }).sign(key);
      const random = new TextEncoder().encode(probe.generateRandomText());
      return compareVariants(probe, {
        'an unsigned request object': {
          request: `${encode({ alg: 'none', typ: 'oauth-authz-req+jwt' })}.${encode(claims)}.`,
        },
        'a request object signed with an invented secret': {
          request: await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(random),
        },
        'a request object signed with an invented ES256 key': {
          request: await signWith(elliptic.privateKey, { alg: 'ES256' }),
        },
        'a request object signed with an invented RS256 key': {
          request: await signWith(rsa.privateKey, { alg: 'RS256' }),
        },
        'a request object that brings its ES256 key along': {
          request: await signWith(elliptic.privateKey, { alg: 'ES256', jwk }),
        },
      });
    },
    rule: judgeRefusals,
  }),
];
