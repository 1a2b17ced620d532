import { useEffect, useState } from 'react';

/** Returns true once `pending` has been true for `patience` milliseconds, so that short waits show no message. */
export function useSlow(pending: boolean, patience = 300): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), patience);
    return () => clearTimeout(timer);
  }, [pending, patience]);
  return pending && slow;
}
