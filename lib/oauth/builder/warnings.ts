import type { BuilderRequest } from '@/lib/oauth/builder/builder-request';

/** Something to know before sending, and where it stands. */
export interface BuilderWarning {
  id: 'strict-redirect-uri' | 'require-state' | 'require-pkce' | 'validate-audience';
  /** The field that it is shown at. */
  field: 'redirect_uri' | 'state' | 'code_challenge' | 'audience';
  text: string;
}

/** The builder's four warnings (specification, section 1), as they hold for a request. */
export function warningsFor(request: BuilderRequest): BuilderWarning[] {
  const { fields, controls, tab } = request;
  const warnings: BuilderWarning[] = [];
  if (!controls['strict-redirect-uri']) {
    warnings.push({
      id: 'strict-redirect-uri',
      field: 'redirect_uri',
      text: 'Strict redirect-URI validation is OFF: any URI may be accepted.',
    });
  }
  if (tab === 'authorize' && !fields.state) {
    warnings.push({
      id: 'require-state',
      field: 'state',
      text: 'No state parameter is sent: the flow is open to CSRF.',
    });
  }
  if (tab === 'authorize' && controls['require-pkce'] && !fields.code_challenge) {
    warnings.push({
      id: 'require-pkce',
      field: 'code_challenge',
      text: 'PKCE is required: the authorization request will fail without code_challenge.',
    });
  }
  if (!controls['validate-audience']) {
    warnings.push({
      id: 'validate-audience',
      field: 'audience',
      text: 'Audience validation is OFF: a token for another service is accepted.',
    });
  }
  return warnings;
}
