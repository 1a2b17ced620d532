import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { LogSync } from '@/lib/db/log-sync';

/** A log whose calls of fdatasync end when the test says so: `onDisk` is what a power cut would leave. */
function slowDisk() {
  const disk = { committed: 0, onDisk: 0, calls: 0 };
  const running: (() => void)[] = [];
  const log = new LogSync(async () => ({
    datasync() {
      disk.calls += 1;
      const covered = disk.committed;
      return new Promise<void>((resolve) => {
        running.push(() => {
          disk.onDisk = covered;
          resolve();
        });
      });
    },
    close: async () => undefined,
  }));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { disk, log, running, settle };
}

describe('the log', () => {
  it('has what was committed before durable() was asked, whatever comes in between', async () => {
    const step = fc.constantFrom('commit', 'end of a sync');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { disk, log, running, settle } = slowDisk();
        const answers: Promise<void>[] = [];
        for (const next of steps) {
          if (next === 'commit') {
            disk.committed += 1;
            const mine = disk.committed;
            answers.push(log.waitUntilDurable().then(() => expect(disk.onDisk).toBeGreaterThanOrEqual(mine)));
          } else running.shift()?.();
          await settle();
        }
        while (disk.onDisk < disk.committed) {
          running.shift()?.();
          await settle();
        }
        await Promise.all(answers);
      }),
      { numRuns: 50 },
    );
  });

  it('is synced once for all that wait', async () => {
    const { disk, log, running, settle } = slowDisk();
    const commit = () => {
      disk.committed += 1;
      return log.waitUntilDurable();
    };
    const first = commit();
    await settle();
    const others = Array.from({ length: 20 }, commit);
    running.shift()?.();
    await first;
    await settle();
    running.shift()?.();
    await Promise.all(others);
    expect(disk).toEqual({ committed: 21, onDisk: 21, calls: 2 });
  });

  it('keeps nothing any more after a sync that failed', async () => {
    let calls = 0;
    const datasync = async () => {
      calls += 1;
      if (calls === 1) throw new Error('EIO');
    };
    const log = new LogSync(async () => ({ datasync, close: async () => undefined }));
    await expect(log.waitUntilDurable()).rejects.toThrow(DatabaseUnavailable);
    // The system may say yes to the next call and have dropped the pages.
    await expect(log.waitUntilDurable()).rejects.toThrow(DatabaseUnavailable);
    expect(() => log.requireWorking()).toThrow('restart Sluice');
    expect(calls).toBe(1);
  });
});
