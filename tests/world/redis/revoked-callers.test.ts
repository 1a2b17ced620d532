import { describe } from 'vitest';
import { migratedDatabase } from '../../fixtures/migrated-database';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { describeRevokedCallers } from '../../fixtures/revoked-callers';
import { servicesOn } from '../../fixtures/services';

describe.skipIf(redisIsMissing('world/redis/revoked-callers'))('with counters in Redis', () => {
  describeRevokedCallers('the token of a caller', async () => {
    const [server, file] = await Promise.all([RedisServer.start(), migratedDatabase()]);
    const environment = { REDIS_URL: server.url };
    const [one, other] = [
      await servicesOn(file.database, environment, () => Date.now()),
      await servicesOn(file.reopen(), environment, () => Date.now()),
    ];
    return {
      ...{ one, other },
      async stop() {
        await Promise.all([one.counters.close(), other.counters.close()]);
        file[Symbol.dispose]();
        await server.stop();
      },
    };
  });
});
