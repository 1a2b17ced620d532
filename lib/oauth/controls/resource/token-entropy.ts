import { decodeJwt } from 'jose';
import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { describeGuessing, isUnguessable, measureGuessing } from '@/lib/oauth/controls/guessing-space';

/** What tells one access token from another: its id, or for an opaque token all of it. */
function tokenId(token: string): string {
  try {
    return decodeJwt(token).jti ?? token.split('.')[2] ?? token;
  } catch {
    return token;
  }
}

export default defineControl({
  id: 'token-entropy',
  title: 'Tokens cannot be guessed',
  severity: 'high',
  area: 'resource',
  source: ['RFC 6749 10.10'],
  oauch: 'AccessTokenEntropyMinReqTest, RefreshTokenEntropyMinReqTest',
  switchable: false,
  protectsFrom: 'An attacker guesses the token of somebody else.',
  async probe(probe) {
    const flows = await Promise.all(Array.from({ length: 64 }, () => probe.flow()));
    const access = flows.map(({ accessToken }) => tokenId(accessToken));
    const refresh = flows.flatMap(({ refreshToken }) => (refreshToken === null ? [] : [refreshToken]));
    return { access: measureGuessing(access), refresh: refresh.length === 0 ? null : measureGuessing(refresh) };
  },
  rule({ access, refresh }) {
    const seen = `Access tokens: ${describeGuessing(access)}${refresh === null ? '' : `; refresh tokens: ${describeGuessing(refresh)}`}.`;
    return isUnguessable(access) && (refresh === null || isUnguessable(refresh)) ? passed(seen) : failed(seen);
  },
});
