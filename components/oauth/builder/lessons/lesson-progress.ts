import { z } from 'zod';
import { createStoredValue } from '@/components/ui/stored-value';
import { type ControlSwitch, isControlSwitch } from '@/lib/oauth/lab/controls';

const OPENED = createStoredValue<readonly ControlSwitch[]>(
  'sluice.oauth.lessons',
  (stored) => z.array(z.string()).safeParse(stored).data?.filter(isControlSwitch),
  [],
);

/** Returns the lessons that were opened in this browser. */
export const useOpenedLessons = () => OPENED.use();

/** Records that a lesson was opened. */
export function recordLesson(id: ControlSwitch): void {
  OPENED.write([...new Set([...OPENED.read(), id])]);
}
