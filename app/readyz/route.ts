import { MIGRATIONS_FOLDER } from '@/lib/db/migrations-folder';
import { resourceHandlers } from '@/lib/http/handlers';
import { checkHealth } from '@/lib/process/health/check-health';
import { readiness } from '@/lib/process/health/readiness';
import { runtime } from '@/lib/process/runtime';
import { isShuttingDown } from '@/lib/process/shutdown-state';

export const dynamic = 'force-dynamic';

const monotonic = () => performance.now();

async function check() {
  const { database, counters, breaker } = await runtime();
  return checkHealth({ database, counters, breaker, migrationsFolder: MIGRATIONS_FOLDER, monotonic });
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resourceHandlers({
  GET: (request) => readiness(request, { isShuttingDown, check }),
});
