import type { JWTPayload } from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { readSecret } from '@/lib/oauth/assessment/target';
import { CannotProbe, createFailed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { cutEnd, swapLetterCase } from '@/lib/oauth/controls/near-values';
import { compareAccessTokens, defineAccessTokenControl, INVENTED } from '@/lib/oauth/controls/refuses-access-tokens';
import { signHmac } from '@/lib/oauth/controls/resource/forged-tokens';
import { decodeWorkingToken, isJwt } from '@/lib/oauth/controls/token-parts';
import { COMMON_SECRETS } from '@/lib/oauth/token/guess-secret';

/** Number of common secrets that are sent to a resource whose tokens are not signed with a secret. */
const MOST_SENT = 8;

/** Secrets of this target that a careless server might sign with. */
function listOwnSecrets({ target }: Probe, kid: unknown): string[] {
  const clients = [target.client, target.otherClient].filter((client) => client !== null);
  const ofClients = clients.flatMap((client) => [client.id, readSecret(client) ?? '']);
  return ['', ...ofClients, target.issuer, ...(typeof kid === 'string' ? [kid] : [])];
}

/** Returns whether one of the secrets signed a token, as text or decoded from base64. */
function isSignedWith(
  secrets: readonly string[],
  { header, claims, signature }: { header: Record<string, unknown>; claims: JWTPayload; signature: string },
  bits: 256 | 384 | 512,
): boolean {
  const keys = secrets.flatMap((secret) => [secret, Buffer.from(secret, 'base64')]);
  return keys.some((key) => signHmac(header, claims, key, bits).endsWith(`.${signature}`));
}

/** Controls for guessed and altered tokens. */
export const GUESSED_TOKENS: readonly Control[] = [
  defineControl({
    id: 'token-secret',
    title: 'The secret that signs tokens cannot be guessed',
    wrong: 'Tokens are signed with a secret that can be guessed',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 8725 3.5', 'RFC 7518 3.2'],
    tries: {
      'a token against common secrets': 'CVE-2020-1764',
      'HS256 with an empty secret': 'CVE-2026-44351',
      'HS256 with a common secret': 'CVE-2020-1764',
      'HS256 with what the server publishes': 'RFC 8725 3.5',
    },
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'An attacker finds the secret in a list and writes tokens for anyone.',
    async probe(probe) {
      const parts = await decodeWorkingToken(probe);
      const { header, claims } = parts;
      const own = listOwnSecrets(probe, header.kid);
      const bits = ([256, 384, 512] as const).find((size) => header.alg === `HS${size}`);
      const isGuessed = bits !== undefined && isSignedWith([...COMMON_SECRETS, ...own], parts, bits);
      const sign = (secrets: readonly string[]) =>
        Object.fromEntries(secrets.map((secret, at) => [`number ${at + 1}`, signHmac(header, claims, secret, bits)]));
      // A secret that signs the server's own tokens is found without asking.
      const guesses =
        bits !== undefined
          ? {}
          : {
              'HS256 with a common secret': sign(COMMON_SECRETS.slice(0, MOST_SENT)),
              'HS256 with what the server publishes': sign([...new Set(own.filter((secret) => secret !== ''))]),
            };
      const tokens = { 'HS256 with an empty secret': signHmac(header, claims, '', bits), ...guesses };
      return { isGuessed, comparisons: await compareAccessTokens(probe, tokens) };
    },
    rule({ isGuessed, comparisons }) {
      return isGuessed
        ? createFailed(`A token against common secrets: one of ${COMMON_SECRETS.length} signed it.`)
        : judgeRefusals(comparisons);
    },
  }),
  defineAccessTokenControl({
    id: 'token-altered',
    title: 'An altered token is refused',
    wrong: 'An altered token is accepted',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 6750 3.1', 'RFC 6749 10.10'],
    tries: {
      [INVENTED]: 'RFC 6750 3.1',
      'a token without its end': 'CVE-2026-27840',
      'a token with a changed character': 'RFC 6749 10.10',
      'a token in another letter case': 'RFC 6749 10.10',
      'a token with more at its end': 'RFC 6750 3.1',
    },
    switchable: false,
    needs: ['client', 'login', 'resource'],
    elsewhere: ['at UserInfo', 'by introspection'],
    protectsFrom: 'An attacker needs far fewer guesses, because part of a token is enough.',
    async tokens(probe) {
      const { accessToken: token } = await probe.requireWorkingToken();
      if (isJwt(token)) throw new CannotProbe('not_applicable', 'The token is signed: see signature-verified.');
      const middle = Math.floor(token.length / 2);
      const changed = token[middle] === 'A' ? 'B' : 'A';
      const otherCase = swapLetterCase(token);
      return {
        [INVENTED]: probe.generateRandomText(),
        'a token without its end': {
          'the last quarter': cutEnd(token),
          'the second half': token.slice(0, middle),
        },
        'a token with a changed character': token.slice(0, middle) + changed + token.slice(middle + 1),
        ...(otherCase === token ? {} : { 'a token in another letter case': otherCase }),
        'a token with more at its end': `${token}A`,
      };
    },
  }),
];
