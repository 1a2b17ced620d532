import { runLongRound } from '@/lib/admin/housekeeping/rounds';
import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import { runHousekeeping as contract } from '@/lib/contract/service';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/**
 * Runs the work that a long-lived process does periodically, for platforms without such processes.
 * Their scheduler calls it with `Authorization: Bearer <CRON_SECRET>`.
 */
export const runHousekeeping = implement(contract, async ({ services, facts }) => {
  const secret = services.config.CRON_SECRET;
  if (secret === undefined) throw new ApiError('not_found', 'There is no such resource.');
  if (!isConfiguredSecret(digestSecret(facts.headers.get('authorization') ?? ''), `Bearer ${secret}`)) {
    throw new ApiError('unauthorized', 'The cron secret is missing or wrong.', {
      headers: { 'WWW-Authenticate': 'Bearer realm="sluice"' },
    });
  }
  return { swept_counters: await runLongRound(services) };
});
