import { useEffect, useState } from 'react';

/** A value that has been the same for so many milliseconds: what was typed, once typing pauses. */
export function useSettled<T extends string | null>(value: T, pause = 500): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}
