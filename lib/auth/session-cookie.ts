/** Names of next-auth's session cookie over http and https. */
const SESSION_COOKIE = 'next-auth.session-token';
const SECURE_SESSION_COOKIE = `__Secure-${SESSION_COOKIE}`;

/** Most pieces that a session cookie can come in; ours fits in one. */
const MAX_CHUNKS = 5;

/** The cookies of a `Cookie` header (RFC 6265 section 4.2), values as they are; of a name that is repeated, the first. */
export function parseCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 1) continue;
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name !== '' && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/, '$1'));
  }
  return cookies;
}

/**
 * The session tokens in a `Cookie` header, best first: whole, or in numbered pieces (`name.0`, `name.1`, ...).
 * @param secureOnly only the cookie with the `__Secure-` prefix, which a page over http cannot have set
 */
export function sessionTokens(header: string | null, secureOnly: boolean): string[] {
  const cookies = parseCookies(header);
  const names = secureOnly ? [SECURE_SESSION_COOKIE] : [SECURE_SESSION_COOKIE, SESSION_COOKIE];
  return names.flatMap((name) => {
    const whole = cookies.get(name);
    if (whole) return [whole];
    const pieces: string[] = [];
    for (let index = 0; index < MAX_CHUNKS; index += 1) {
      const piece = cookies.get(`${name}.${index}`);
      if (piece === undefined) break;
      pieces.push(piece);
    }
    return pieces.length > 0 ? [pieces.join('')] : [];
  });
}
