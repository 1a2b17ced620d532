import { isIP } from 'node:net';
import { type AllowedTargets, isPublicAddress, whyClosed } from '@/lib/http/allowed-targets';
import { invalidField } from '@/lib/http/input';

/**
 * Refuses what is seen without a look-up: addresses that are closed, and http to public ones. Names are checked as they
 * are connected to, each time.
 * @throws ApiError invalid_request
 */
export function requireOpenUrl(url: string, allowed: AllowedTargets): void {
  const { hostname, protocol } = new URL(url);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return;
  const closed = whyClosed(address, address, allowed);
  if (closed !== null) throw invalidField('url', `is ${closed}; SLUICE_ASSESS_ALLOW opens private ones`);
  if (protocol === 'http:' && isPublicAddress(address)) throw invalidField('url', 'must be https');
}
