import { describe, expect, it } from 'vitest';
import { FOLLOWED_ORIGINS, KeyOrigins } from '@/lib/statistics/key-origins';
import { HOUR } from '@/lib/units';
import { decisionEvent } from '../../fixtures/decision-event';

const KEY = 'key';
const AT = Date.UTC(2026, 10, 20, 12);
const use = (origins: KeyOrigins, part: Parameters<typeof decisionEvent>[1]) =>
  origins.add(decisionEvent(AT, { apiKeyId: KEY, ...part }), KEY);
const origins = () => new KeyOrigins((text) => text.replace('secret', '***'));

describe('where a key is used from', () => {
  it('is counted by address and by the beginning of the path', () => {
    const counted = origins();
    use(counted, { ip: '192.0.2.1', path: '/api/orders/7' });
    use(counted, { ip: '192.0.2.1', path: '/api/orders/8', outcome: 'refused' });
    use(counted, { ip: '192.0.2.2', path: '/' });
    expect(counted.take(10)).toEqual([
      [KEY, AT, 'ip', '192.0.2.1', 1, 1],
      [KEY, AT, 'path', '/api/orders', 1, 1],
      [KEY, AT, 'ip', '192.0.2.2', 1, 0],
      [KEY, AT, 'path', '/', 1, 0],
    ]);
    expect(counted.take(10)).toEqual([]);
  });

  it('adds what comes later to what was taken', () => {
    const counted = origins();
    use(counted, { ip: '192.0.2.1', path: null });
    counted.take(10);
    use(counted, { ip: '192.0.2.1', path: null });
    use(counted, { at: AT + HOUR, ip: '192.0.2.1', path: null });
    expect(counted.take(10)).toEqual([
      [KEY, AT, 'ip', '192.0.2.1', 1, 0],
      [KEY, AT + HOUR, 'ip', '192.0.2.1', 1, 0],
    ]);
  });

  it('follows a bounded number of addresses in an hour, and counts the others together', () => {
    const counted = origins();
    for (let n = 0; n < FOLLOWED_ORIGINS + 9; n += 1) use(counted, { ip: `192.0.2.${n}`, path: null });
    const rows = counted.take(1_000);
    expect(rows).toHaveLength(FOLLOWED_ORIGINS + 1);
    expect(rows.at(-1)).toEqual([KEY, AT, 'ip', '', 9, 0]);
  });

  it('keeps no secret of a path', () => {
    const counted = origins();
    use(counted, { ip: null, path: '/reset/secret' });
    expect(counted.take(1)).toEqual([[KEY, AT, 'path', '/reset/***', 1, 0]]);
  });
});
