import { StoreUnavailable } from '@/lib/counters/store';
import { ConstraintViolation, DatabaseUnavailable, toDatabaseError } from '@/lib/db/errors';
import { ApiError } from '@/lib/http/api-error';

/** The error that answers a fault; an unknown fault is an `internal_error` without details. */
export function toApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  const typed = toDatabaseError(fault);
  if (typed instanceof DatabaseUnavailable || typed instanceof StoreUnavailable) {
    return new ApiError('service_unavailable', 'The store is down; nothing was changed.', {
      headers: { 'Retry-After': '2' },
      cause: fault,
    });
  }
  if (typed instanceof ConstraintViolation)
    return new ApiError('conflict', 'Someone else changed this at the same time.', { cause: fault });
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause: fault });
}
