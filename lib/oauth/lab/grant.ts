import { base64url } from 'jose';
import type { LabServices } from '@/lib/oauth/lab/services';

/** What was granted to whom: access tokens, ID tokens and refresh tokens are issued from it. */
export interface Grant {
  /** All tokens that came of one code, refreshed ones included, share it. */
  grantId: string;
  clientId: string;
  scope: string;
  nonce: string | null;
  /** RFC 8707; empty means `/api/data`. */
  resources: readonly string[];
  /** RFC 9449: thumbprint of the key that tokens are bound to, or null. */
  thumbprint: string | null;
}

/** A new grant's id. */
export function newGrantId(lab: LabServices): string {
  return base64url.encode(lab.random(16));
}
