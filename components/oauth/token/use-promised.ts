import { useEffect, useState } from 'react';

/**
 * Returns the value that `run` resolves to, or null until then. A new `run` function is called again; it must not
 * reject.
 */
export function usePromised<T>(run: () => Promise<T>): T | null {
  const [settled, setSettled] = useState<{ run: () => Promise<T>; value: T } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void run().then((value) => {
      if (isCurrent) setSettled({ run, value });
    });
    return () => {
      isCurrent = false;
    };
  }, [run]);
  return settled?.run === run ? settled.value : null;
}
