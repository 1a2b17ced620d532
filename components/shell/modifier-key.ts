import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** The key that starts a shortcut on this platform: `⌘` on Apple's, else `Ctrl`. */
export function useModifierKey(): '⌘' | 'Ctrl' {
  return useSyncExternalStore(
    never,
    () => (/mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl'),
    () => 'Ctrl',
  );
}
