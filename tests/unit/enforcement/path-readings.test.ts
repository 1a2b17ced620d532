import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlain, listReadings } from '@/lib/enforcement/path-readings';
import { LAST_SPELLINGS, SPELLINGS } from '../../fixtures/path-spellings';

const lower = (path: string) => listReadings(path).map((reading) => reading.toLowerCase());

const names = fc.constantFrom('users', '43', 'login', 'api', 'v1', 'verify-otp', 'a.b', '~x', 'r$s');
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
const pieces = fc.constantFrom(
  '#',
  '/',
  '.',
  '..',
  'a',
  'B',
  '\\',
  ' ',
  '%',
  '%2f',
  '%2e',
  '%25',
  '5c',
  '%ff',
  ';',
  'é',
  '?',
);
const anything = fc.array(pieces, { maxLength: 16 }).map((all) => `/${all.join('')}`);

describe('the readings of a path', () => {
  it.each([
    ['/users/43%2f1/verify-otp', ['/users/43/1/verify-otp', '/users/43%2f1/verify-otp']],
    ['/api/%61dmin/x%ff', ['/api/admin/x%ff']],
    ['/api/%61dmin/%zz%', ['/api/admin/%zz%']],
    ['/caf%C3%A9', ['/caf%C3%A9']],
    ['/login;jsessionid=1', ['/login', '/login;jsessionid=1']],
    ['/..;/login', ['/login', '/..;/login', '/../login', '/', '/..']],
    ['/api\\data', ['/api/data', '/api\\data']],
    ['/a/./b/', ['/a/b', '/a/b/', '/a/./b', '/a/./b/']],
    ['/a//../b', ['/b', '/a/b', '/a//../b', '/a/../b']],
    ['/%2561pi', ['/api', '/%61pi']],
    ['/a%3fb', ['/a', '/a?b']],
    ['//host/a', ['/host/a', '//host/a', '/a']],
    ['/.well-known/x', ['/.well-known/x']],
    ['/', ['/']],
    ['', ['/']],
    ['*', ['/*']],
    ['/a#/../b', ['/a', '/b', '/a#/../b']],
    ['/login%20', ['/login', '/login ']],
    ['/login.', ['/login', '/login.']],
  ])('%s', (path, expected) => {
    expect([...listReadings(path)].sort()).toEqual([...expected].sort());
  });

  it('of a plain path are the path alone', () => {
    fc.assert(
      fc.property(paths, (path) => {
        expect(isPlain(path)).toBe(true);
        expect(listReadings(path)).toEqual([path]);
      }),
    );
    // What is read in several ways is not plain.
    fc.assert(
      fc.property(anything, (path) => path.includes('?') || !isPlain(path) || listReadings(`${path}/.`).includes(path)),
    );
  });

  it.each([...SPELLINGS, ...LAST_SPELLINGS])('have the plain path in them: $name', ({ of }) => {
    for (const path of ['/login', '/users/43/verify-otp', '/API/v4/x']) {
      for (const spelled of of(path)) expect(lower(spelled), spelled).toContain(path.toLowerCase());
    }
  });

  it('have the plain path in them where it is spelled in two ways at once', () => {
    const spelling = fc.constantFrom(...SPELLINGS);
    fc.assert(
      fc.property(paths, spelling, spelling, fc.nat(), fc.nat(), (path, one, other, first, second) => {
        const once = one.of(path);
        const here = once[first % Math.max(1, once.length)] ?? path;
        const twice = other.of(here);
        const spelled = twice[second % Math.max(1, twice.length)] ?? here;
        expect(lower(spelled), spelled).toContain(path.toLowerCase());
      }),
      { numRuns: 5_000 },
    );
  });

  it('are few and short, whatever is sent', () => {
    const sizes = (path: string) => {
      const readings = listReadings(path);
      expect(new Set(readings).size).toBe(readings.length);
      expect(readings.length).toBeLessThanOrEqual(150);
      for (const reading of readings) {
        expect(reading.startsWith('/')).toBe(true);
        expect(reading.length).toBeLessThanOrEqual(path.length + 1);
      }
    };
    fc.assert(fc.property(anything, sizes), { numRuns: 2_000 });
    const repeated = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(repeated, (piece) => sizes(`/${piece.repeat(8_192)}`.slice(0, 8_192))),
      { numRuns: 100 },
    );
  });
});
