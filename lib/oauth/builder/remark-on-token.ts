/** What a specification says about a token. */
export interface Remark {
  level: 'good' | 'warning' | 'bad';
  source: string;
  text: string;
}

type Part = Readonly<Record<string, unknown>>;

/** What RFC 9068 and RFC 8725 say about an access token, as far as header and payload show it. */
export function remarkOnToken(
  header: Part,
  payload: Part,
  context: { now: number; issuer: string; audience: string },
): Remark[] {
  const remarks: Remark[] = [];
  const say = (source: string, holds: boolean, good: string, otherwise: string, level: 'warning' | 'bad' = 'bad') =>
    remarks.push({ level: holds ? 'good' : level, source, text: holds ? good : otherwise });
  const algorithm = typeof header.alg === 'string' ? header.alg : '';
  say(
    'RFC 8725 3.1',
    algorithm !== '' && algorithm.toLowerCase() !== 'none',
    'The token is signed.',
    'The token is not signed.',
  );
  if (/^HS/i.test(algorithm)) {
    remarks.push({
      level: 'warning',
      source: 'RFC 8725 3.1',
      text: 'It is signed with a shared secret: anyone who can verify it can forge it.',
    });
  }
  for (const name of ['jwk', 'jku', 'x5u', 'x5c']) {
    if (Object.hasOwn(header, name)) {
      remarks.push({
        level: 'bad',
        source: 'RFC 8725 3.10',
        text: `The header carries its own key (${name}), which must not be trusted.`,
      });
    }
  }
  const type = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : '';
  say(
    'RFC 9068 2.1',
    type === 'at+jwt',
    'The type marks it as an access token.',
    'The type is not at+jwt: it could be confused with another kind of token.',
  );
  const missing = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'].filter(
    (name) => !Object.hasOwn(payload, name),
  );
  say(
    'RFC 9068 2.2',
    missing.length === 0,
    'Every required claim is present.',
    `Required claims are missing: ${missing.join(', ')}.`,
  );
  say(
    'RFC 9068 4',
    payload.iss === context.issuer,
    'The issuer is the expected one.',
    'The issuer is not the expected one.',
  );
  say(
    'RFC 9068 4',
    [payload.aud].flat().includes(context.audience),
    'The audience includes the resource.',
    'The token is for another audience.',
  );
  const { exp, iat } = payload;
  const now = Math.floor(context.now / 1000);
  say('RFC 9068 4', typeof exp === 'number' && exp > now, 'The token has not expired.', 'The token has expired.');
  if (typeof exp === 'number' && typeof iat === 'number') {
    say(
      'RFC 9700 2.2',
      exp - iat <= 900,
      'It lives for 15 minutes at most.',
      `It lives for ${exp - iat} seconds.`,
      'warning',
    );
  }
  const bound = typeof payload.cnf === 'object' && payload.cnf !== null;
  say('RFC 9700 2.2.1', bound, 'The token is bound to a key.', 'Anyone who holds the token can use it.', 'warning');
  return remarks;
}
