import { formatPace, formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';

/** What a limit means, in words, or what to enter. `seconds` is the window; both may be whatever was typed. */
export function limitEffect(limit: number, seconds: number): string {
  if (!Number.isInteger(limit) || !Number.isInteger(seconds) || limit < 0 || seconds < 1) return 'Enter whole numbers.';
  if (limit === 0) return 'Refuses every request.';
  return `${formatNumber(limit)} in ${formatWindow(seconds)}, ${formatPace(limit, seconds)} in the long run`;
}
