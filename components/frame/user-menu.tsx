import { ChevronsUpDown, LogOut, Monitor, Moon, Settings, Sun } from 'lucide-react';
import { useTheme } from 'next-themes';
import { isUtc, nameZone } from '@/components/format/time';
import { setTimeZone, useTimeZone, useTimeZoneSetting } from '@/components/format/time-zone';
import { loadPatiently } from '@/components/shell/load-patiently';
import { useMember } from '@/components/shell/member';
import { Link } from '@/components/ui/link';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';
import { Segmented } from '@/components/ui/segmented';

const ROW = 'flex min-h-8 w-full items-center gap-2 rounded-sm px-2 py-1 text-left text-sm hover:bg-accent';
const ICON = 'size-4 shrink-0 text-muted-foreground';

/** Loaded when the member signs out. */
const fetchLeave = loadPatiently(() => import('@/components/session/leave'));

/**
 * Shows the signed-in member, the display settings and the sign-out button. It is a popover, so that Tab reaches its
 * switches.
 */
export function UserMenu() {
  const member = useMember();
  const name = member.name ?? member.email;
  return (
    <Popover>
      <PopoverTrigger className="flex w-full min-w-0 items-center gap-2.5 rounded-md p-1.5 text-left transition-colors hover:bg-foreground/[0.04]">
        <span
          aria-hidden
          className="grid size-7 shrink-0 place-content-center rounded-full bg-primary-soft text-xs font-semibold text-primary uppercase"
        >
          {name.slice(0, 1)}
        </span>
        <span className="min-w-0 flex-1 leading-tight">
          <span className="block truncate text-sm font-medium">{name}</span>
          <span className="block text-xs text-muted-foreground capitalize">{member.role}</span>
        </span>
        <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
      </PopoverTrigger>
      <PopoverContent align="start" side="top" aria-label="Your account" className="w-60">
        <div className="px-2 py-1.5 text-xs break-all text-muted-foreground">{member.email}</div>
        <hr className="-mx-1 my-1" />
        <div className="flex items-center justify-between px-2 py-1 text-sm">
          Theme
          <ThemeSwitch />
        </div>
        <div className="flex items-center justify-between px-2 py-1 text-sm">
          Times
          <TimeZoneSwitch />
        </div>
        <hr className="-mx-1 my-1" />
        <Link href="/settings?tab=account" className={ROW}>
          <Settings aria-hidden className={ICON} /> My account
        </Link>
        <button type="button" onClick={() => void fetchLeave().then(({ leave }) => leave())} className={ROW}>
          <LogOut aria-hidden className={ICON} /> Sign out
        </button>
      </PopoverContent>
    </Popover>
  );
}

const THEMES = [
  { value: 'light', name: 'Light', label: <Sun aria-hidden className="size-3.5" /> },
  { value: 'dark', name: 'Dark', label: <Moon aria-hidden className="size-3.5" /> },
  { value: 'system', name: 'System', label: <Monitor aria-hidden className="size-3.5" /> },
] as const;

function TimeZoneSwitch() {
  const setting = useTimeZoneSetting();
  const { reader } = useTimeZone();
  return (
    <Segmented
      label="Time zone"
      className="h-7 [&_button]:h-6 [&_button]:px-2"
      value={setting}
      onChange={setTimeZone}
      options={[
        {
          value: 'local',
          label: isUtc(reader) ? 'Local' : nameZone(Date.now(), reader),
          name: `Local time, ${reader}`,
        },
        { value: 'utc', label: 'UTC' },
      ]}
    />
  );
}

/** It renders in popovers only, so the theme is loaded when it appears. */
function ThemeSwitch() {
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
