import { describe, expect, it } from 'vitest';
import { parseStoredRevision, RevisionLog } from '@/lib/counters/redis/revision-log';

describe('the revision in Redis', () => {
  it('is revision, writes and installation', () => {
    expect(parseStoredRevision('12 3 ab-c')).toEqual({ revision: 12, writes: 3, installation: 'ab-c' });
    expect(parseStoredRevision('-1 3 ab-c')).toEqual({ revision: -1, writes: 3, installation: 'ab-c' });
  });

  it.each(['', '12', '12 3', '12 3 a b', ' 12 3 a', '12 3 a ', 'x 3 a', '12 -3 a', '--1 3 a', '1.5 3 a'])(
    'is unknown when it is %j',
    (text) => {
      expect(parseStoredRevision(text)).toBeNull();
    },
  );
});

describe('the log of the revision', () => {
  function opened() {
    const lines: [level: string, details: object, sentence: string][] = [];
    const write = (level: string) => (details: unknown, sentence?: string) => {
      lines.push([level, details as object, String(sentence)]);
    };
    return { lines, log: new RevisionLog({ warn: write('warn'), error: write('error') }, 'ours') };
  }

  it.each([
    ['', ['warn', { revision: 5 }, /^Redis holds no revision/]],
    ['3 1 ours', ['warn', { redis: 3, database: 5 }, /^Redis was behind/]],
    ['0 1 ours', ['warn', { redis: 0, database: 5 }, /^Redis was behind/]],
    ['9 1 ours', ['warn', { redis: 9, database: 5 }, /^Redis was ahead/]],
    ['9 1 theirs', ['warn', { revision: 5 }, /^Redis held the revision of another Sluice installation/]],
  ])('%j beside revision 5', (held, [level, details, pattern]) => {
    const { log: revisions, lines } = opened();
    revisions.logCorrection(held, 5, 0);
    expect(lines).toEqual([[level, details, expect.stringMatching(pattern as RegExp)]]);
  });

  it.each(['5 1 ours', '-1 1 ours', '3', 'nonsense'])('%j is nothing to write of', (held) => {
    const { log: revisions, lines } = opened();
    revisions.logCorrection(held, 5, 0);
    expect(lines).toEqual([]);
  });

  it('is written once for all groups that met it, and once a minute', () => {
    const { log: revisions, lines } = opened();
    revisions.logCorrection('9 1 ours', 5, 1_000);
    revisions.logCorrection('9 1 ours', 5, 500_000);
    revisions.logCorrection('9 3 ours', 5, 60_999);
    expect(lines).toHaveLength(1);
    revisions.logCorrection('9 5 ours', 5, 61_000);
    revisions.logCorrection('3 7 ours', 5, 61_000);
    expect(lines).toHaveLength(3);
    // A clock that went back far makes it no quieter.
    revisions.logCorrection('9 9 ours', 5, -500_000);
    expect(lines).toHaveLength(4);
  });

  it('becomes an error when another installation comes again', () => {
    const { log: revisions, lines } = opened();
    revisions.logCorrection('5 1 theirs', 5, 0);
    revisions.logCorrection('5 3 theirs', 5, 10);
    revisions.logCorrection('5 5 theirs', 5, 30_000);
    revisions.logCorrection('5 7 theirs', 5, 60_005);
    revisions.logCorrection('5 9 theirs', 5, 60_010);
    expect(lines.map(([level, , sentence]) => [level, sentence.split(' ', 2)[0]])).toEqual([
      ['warn', 'Redis'],
      ['error', 'Two'],
      ['error', 'Two'],
    ]);
    revisions.logCorrection('5 11 theirs', 5, 500_000);
    expect(lines.at(-1)?.[0]).toBe('warn');
  });
});
