import { useLayoutEffect, useRef } from 'react';

/** Space under the bar, in pixels. */
const MARGIN = 16;

/**
 * Returns the ref of a bottom bar. It publishes the bar's height as `--bottom-bar`, which toasts and focused fields
 * avoid.
 */
export function useBottomBar() {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--bottom-bar', `${element.offsetHeight + MARGIN}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty('--bottom-bar');
    };
  }, []);
  return bar;
}
