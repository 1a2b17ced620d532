import { createStoredValue } from '@/components/ui/stored-value';

/** Single-key shortcuts can be disabled, because speech input triggers them (WCAG 2.1.4). */
const SETTING = createStoredValue<'on' | 'off'>(
  'sluice.shortcuts',
  (stored) => (stored === 'off' ? 'off' : undefined),
  'on',
);

/** True if single-key shortcuts are on. */
export const hasShortcuts = (): boolean => SETTING.read() === 'on';
export const useShortcutsOn = (): boolean => SETTING.use() === 'on';
export const setShortcuts = (on: boolean): void => SETTING.write(on ? 'on' : 'off');
