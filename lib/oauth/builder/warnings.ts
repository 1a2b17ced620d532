import type { BuilderRequest } from '@/lib/oauth/builder/builder-request';

/** The builder's four warnings (specification, section 1), and the field that each is shown at. */
const WARNINGS = [
  {
    id: 'strict-redirect-uri',
    field: 'redirect_uri',
    text: 'Strict redirect-URI validation is OFF: any URI may be accepted.',
    holds: ({ controls }: BuilderRequest) => !controls['strict-redirect-uri'],
  },
  {
    id: 'require-state',
    field: 'state',
    text: 'No state parameter is sent: the flow is open to CSRF.',
    holds: ({ tab, fields }: BuilderRequest) => tab === 'authorize' && !fields.state,
  },
  {
    id: 'require-pkce',
    field: 'code_challenge',
    text: 'PKCE is required: the authorization request will fail without code_challenge.',
    holds: ({ tab, fields, controls }: BuilderRequest) =>
      tab === 'authorize' && controls['require-pkce'] && !fields.code_challenge,
  },
  {
    id: 'validate-audience',
    field: 'audience',
    text: 'Audience validation is OFF: a token for another service is accepted.',
    holds: ({ controls }: BuilderRequest) => !controls['validate-audience'],
  },
] as const;

/** Those of the builder's warnings that hold for a request. */
export function warningsFor(request: BuilderRequest) {
  return WARNINGS.filter(({ holds }) => holds(request)).map(({ holds: _, ...warning }) => warning);
}
