import { createHash } from 'node:crypto';
import { redactTokens } from '@/lib/logging/redact-tokens';

/** Names of header fields whose values are always credentials. */
const CREDENTIAL_FIELD = /authorization|cookie|token|secret|passw|credential|session|api-?key|^dpop$/;

/** Makes a name safe to store and list. A digest replaces any credential in it, so different names stay different. */
export function hideCredentials(name: string): string {
  const safe = redactTokens(name);
  return safe === name ? name : safe + digest(name);
}

/** Makes the value of a header field safe to store and list. @param field name in lower case */
export function hideFieldCredentials(field: string, value: string): string {
  return CREDENTIAL_FIELD.test(field) ? `sha256:${digest(value)}` : hideCredentials(value);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
