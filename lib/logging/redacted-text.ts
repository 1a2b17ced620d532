import { withoutTokens } from '@/lib/logging/without-tokens';

/** Credentials in the middle of a text. */
const SECRET_TEXT = /\b(Bearer|Basic|DPoP)\s+[\w~+/.=-]+/gi;
/** `user:password@` of an address. */
const USER_INFORMATION = /(\b[a-z][a-z\d+.-]{0,31}:\/\/)[^\s/?#@]+@/gi;
const SECRET_PARAMETER =
  /((?:\b(?:access_token|refresh_token|id_token|token|client_secret|client_assertion|assertion|code_verifier|request_uri|password|api_key|secret)|(?:^|[?&])(?:code|state))=)[^\s&"'<>]+/gi;

export const CENSORED = '[redacted]';

/** Takes credentials out of a text. */
export type Hide = (text: string) => string;

/** A text without the credentials in it: after a scheme, in an address, as a parameter, or recognised by their looks. */
export function redactedText(text: string): string {
  return withoutTokens(
    text
      .replace(SECRET_TEXT, `$1 ${CENSORED}`)
      .replace(USER_INFORMATION, `$1${CENSORED}@`)
      .replace(SECRET_PARAMETER, `$1${CENSORED}`),
  );
}
