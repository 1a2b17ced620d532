import { useEffect, useState } from 'react';

/** What `run` resolves to; null until it has. `run` is called again when it is another function, and must not reject. */
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
