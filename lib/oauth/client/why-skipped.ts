import { CLIENT_STEPS, type ClientStep } from '@/lib/oauth/client/client-step';
import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import { type ClientFlow, hasOpenidScope } from '@/lib/oauth/client/plan-request';
import { findEndpoint, type ServerMetadata } from '@/lib/oauth/client/server-metadata';

const GRANTS: Readonly<Partial<Record<ClientStep, string>>> = {
  refresh: 'refresh_token',
  client_credentials: 'client_credentials',
};

/** Returns why the flow skips a step, or null if it does not. A person can still send the step. */
export function explainSkip(
  step: ClientStep,
  environment: ClientEnvironment,
  metadata: ServerMetadata | null,
): string | null {
  const { endpoint } = CLIENT_STEPS[step];
  if (metadata !== null && endpoint !== null && findEndpoint(endpoint, environment, metadata) === '')
    return `The server does not offer this: its metadata name no ${endpoint}. If it has one, enter it under Endpoints.`;
  const grant = GRANTS[step];
  if (grant !== undefined && metadata?.grant_types_supported?.includes(grant) === false)
    return `The server does not offer this: its metadata do not list the grant ${grant}.`;
  const isPublic = environment.authentication === 'none';
  if (step === 'introspect' && isPublic)
    return 'Public clients skip this: only callers that authenticate may introspect tokens (RFC 7662 section 2.1).';
  if (step === 'client_credentials' && isPublic)
    return 'Public clients skip this: the grant is for clients that authenticate (RFC 6749 section 4.4).';
  if (step === 'userinfo' && !hasOpenidScope(environment.scope))
    return 'Skipped without the scope openid: userinfo belongs to OpenID Connect.';
  return null;
}

/** Returns what a step needs and the flow lacks, or null if nothing is missing. */
export function describeMissingValue(step: ClientStep, flow: ClientFlow): string | null {
  if (step === 'token' && flow.code === '') return 'There is no code yet: authorize first.';
  if (step === 'refresh' && flow.refreshToken === '')
    return 'There is no refresh token yet. Many servers give one for the scope offline_access only.';
  const wantsToken = step === 'userinfo' || step === 'resource' || step === 'introspect' || step === 'revoke';
  return wantsToken && flow.accessToken === '' ? 'There is no access token yet.' : null;
}
