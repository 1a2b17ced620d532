import fc from 'fast-check';
import { LAST_SPELLINGS, SPELLINGS } from '../../fixtures/path-spellings';

const PLAIN = ['/login', '/users/43', '/users/43/verify-otp', '/files/a/b', '/api/admin/x', '/public/home'];

/** What no plain path becomes by one of the spellings. */
const OTHERS = [
  '/users/43%2f1/verify-otp',
  '/users/group%2Fproject',
  '/users/%2e%2e/login',
  '/users/..%2flogin',
  '/files/%2e%2e/login',
  '/files/..%2f..%2flogin',
  '/files/..%5clogin',
  '/public/..;/login',
  '/public/%2e%2e%3b/login',
  '/public/x%2f..%2f..%2flogin',
  '/public/%252e%252e%252flogin',
  '/api/%61dmin/x%ff',
  '/api/admin/%zz',
  '/api/admin/x%',
  '/api/admin/%c0%af',
  '/api/admin/caf%C3%A9',
  '/public/home#/../../login',
  '/login#x',
  '/login%00',
  '/login%20',
  '/public/a;b/../../login',
  '/public/%2f..%2f..%2flogin',
  '/..//login',
  '/../login',
  '/public/%2e/../../login',
  '/public//..//..//login',
  '/public/home/%2e%2e/%2e%2e/login',
  '/api/admin/../../login',
  '/api/public/../admin/x',
  '/files//../login',
  '/files/;x/../../login',
];

/** Every spelling once, then two at a time, drawn with a fixed seed. */
export function corpus(): string[] {
  const once = PLAIN.flatMap((path) => [...SPELLINGS, ...LAST_SPELLINGS].flatMap(({ of }) => of(path)));
  const two = fc
    .tuple(fc.constantFrom(...PLAIN), fc.constantFrom(...SPELLINGS), fc.constantFrom(...SPELLINGS), fc.nat(), fc.nat())
    .map(([path, one, other, first, second]) => {
      const spelled = one.of(path);
      const again = other.of(spelled[first % Math.max(1, spelled.length)] ?? path);
      return again[second % Math.max(1, again.length)] ?? path;
    });
  return [...new Set([...PLAIN, ...once, ...OTHERS, ...fc.sample(two, { numRuns: 300, seed: 32 })])];
}
