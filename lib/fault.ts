import { StoreUnavailable } from '@/lib/counters/store';
import { ConstraintViolation, DatabaseUnavailable, toDatabaseError } from '@/lib/db/errors';
import { ApiError } from '@/lib/http/api-error';

/** The answer that a fault becomes; what is not known is an `internal_error` that tells nothing. */
export function toApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  const typed = toDatabaseError(fault);
  if (typed instanceof DatabaseUnavailable || typed instanceof StoreUnavailable) {
    return new ApiError('service_unavailable', 'The store is out of reach; nothing was changed.', {
      headers: { 'Retry-After': '2' },
      cause: fault,
    });
  }
  if (typed instanceof ConstraintViolation)
    return new ApiError('conflict', 'Somebody else changed the same thing at the same time.', { cause: fault });
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause: fault });
}
