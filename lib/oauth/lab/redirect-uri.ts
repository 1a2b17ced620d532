import { isLoopbackHost, type LabClient } from '@/lib/oauth/lab/clients';
import type { Controls, RefusingControl } from '@/lib/oauth/lab/controls';
import type { Violations } from '@/lib/oauth/lab/violation';

/** What a redirect URI is to a client. */
interface RedirectReading {
  /** The address to answer to; null when no address is known. */
  uri: string | null;
  /** It is the client's own: a browser may be sent there. */
  registered: boolean;
}

/** The registered value is a loopback IP address and the other differs in the port alone (RFC 8252 section 7.3). */
function isLoopbackVariant(registered: string, value: string): boolean {
  const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d{1,5})?(\/[^?#]*)$/;
  const ours = loopback.exec(registered);
  const given = loopback.exec(value);
  return ours !== null && given !== null && ours[1] === given[1] && ours[3] === given[3] && URL.canParse(value);
}

/** The value is what the glob `registered*` takes, where `*` stays within one path segment. */
function isGlobMatch(registered: string, value: string): boolean {
  return value.startsWith(registered) && /^[^/?#]+$/.test(value.slice(registered.length));
}

const withoutScheme = (uri: string): string => uri.replace(/^[a-z][a-z0-9+.-]*:/i, '');

/**
 * Compares a redirect URI with a client's registration: byte for byte (RFC 9700 sections 2.1 and 4.1.3), except for the
 * port of a loopback address. Switching `redirect-uri-wildcard` off reads registered values as globs; switching
 * `redirect-uri-scheme` off compares them without their scheme; switching `strict-redirect-uri` off takes any address.
 */
export function readRedirectUri(
  value: string | undefined,
  { redirectUris }: LabClient,
  violations: Violations,
  controls: Controls,
): RedirectReading {
  const refuse = (control: RefusingControl | null, description: string) =>
    violations.note(control, 'invalid_request', description);
  if (value === undefined) {
    const only = redirectUris.length === 1 ? (redirectUris[0] ?? null) : null;
    if (only === null) {
      refuse('redirect-uri-required', 'redirect_uri is required: the client has registered several.');
    }
    return { uri: only, registered: only !== null };
  }
  if (redirectUris.some((registered) => registered === value || isLoopbackVariant(registered, value))) {
    return { uri: value, registered: true };
  }
  if (!URL.canParse(value)) {
    refuse(null, 'redirect_uri is not an absolute URI.');
    return { uri: null, registered: false };
  }
  const url = new URL(value);
  const glob = redirectUris.some((registered) => isGlobMatch(registered, value));
  const otherScheme = redirectUris.some((registered) => withoutScheme(registered) === withoutScheme(value));
  const tolerated = (glob && !controls['redirect-uri-wildcard']) || (otherScheme && !controls['redirect-uri-scheme']);
  if (!tolerated) refuse('strict-redirect-uri', 'redirect_uri is not one that the client has registered.');
  if (glob) refuse('redirect-uri-wildcard', 'redirect_uri continues a registered value.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    refuse('redirect-uri-scheme', 'redirect_uri must use https, or http on a loopback address.');
  }
  if (value.includes('#')) refuse('redirect-uri-fragment', 'redirect_uri must not have a fragment.');
  return { uri: value, registered: false };
}
