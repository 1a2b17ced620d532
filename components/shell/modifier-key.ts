import { useSyncExternalStore } from 'react';

const subscribeNothing = () => () => undefined;

/** Returns the modifier key for shortcuts: `⌘` on Apple platforms, else `Ctrl`. */
export function useModifierKey(): '⌘' | 'Ctrl' {
  return useSyncExternalStore(
    subscribeNothing,
    () => (/mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl'),
    () => 'Ctrl',
  );
}
