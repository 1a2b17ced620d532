import type { LabClient } from '@/lib/oauth/lab/clients';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import type { Violation, Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';

/** A token request from an identified sender. */
export interface TokenRequest {
  client: LabClient;
  parameters: Parameters;
  violations: Violations;
  /** Records an `invalid_grant` violation. */
  invalidGrant(control: Violation['control'], description: string): void;
  /** Thumbprint of the key that new tokens are bound to (RFC 9449), or null. */
  thumbprint: string | null;
  /** Thumbprint of the certificate that new tokens are bound to (RFC 8705), or null. */
  certificate: string | null;
}

/** A grant type of the token endpoint. Returns the response, or null if the request is refused. */
export type RedeemGrant = (request: TokenRequest, lab: Lab) => Promise<Record<string, string | number> | null>;
