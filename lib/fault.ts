import type { Logger } from 'pino';
import { StoreUnavailable } from '@/lib/counters/store';
import {
  ConstraintViolation,
  convertDatabaseError,
  DatabaseUnavailable,
  mayBeWritten,
  UnreadableRow,
} from '@/lib/db/errors';
import { ApiError } from '@/lib/http/api-error';

/** Converts a fault to the error that is sent. An unexpected fault becomes an `internal_error` without details. */
export function convertFault(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  const typed = convertDatabaseError(fault);
  if (typed instanceof DatabaseUnavailable || typed instanceof StoreUnavailable) {
    const sentence = mayBeWritten(fault)
      ? 'The store is down. If you changed something, check whether the change was made.'
      : 'The store is down; nothing was changed.';
    return new ApiError('service_unavailable', sentence, {
      headers: { 'Retry-After': '2' },
      cause: fault,
    });
  }
  if (typed instanceof UnreadableRow) return new ApiError('service_unavailable', typed.message, { cause: fault });
  if (typed instanceof ConstraintViolation)
    return new ApiError('conflict', 'Someone else changed this at the same time.', { cause: fault });
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause: fault });
}

/** Returns whether a fault means that a dependency is down. */
export function isOutage(fault: unknown): boolean {
  const typed = convertDatabaseError(fault);
  return typed instanceof DatabaseUnavailable || typed instanceof StoreUnavailable;
}

/**
 * Logs the fault behind a 5xx error. An outage is logged once, where it is detected (`OutageLog`), and not again for
 * every request that it fails.
 */
export function logFailure(
  logger: Pick<Logger, 'error' | 'debug'> | undefined,
  error: ApiError,
  fields: { requestId: string; operation?: string },
  message: string,
): void {
  if (error.status < 500) return;
  const fault = error.cause ?? error;
  logger?.[isOutage(fault) ? 'debug' : 'error']({ ...fields, err: fault }, message);
}
