const waiting: (() => void)[] = [];

/**
 * Pauses long work until a turn of the event loop in which no other long work continues. Requests are handled between
 * turns, so each waits for one step of one caller, however many callers there are.
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}
