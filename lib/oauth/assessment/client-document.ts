import { CALLBACK_PATH, CLIENT_DOCUMENT_PATH } from '@/lib/contract/callback';

/** Describes the client of assessments at an origin (OAuth Client ID Metadata Document). */
export function describeClient(origin: string): Record<string, unknown> {
  return {
    client_id: origin + CLIENT_DOCUMENT_PATH,
    client_name: 'Sluice assessment',
    client_uri: origin,
    redirect_uris: [origin + CALLBACK_PATH],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}
