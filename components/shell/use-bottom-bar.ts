import { useLayoutEffect, useRef } from 'react';

/** Space under the bar, in pixels. */
const MARGIN = 16;

/** The ref of a bar that stays at the bottom: tells toasts and focused fields how much of the window it takes (`--bottom-bar`). */
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
