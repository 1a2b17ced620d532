import type { LabClient } from '@/lib/oauth/lab/clients';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import type { SortedViolations, Violation } from '@/lib/oauth/lab/violation';

/** A token request whose sender is known. */
export interface TokenRequest {
  client: LabClient;
  parameters: Parameters;
  /** What is wrong with it so far. */
  violations: readonly Violation[];
  /** RFC 9449: the key that new tokens are to be bound to, or null. */
  thumbprint: string | null;
}

/** What came of a token request. `response` is null when it was refused. */
export interface TokenRequestOutcome extends SortedViolations {
  response: Record<string, string | number> | null;
}
