import { useEffect, useState } from 'react';

/** Debounces a value: returns it once it has been stable for `pause` milliseconds. */
export function useSettled<T extends string | null>(value: T, pause = 500): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}
