/**
 * Makes a call that is dear seldom: whoever asks while it is under way, or less than `holds` milliseconds after it has
 * ended, gets what it came to, a fault as well.
 * @param monotonic a clock that never goes back, in milliseconds
 */
export function sparing<T>(call: () => Promise<T>, holds: number, monotonic: () => number): () => Promise<T> {
  let latest: Promise<T> | null = null;
  let until = Number.POSITIVE_INFINITY;
  const ended = () => {
    until = monotonic() + holds;
  };
  return () => {
    if (latest === null || monotonic() >= until) {
      until = Number.POSITIVE_INFINITY;
      latest = call();
      latest.then(ended, ended);
    }
    return latest;
  };
}
