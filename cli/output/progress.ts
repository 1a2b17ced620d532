import type { ProgressLine } from '@/cli/output/streams';
import { measureWidth } from '@/cli/output/wrap-text';
import type { Millis } from '@/lib/units';

const FRAMES = ['|', '/', '-', '\\'];
const PERIOD: Millis = 100;
const CLEAR_LINE = '\r\u001b[K';

interface ProgressOptions {
  stderr: NodeJS.WriteStream;
  now: () => Millis;
}

/**
 * Shows an animated line until it is stopped or the process ends. It does not touch stdin, the cursor or Ctrl-C.
 * Spinners of prompt libraries read the keyboard, and exit an interrupted command as if it had succeeded.
 */
export function startProgress(text: string, { stderr, now }: ProgressOptions): ProgressLine {
  const start = now();
  let shown = text;
  let frame = 0;
  const draw = () => {
    const line = `${FRAMES[frame % FRAMES.length]} ${shown} ${Math.floor((now() - start) / 1000)} s`;
    frame += 1;
    // A line that wraps could not be erased.
    if (measureWidth(line) < stderr.columns) stderr.write(`${CLEAR_LINE}${line}`);
  };
  const clear = () => void stderr.write(CLEAR_LINE);
  const timer = setInterval(draw, PERIOD);
  process.once('exit', clear);
  draw();
  return {
    update: (next) => {
      shown = next;
    },
    stop: () => {
      clearInterval(timer);
      process.off('exit', clear);
      clear();
    },
  };
}
