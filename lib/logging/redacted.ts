import { CENSORED, type Hide, redactedText } from '@/lib/logging/redacted-text';
import { serializeError } from '@/lib/logging/serialize-error';
import { withoutTokens } from '@/lib/logging/without-tokens';

/** Names of members whose values never reach a log, in lower case without `-` and `_`. */
const SECRET_NAME =
  /authorization|cookie|apikey$|token$|tokenhash|secret|password|passphrase|^code$|codeverifier|clientassertion|^assertion$|privatekey|session$|sessionid|^state$|^nonce$/;
/** A code of Node, of a database or of a library (`ECONNREFUSED`, `SQLITE_BUSY`, `OAUTH_CALLBACK_ERROR`). */
const ERROR_CODE = /^(?:E[A-Z0-9]{2,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/;
/** What holds the parameters of a request, and what stands beside a code that is one of them (RFC 6749). */
const REQUEST = /^(?:body|form|params|parameters|query|search|searchparams)$/;
const BESIDE_OAUTH_CODE = /^(?:granttype|redirecturi|codeverifier|clientid|clientsecret|state|iss)$/;
const DEEPEST = 8;

/**
 * A copy of what is about to be logged without secrets: members are judged by name at every depth, texts by what a
 * credential looks like. Errors become what `serializeError` leaves of them.
 * @param hide what is done to each text
 */
export function redacted<T>(value: T, hide?: Hide): T;
export function redacted(value: unknown, hide: Hide = redactedText): unknown {
  return copy(value, { depth: 0, inRequest: false, hide });
}

interface Place {
  depth: number;
  /** Among the parameters of a request, where `code` is an authorization code. */
  inRequest: boolean;
  hide: Hide;
}

function copy(value: unknown, place: Place): unknown {
  const { depth, hide } = place;
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return serializeError(value, hide);
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.map((one) => copy(one, { ...place, depth: depth + 1 }));
  if (value instanceof Headers || value instanceof Map) {
    return copy(Object.fromEntries(value), { ...place, depth: depth + 1 });
  }
  const names = Object.keys(value).map(normal);
  const inRequest = place.inRequest || names.some((name) => BESIDE_OAUTH_CODE.test(name));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      withoutTokens(name),
      isSecret(normal(name), member, inRequest)
        ? CENSORED
        : copy(member, { depth: depth + 1, inRequest: place.inRequest || REQUEST.test(normal(name)), hide }),
    ]),
  );
}

function isSecret(name: string, value: unknown, inRequest: boolean): boolean {
  if (value === null || value === undefined || !SECRET_NAME.test(name)) return false;
  if (name !== 'code' || inRequest) return true;
  return !(typeof value === 'number' || (typeof value === 'string' && ERROR_CODE.test(value)));
}

function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}
