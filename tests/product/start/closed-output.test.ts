import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startProduct } from '../../fixtures/product';

/** Writes as Next does when it notices a fault. */
const WRITER = encodeURIComponent(
  "process.on('SIGUSR2', () => { process.stderr.write('fault'); process.stdout.write('fault'); });",
);

it.each(['server.mjs', 'next start'] as const)(
  '%s serves on without a reader of its output, and does not repeat a failed write',
  async (entry) => {
    const env = { SLUICE_LOG_LEVEL: 'debug', NODE_OPTIONS: `--import=data:text/javascript,${WRITER}` };
    const product = await startProduct({ entry, env });
    onTestFinished(() => product.stop().then(() => undefined));
    const { pid, stdout, stderr } = product.process;
    stdout?.destroy();
    stderr?.destroy();
    const countWrites = () => Number(/^syscw: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
    const ask = async () => {
      // A page, an operation, and a fault that is logged.
      for (const path of ['/sign-in', '/v1/admin/policies', '/v1/admin/unknown'])
        expect((await product.admin('GET', path)).status).toBeLessThan(500);
    };
    await ask();
    product.process.kill('SIGUSR2');
    await ask();
    const before = countWrites();
    await wait(2_000);
    expect(countWrites() - before).toBeLessThan(200);
    await ask();
  },
);
