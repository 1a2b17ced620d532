import { ApiError } from '@/lib/http/api-error';

/** The refusal of one field that its schema alone cannot judge. `message` goes on from the name: "must lie ...". */
export function invalidField(path: string, message: string): ApiError {
  return new ApiError('invalid_request', `The request is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
