import { CALLBACK_PATH, FORM_POST_MARK } from '@/lib/contract/callback';
import { ApiError } from '@/lib/http/api-error';
import { readBytes, readMediaType } from '@/lib/http/json-body';

/**
 * Redirects an authorization response that was posted to the callback page (OAuth 2.0 Form Post Response Mode). The
 * redirect carries the response in its query, marked with `FORM_POST_MARK`.
 * @param origin the public origin of this installation
 * @throws ApiError payload_too_large, unsupported_media_type
 */
export async function redirectFormPost(request: Request, origin: string): Promise<Response> {
  if (readMediaType(request) !== 'application/x-www-form-urlencoded')
    throw new ApiError('unsupported_media_type', 'An authorization response is posted as a form.');
  const parameters = new URLSearchParams(Buffer.from(await readBytes(request)).toString('utf8'));
  const location = `${origin}${CALLBACK_PATH}?${parameters}${FORM_POST_MARK}`;
  return new Response(null, { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' } });
}
