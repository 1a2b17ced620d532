import { ApiError } from '@/lib/http/api-error';

/** The error for one field that its schema cannot check. `message` continues from the name: "must lie ...". */
export function invalidField(path: string, message: string): ApiError {
  return new ApiError('invalid_request', `The request is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
