import { useEffect } from 'react';

export { Toaster, toast } from 'sonner';

const PHONE = '(max-width: 639px)';
const MARGIN = 8;

/** Moves an open dialog or drawer below the toasts on a phone, because they would cover its header (`--toast-room`). */
export function RoomForToasts(): null {
  useEffect(() => {
    const { style } = document.documentElement;
    if (!matchMedia(PHONE).matches) return;
    const measure = () => {
      const toasts = document.querySelectorAll<HTMLElement>('[data-sonner-toast][data-removed="false"]');
      const room = Math.max(0, ...[...toasts].map(({ offsetHeight }) => offsetHeight + MARGIN));
      if (room === 0) style.removeProperty('--toast-room');
      else style.setProperty('--toast-room', `${room}px`);
    };
    const observer = new MutationObserver(measure);
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-removed'] });
    measure();
    return () => {
      observer.disconnect();
      style.removeProperty('--toast-room');
    };
  }, []);
  return null;
}
