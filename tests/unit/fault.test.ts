import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '@/lib/counters/store';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { convertFault } from '@/lib/fault';

const NOTHING = 'The store is down; nothing was changed.';
const UNKNOWN = 'The store is down. If you changed something, check whether the change was made.';

function fail(code: string, cause?: Error): Error {
  return Object.assign(new Error('It failed.', { cause }), { code });
}

describe('the answer to a change that met a store that is down', () => {
  it.each([
    ['a full disk', fail('SQLITE_FULL')],
    ['a lock', new DatabaseUnavailable('The database is down.', { cause: fail('SQLITE_BUSY') })],
    ['a read-only server', fail('SQLITE_READONLY')],
    ['a server that blocks writes', fail('BLOCKED')],
    ['a transaction that took too long', fail('TRANSACTION_TIMEOUT')],
    ['a refused connection', fail('ECONNABORTED', new TypeError('fetch failed', { cause: fail('ECONNREFUSED') }))],
    ['an unknown host', fail('ECONNABORTED', fail('ENOTFOUND'))],
  ])('says after %s that nothing was changed', (_, fault) => {
    expect(convertFault(fault)).toMatchObject({ status: 503, message: NOTHING });
  });

  it.each([
    ['a lost answer', fail('ECONNABORTED', new TypeError('fetch failed', { cause: fail('UND_ERR_SOCKET') }))],
    ['a gateway in between', fail('SERVER_ERROR')],
    ['a primary that did not answer its replica', fail('PROXY_ERROR')],
    ['a sync of the log that failed', new DatabaseUnavailable('The log cannot be synced.', { cause: fail('EIO') })],
    ['a Redis that was lost after the record was written', new StoreUnavailable('Redis is down.')],
  ])('does not say so after %s', (_, fault) => {
    expect(convertFault(fault)).toMatchObject({ status: 503, message: UNKNOWN });
  });
});
