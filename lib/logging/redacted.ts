/** Names of members whose values never reach a log, in lower case without `-` and `_`. */
const SECRET_NAME =
  /authorization|cookie|apikey$|token$|tokenhash|secret|password|passphrase|^code$|codeverifier|clientassertion|^assertion$|privatekey|session$|sessionid|^state$|^nonce$/;
/** Credentials in the middle of a text. */
const SECRET_TEXT = /\b(Bearer|Basic|DPoP)\s+[\w~+/.=-]+/gi;
const DEEPEST = 8;

export const CENSORED = '[redacted]';

/**
 * A copy of what is about to be logged without secrets: members are judged by name at every depth, texts by what a
 * credential looks like. Errors are left to `serializeError`.
 */
export function redacted<T>(value: T): T;
export function redacted(value: unknown): unknown {
  return copy(value, 0);
}

/** A text without the credentials in it. */
export function redactedText(text: string): string {
  return text.replace(SECRET_TEXT, `$1 ${CENSORED}`);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.map((one) => copy(one, depth + 1));
  if (value instanceof Headers || value instanceof Map) return copy(Object.fromEntries(value), depth);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name) && member !== null && member !== undefined ? CENSORED : copy(member, depth + 1),
    ]),
  );
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_]/g, ''));
}
