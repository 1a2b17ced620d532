import { z } from 'zod';
import { createStoredValue } from '@/components/ui/stored-value';

const MOST = 8;
const Recent = z.array(
  z.strictObject({ id: z.string(), label: z.string(), href: z.string().startsWith('/').optional() }),
);
export type RecentCommand = z.infer<typeof Recent>[number];

/** Commands chosen in this browser, newest first. Objects are stored by page, operations by id. */
const RECENT = createStoredValue<readonly RecentCommand[]>(
  'sluice.palette.recent',
  (stored) => Recent.safeParse(stored).data,
  [],
);
export const readRecent = RECENT.read;

export function remember({ id, label, href }: RecentCommand): void {
  const rest = readRecent().filter((other) => other.id !== id);
  RECENT.write([{ id, label, ...(href ? { href } : {}) }, ...rest].slice(0, MOST));
}
