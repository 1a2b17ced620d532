import { redactTokens } from '@/lib/logging/redact-tokens';
import { SecretFinder } from '@/lib/logging/secret-finder';

/** Credentials in the middle of a text. */
const SECRET_TEXT = /\b(Bearer|Basic|DPoP)\s+[\w~+/.=-]+/gi;
/** `user:password@` in a URL. */
const USER_INFORMATION = /(\b[a-z][a-z\d+.-]{0,31}:\/\/)[^\s/?#@]+@/gi;
const SECRET_PARAMETER =
  /((?:\b(?:access_token|refresh_token|id_token|token|client_secret|client_assertion|assertion|code_verifier|request_uri|password|api_key|secret)|(?:^|[?&])(?:code|state))=)[^\s&"'<>]+/gi;

const CENSORED = '[redacted]';

/** Removes credentials from a text. */
export type Hide = (text: string) => string;

/** Removes credentials from a text: after a scheme, in a URL, as a parameter, or by their form. */
export function redactCredentials(text: string): string {
  return redactTokens(
    text
      .replace(SECRET_TEXT, `$1 ${CENSORED}`)
      .replace(USER_INFORMATION, `$1${CENSORED}@`)
      .replace(SECRET_PARAMETER, `$1${CENSORED}`),
  );
}

/** Length of the shortest secret that is searched for. Shorter ones are too often ordinary words. */
const SHORTEST_HIDDEN = 8;

/**
 * Creates a function that removes these secrets from a text, in every encoding, and everything that looks like a token.
 */
export function createSecretHider(secrets: readonly string[]): Hide {
  const finder = new SecretFinder();
  for (const secret of secrets) if (secret.length >= SHORTEST_HIDDEN) finder.add(secret);
  return (text) => redactTokens(finder.hide(text, () => CENSORED));
}

/** Names of members whose values are never logged, in lower case without `-` and `_`. */
const SECRET_NAME =
  /authorization|cookie|apikey$|token$|tokenhash|secret|password|passphrase|^code$|codeverifier|clientassertion|^assertion$|privatekey|session$|sessionid|^state$|^nonce$/;
/** A code of Node, of a database or of a library (`ECONNREFUSED`, `SQLITE_BUSY`, `OAUTH_CALLBACK_ERROR`). */
const ERROR_CODE = /^(?:E[A-Z0-9]{2,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/;
/** Members that hold the parameters of a request, and parameters that accompany an authorization code (RFC 6749). */
const REQUEST = /^(?:body|form|params|parameters|query|search|searchparams)$/;
const BESIDE_OAUTH_CODE = /^(?:granttype|redirecturi|codeverifier|clientid|clientsecret|state|iss)$/;
const DEEPEST = 8;

/**
 * Copies a value for the log, without secrets. Members are redacted by name at every depth, and texts by what looks
 * like a credential. Errors are converted by `serializeError`.
 * @param hide applied to each text
 */
export function redact<T>(value: T, hide: Hide): T;
export function redact(value: unknown, hide: Hide): unknown {
  return copy(value, hide, 0, false);
}

/** @param inRequest whether the value is among the parameters of a request, where `code` is an authorization code */
function copy(value: unknown, hide: Hide, depth: number, inRequest: boolean): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return serializeError(value, hide);
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.map((member) => copy(member, hide, depth + 1, inRequest));
  if (value instanceof Headers || value instanceof Map) {
    return copy(Object.fromEntries(value), hide, depth + 1, inRequest);
  }
  const holdsCode = inRequest || Object.keys(value).some((name) => BESIDE_OAUTH_CODE.test(normalizeName(name)));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactTokens(name),
      isSecret(normalizeName(name), member, holdsCode)
        ? CENSORED
        : copy(member, hide, depth + 1, inRequest || REQUEST.test(normalizeName(name))),
    ]),
  );
}

function isSecret(name: string, value: unknown, inRequest: boolean): boolean {
  if (value === null || value === undefined || !SECRET_NAME.test(name)) return false;
  if (name !== 'code' || inRequest) return true;
  return !(typeof value === 'number' || (typeof value === 'string' && ERROR_CODE.test(value)));
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

const DEEPEST_CAUSE = 5;
/** Start of the query parameters that Drizzle writes into its messages: hashes of secrets, e-mail addresses. */
const PARAMETERS = /\bparams:/;

/**
 * Converts an error to its loggable parts: name, code, message without query parameters, stack without message, and
 * causes. Any other value stays unchanged.
 * @param hide removes credentials from the texts
 */
export function serializeError(error: unknown, hide: Hide = redactCredentials, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, cause } = error as Error & { code?: unknown };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    type: hide(error.name),
    message: hide(removeParameters(error.message)),
    ...(typeof code === 'string' && { code: hide(code) }),
    ...(frames.length > 0 && { stack: hide(frames.join('\n')) }),
    ...(cause instanceof Error && depth < DEEPEST_CAUSE && { cause: serializeError(cause, hide, depth + 1) }),
  };
}

function removeParameters(message: string): string {
  const at = message.search(PARAMETERS);
  return at < 0 ? message : message.slice(0, at).trimEnd();
}
