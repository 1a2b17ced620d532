'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { useTheme } from 'next-themes';
import { Segmented } from '@/components/ui/segmented';

const THEMES = [
  { value: 'light', name: 'Light', label: <Sun aria-hidden className="size-3.5" /> },
  { value: 'dark', name: 'Dark', label: <Moon aria-hidden className="size-3.5" /> },
  { value: 'system', name: 'As the system', label: <Monitor aria-hidden className="size-3.5" /> },
] as const;

/** Light, dark, or as the system says. Rendered in menus only, so the choice is known when it appears. */
export function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  return (
    <Segmented
      label="Theme"
      className="h-7 [&_button]:h-6 [&_button]:px-2"
      value={theme === 'light' || theme === 'dark' ? theme : 'system'}
      onChange={setTheme}
      options={THEMES}
    />
  );
}
