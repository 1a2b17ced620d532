import { checkHealth } from '@/lib/admin/service/check-health';
import { guardRoute } from '@/lib/api/guard';
import { migrationsIn } from '@/lib/db/migrate';
import { resourceHandlers } from '@/lib/http/methods';
import { bridge } from '@/lib/process/bridge';
import { readiness } from '@/lib/process/readiness';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
async function check() {
  const { config, database, counters, breaker } = await runtime();
  const monotonic = () => performance.now();
  const migrationsFolder = migrationsIn(config.directory);
  return checkHealth({ database, counters, breaker, migrationsFolder, monotonic });
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = guardRoute(
  runtime,
  resourceHandlers({
    GET: (request) => readiness(request, { isStopping: () => bridge.isStopping === true, check }),
  }),
);
