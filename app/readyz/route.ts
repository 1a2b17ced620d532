import { MIGRATIONS_FOLDER } from '@/lib/db/migrations-folder';
import { checkHealth } from '@/lib/health/check-health';
import { getOnly } from '@/lib/health/get-only';
import { readiness } from '@/lib/health/readiness';
import { runtime } from '@/lib/runtime';
import { isShuttingDown } from '@/lib/shutdown-state';

export const dynamic = 'force-dynamic';

const monotonic = () => performance.now();

async function check() {
  const { database, counters, breaker } = await runtime();
  return checkHealth({ database, counters, breaker, migrationsFolder: MIGRATIONS_FOLDER, monotonic });
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = getOnly((request) =>
  readiness(request, { isShuttingDown, check }),
);
