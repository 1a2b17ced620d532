import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';

/** The authorization server gave something. */
export const wasGranted = (outcome: AuthorizationOutcome): boolean => outcome.kind === 'granted';
/** The token endpoint gave tokens. */
export const wasIssued = (outcome: TokenOutcome): boolean => outcome.kind === 'issued';
/** The resource server answered with what it protects. */
export const wasAccepted = (outcome: { accepted: boolean }): boolean => outcome.accepted;
/** The code in an authorization response, or null. */
export const codeOf = (outcome: AuthorizationOutcome): string | null =>
  outcome.kind === 'granted' ? (outcome.parameters.code ?? null) : null;
/** The tokens in a token response, or null. */
export const tokensOf = (outcome: TokenOutcome) => (outcome.kind === 'issued' ? outcome.tokens : null);
