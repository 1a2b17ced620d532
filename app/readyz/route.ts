import { checkHealth } from '@/lib/admin/service/check-health';
import { MIGRATIONS_FOLDER } from '@/lib/db/migrate';
import { resourceHandlers } from '@/lib/http/methods';
import { bridge } from '@/lib/process/bridge.mjs';
import { readiness } from '@/lib/process/readiness';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
async function check() {
  const { database, counters, breaker } = await runtime();
  const monotonic = () => performance.now();
  return checkHealth({ database, counters, breaker, migrationsFolder: MIGRATIONS_FOLDER, monotonic });
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resourceHandlers({
  GET: (request) => readiness(request, { isStopping: () => bridge.isStopping === true, check }),
});
