import { computeEndOfFriday, computeEndOfToday } from '@/components/keys/until';
import { table } from '../../fixtures/table';

const at = (text: string) => Date.parse(text);

table('the day of %s in %s is over at %s', (now: string, zone: string) => computeEndOfToday(at(now), zone), [
  ['2026-11-22T12:00:00Z', 'UTC', '2026-11-23T00:00:00.000Z'],
  ['2026-11-22T23:30:00Z', 'Europe/Berlin', '2026-11-23T23:00:00.000Z'],
  ['2026-11-22T03:00:00Z', 'America/New_York', '2026-11-22T05:00:00.000Z'],
]);

table('after %s in %s, Friday is over at %s', (now: string, zone: string) => computeEndOfFriday(at(now), zone), [
  ['2026-11-22T12:00:00Z', 'UTC', '2026-11-28T00:00:00.000Z'],
  ['2026-11-27T12:00:00Z', 'UTC', '2026-11-28T00:00:00.000Z'],
  ['2026-11-28T12:00:00Z', 'UTC', '2026-12-05T00:00:00.000Z'],
  ['2026-11-27T23:30:00Z', 'Europe/Berlin', '2026-12-04T23:00:00.000Z'],
]);
