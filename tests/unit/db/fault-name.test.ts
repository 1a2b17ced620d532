import { expect, test, vi } from 'vitest';

/** The modules as another bundle of the same process has them. */
async function copy() {
  vi.resetModules();
  const [{ ConstraintViolation, DatabaseUnavailable }, { StoreUnavailable }, { BreakerOpen }, { convertFault }] =
    await Promise.all([
      import('@/lib/db/errors'),
      import('@/lib/counters/store'),
      import('@/lib/counters/breaker'),
      import('@/lib/fault'),
    ]);
  return { ConstraintViolation, DatabaseUnavailable, StoreUnavailable, BreakerOpen, convertFault };
}

test('a fault of the services is known in every bundle', async () => {
  const [first, other] = [await copy(), await copy()];
  expect(first.StoreUnavailable).not.toBe(other.StoreUnavailable);
  for (const name of ['ConstraintViolation', 'DatabaseUnavailable', 'StoreUnavailable'] as const) {
    expect(new first[name]('x')).toBeInstanceOf(other[name]);
  }
  expect(other.convertFault(new first.StoreUnavailable('x')).status).toBe(503);
  expect(other.convertFault(new first.DatabaseUnavailable('x')).status).toBe(503);
  expect(other.convertFault(new first.BreakerOpen('x')).status).toBe(503);
  expect(other.convertFault(new first.ConstraintViolation('x')).status).toBe(409);
});

test('and is not taken for another one', async () => {
  const { ConstraintViolation, DatabaseUnavailable, StoreUnavailable, BreakerOpen } = await copy();
  expect(new StoreUnavailable('x')).not.toBeInstanceOf(BreakerOpen);
  expect(new BreakerOpen('x')).toBeInstanceOf(StoreUnavailable);
  expect(new ConstraintViolation('x')).not.toBeInstanceOf(DatabaseUnavailable);
  expect(new Error('x')).not.toBeInstanceOf(StoreUnavailable);
  expect({ name: 'StoreUnavailable' }).not.toBeInstanceOf(StoreUnavailable);
});
