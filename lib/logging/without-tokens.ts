/**
 * Characters that no URL needs to encode (RFC 3986 section 2.3), as they are or percent-encoded any number of times.
 * Shorter runs hold no token.
 */
const RUN = /(?:[\w.~-]|%(?:25)*(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e))+/gi;
const MAY_HOLD_ONE = /sl[cikrt]_|eyJ|%/i;
const SHORTEST_RUN = 20;
/** API keys and consent tickets (`slk_`), admin tokens (`slt_`), invitations (`sli_`), the lab's codes (`slc_`) and refresh tokens (`slr_`). */
const OWN = /(sl[cikrt]_[\w-]{8})[\w-]{12,}/gi;
/** `{"alg":"none"}` in base64url is longer than this. */
const SHORTEST_JWT_HEADER = 15;
const SHOWN = 8;
const DEEPEST_ENCODING = 5;

/**
 * A text without the credentials that can be recognised by their looks, in plain or percent-encoded spelling: what this
 * product issues, and JWTs (JWS and JWE in compact form). Of each its first characters stay, those that lists show: an
 * operator can still see which token was leaked. Linear in the text.
 */
export function withoutTokens(text: string): string {
  return text.length < SHORTEST_RUN || !MAY_HOLD_ONE.test(text) ? text : text.replace(RUN, withoutTokensInRun);
}

function withoutTokensInRun(run: string): string {
  if (run.length < SHORTEST_RUN) return run;
  const plain = decoded(run);
  const shortened = withoutJwt(plain.replace(OWN, '$1…'));
  return shortened === plain ? run : shortened;
}

/** Inside of a run, percent-encoding makes no difference (RFC 3986 section 6.2.2.2). */
function decoded(run: string): string {
  let plain = run;
  for (let depth = 0; depth < DEEPEST_ENCODING && plain.includes('%'); depth += 1) {
    plain = plain.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return plain;
}

function withoutJwt(run: string): string {
  const start = run.indexOf('eyJ');
  if (start < 0) return run;
  const first = run.indexOf('.', start);
  if (first - start < SHORTEST_JWT_HEADER || run.indexOf('.', first + 1) < 0) return run;
  return `${run.slice(0, start + SHOWN)}…`;
}
