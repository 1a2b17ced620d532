/**
 * Characters that no URL needs to encode (RFC 3986 section 2.3), plain or percent-encoded any number of times. Shorter
 * runs hold no token.
 */
const RUN = /(?:[\w.~-]|%(?:25)*(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e))+/gi;
const MAY_HOLD_ONE = /sl[cikrt]_|eyJ|%/i;
const SHORTEST_RUN = 20;
/**
 * API keys, consent and logout tickets (`slk_`), admin tokens (`slt_`), invitations (`sli_`), the lab's codes (`slc_`) and
 * refresh tokens (`slr_`).
 */
const OWN = /(sl[cikrt]_[\w-]{8})[\w-]{12,}/gi;
/** Length of the shortest JWT header. `{"alg":"none"}` in base64url is longer. */
const SHORTEST_JWT_HEADER = 15;
const SHOWN = 8;
const DEEPEST_ENCODING = 5;

/**
 * Removes credentials that can be recognised by their form, in plain or percent-encoded spelling: tokens of this
 * product, and JWTs (JWS and JWE in compact form). The first characters stay, which lists show too, so that an operator
 * can identify a leaked token. Takes time linear in the text.
 */
export function redactTokens(text: string): string {
  return text.length < SHORTEST_RUN || !MAY_HOLD_ONE.test(text) ? text : text.replace(RUN, redactRun);
}

function redactRun(run: string): string {
  if (run.length < SHORTEST_RUN) return run;
  const plain = decodeRun(run);
  const shortened = redactJwt(plain.replace(OWN, '$1…'));
  return shortened === plain ? run : shortened;
}

/** Decodes percent-encoding, which makes no difference inside of a run (RFC 3986 section 6.2.2.2). */
function decodeRun(run: string): string {
  let plain = run;
  for (let depth = 0; depth < DEEPEST_ENCODING && plain.includes('%'); depth += 1) {
    plain = plain.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return plain;
}

function redactJwt(run: string): string {
  const start = run.indexOf('eyJ');
  if (start < 0) return run;
  const first = run.indexOf('.', start);
  if (first - start < SHORTEST_JWT_HEADER || run.indexOf('.', first + 1) < 0) return run;
  return `${run.slice(0, start + SHOWN)}…`;
}
