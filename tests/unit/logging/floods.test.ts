import { beforeEach, describe, expect, it } from 'vitest';
import { LineGate } from '@/lib/logging/line-gate';
import { makeLogger } from '@/lib/logging/logger';
import { DATABASE_OUTAGE, OutageLog } from '@/lib/logging/outage-log';
import { RequestLog } from '@/lib/logging/request-log';

interface Line {
  level: string;
  message: string;
  [field: string]: unknown;
}

let lines: Line[];
let minuteEnds: () => void;
let gate: LineGate;
const later = (work: () => void) => {
  minuteEnds = work;
};

beforeEach(() => {
  lines = [];
  minuteEnds = () => {
    throw new Error('No minute has begun.');
  };
  gate = new LineGate({ most: 3, later });
});

const loggerAt = (level: 'info' | 'debug') =>
  makeLogger({ level, lines: gate, destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });

describe('lines of one message', () => {
  it('are written up to a number a minute, and then counted', () => {
    const logger = loggerAt('info');
    for (let n = 0; n < 1_000; n += 1) logger.error({ n }, 'it broke');
    logger.info('something else');
    logger.debug('unseen');
    expect(lines.map(({ message }) => message)).toEqual(['it broke', 'it broke', 'it broke', 'something else']);
    minuteEnds();
    expect(lines.at(-1)).toMatchObject({ level: 'error', message: 'lines summed up', line: 'it broke', count: 997 });
    expect(gate).toMatchObject({ withheld: 997, written: { error: 4, warn: 0, info: 1, debug: 0 } });
    logger.error('it broke');
    expect(lines.at(-1)).toMatchObject({ message: 'it broke' });
    minuteEnds();
    expect(lines).toHaveLength(6);
  });

  it('are all written at debug', () => {
    const logger = loggerAt('debug');
    for (let n = 0; n < 100; n += 1) logger.warn('it broke');
    expect(lines).toHaveLength(100);
  });

  it('are bounded in number of messages, too', () => {
    const logger = loggerAt('info');
    for (let n = 0; n < 2_000; n += 1) logger.warn(`message ${n}`);
    expect(lines).toHaveLength(503);
    minuteEnds();
    expect(lines.at(-1)).toMatchObject({ message: 'lines summed up', line: 'other messages', count: 1_497 });
  });
});

describe('answered requests', () => {
  const request = { requestId: 'r-12345678', method: 'GET', path: '/api/data', duration: 1.23456 };
  const logAt = (level: 'info' | 'debug') => {
    const log = new RequestLog({ logger: loggerAt(level), lines: gate, later });
    return (status: number, address = '203.0.113.7', isQuiet = false) =>
      log.log({ ...request, status, address }, isQuiet);
  };

  it('are errors for our own faults only', () => {
    const log = logAt('info');
    for (const status of [200, 429, 503, 500]) log(status);
    expect(lines.map(({ level }) => level)).toEqual(['info', 'info', 'info', 'error']);
    expect(lines[0]).toMatchObject({ message: 'request', duration: 1.23, status: 200, path: '/api/data' });
  });

  it('of probes and files are seen at debug, unless they failed', () => {
    const log = logAt('info');
    log(200, '203.0.113.7', true);
    expect(lines).toEqual([]);
    log(503, '203.0.113.7', true);
    expect(lines).toMatchObject([{ level: 'info', status: 503 }]);
    lines = [];
    logAt('debug')(200, '203.0.113.7', true);
    expect(lines).toMatchObject([{ level: 'debug', status: 200 }]);
  });

  it('that were refused: of each identity the first few, then their number', () => {
    const log = logAt('info');
    for (let n = 0; n < 1_000; n += 1) log(n % 10 === 0 ? 404 : 429, `2001:db8:0:7::${n + 1}`);
    log(429, '198.51.100.1');
    log(200, '2001:db8:0:7::1');
    expect(lines.filter(({ status }) => status !== 200)).toHaveLength(6);
    expect(lines.filter(({ status }) => status === 200)).toHaveLength(1);
    minuteEnds();
    expect(lines.slice(7)).toEqual([
      expect.objectContaining({
        level: 'info',
        message: 'requests summed up',
        address: '2001:db8:0:7::/64',
        requests: 995,
        statuses: { 404: 99, 429: 896 },
      }),
    ]);
    expect(gate.withheld).toBe(995);
    log(429, '2001:db8:0:7::1');
    expect(lines.at(-1)).toMatchObject({ message: 'request', status: 429 });
  });

  it('that were refused to a botnet: a bounded number of lines', () => {
    const log = logAt('info');
    const flood = 100_000;
    for (let n = 0; n < flood; n += 1) log(429, `10.${n % 7}.${n % 251}.${n % 199}`);
    expect(lines).toHaveLength(600);
    minuteEnds();
    const sums = lines.slice(600);
    expect(sums).toHaveLength(21);
    expect(sums.at(-1)).toMatchObject({ address: null });
    expect(sums.reduce((sum, { requests }) => sum + Number(requests), 600)).toBe(flood);
  });

  it('that were admitted: a bounded number, and the rest by status', () => {
    const log = logAt('info');
    for (let n = 0; n < 10_000; n += 1) log(n % 2 === 0 ? 200 : 304);
    expect(lines).toHaveLength(6_000);
    minuteEnds();
    expect(lines.slice(6_000)).toMatchObject([
      { address: null, requests: 4_000, statuses: { 200: 2_000, 304: 2_000 } },
    ]);
  });

  it('are all written at debug', () => {
    const log = logAt('debug');
    for (let n = 0; n < 1_000; n += 1) log(429);
    expect(lines).toHaveLength(1_000);
  });
});

describe('an outage', () => {
  let now = 0;
  const down = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const outage = () => new OutageLog({ logger: loggerAt('info'), lines: DATABASE_OUTAGE, monotonic: () => now });
  const said = () => lines.map(({ level, message }) => `${level}: ${message}`);

  it('is logged once with its code, once a minute with the failures, and when it is over', () => {
    const log = outage();
    log.recordSuccess();
    for (now = 0; now <= 125_000; now += 100) log.recordFailure(down);
    log.recordSuccess();
    log.recordSuccess();
    expect(said()).toEqual([
      'error: the database is down',
      'error: the database is still down',
      'error: the database is still down',
      'info: the database is back',
    ]);
    expect(lines[0]).toMatchObject({ err: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' } });
    expect(lines[1]).toMatchObject({ failures: 601, seconds: 60, err: { code: 'ECONNREFUSED' } });
    expect(lines[3]).toMatchObject({ failures: 1_251, seconds: 125 });
  });

  it('of writes is over when a write works: a full disk can be read', () => {
    const log = outage();
    log.recordFailure(down, true);
    for (let n = 0; n < 10; n += 1) {
      log.recordSuccess();
      log.recordFailure(down, true);
    }
    log.recordSuccess(true);
    log.recordFailure(down);
    log.recordSuccess();
    expect(said()).toEqual([
      'error: the database is down',
      'info: the database is back',
      'error: the database is down',
      'info: the database is back',
    ]);
  });
});
