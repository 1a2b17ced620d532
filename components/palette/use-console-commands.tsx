import { Clock, Keyboard, LogOut, type LucideIcon, Monitor, Moon, Plus, Siren, Sun, UserPlus } from 'lucide-react';
import { useTheme } from 'next-themes';
import type { ComponentType } from 'react';
import { nameZone } from '@/components/format/time';
import { setTimeZone, useTimeZone } from '@/components/format/time-zone';
import { useEndIncident } from '@/components/incident/use-end-incident';
import { useIncident } from '@/components/incident/use-incident';
import { CreateKeyDialog } from '@/components/keys/key-actions';
import { InviteDialog } from '@/components/members/member-actions';
import { NewLimitDialog } from '@/components/named-limits/limit-actions';
import type { Command } from '@/components/palette/command';
import { leave } from '@/components/session/leave';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { setShortcuts, useShortcutsOn } from '@/components/shell/shortcut-setting';
import { CreateTokenDialog } from '@/components/tokens/token-actions';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

const IncidentDialog = loadOnDemand(() => import('@/components/incident/incident-dialog'));
const ShortcutsDialog = loadOnDemand(() => import('@/components/shell/shortcuts-dialog'));

const CREATED: readonly {
  id: string;
  label: string;
  icon: LucideIcon;
  keywords: readonly string[];
  needs?: MemberRole;
  Dialog: ComponentType<{ onClose: () => void }>;
}[] = [
  {
    id: 'new:key',
    label: 'New API key',
    icon: Plus,
    keywords: ['create', 'add'],
    needs: 'owner',
    Dialog: CreateKeyDialog,
  },
  {
    id: 'new:limit',
    label: 'New named limit',
    icon: Plus,
    keywords: ['create', 'add', 'sms', 'tokens', 'in flight', 'concurrency'],
    needs: 'owner',
    Dialog: NewLimitDialog,
  },
  {
    id: 'new:token',
    label: 'New admin token',
    icon: Plus,
    keywords: ['create', 'add', 'automation'],
    needs: 'owner',
    Dialog: CreateTokenDialog,
  },
  {
    id: 'new:member',
    label: 'Invite a member',
    icon: UserPlus,
    keywords: ['add', 'new', 'person', 'people'],
    needs: 'owner',
    Dialog: InviteDialog,
  },
  {
    id: 'new:incident',
    label: 'Incident: start',
    icon: Siren,
    keywords: ['emergency', 'observe', 'factor', 'read-only', 'maintenance', 'panic', 'off'],
    needs: 'operator',
    Dialog: IncidentDialog,
  },
  { id: 'shortcuts', label: 'Keyboard shortcuts', icon: Keyboard, keywords: ['help', 'keys'], Dialog: ShortcutsDialog },
];

/** Single-key shortcuts of commands. */
const SHORTCUTS: Readonly<Record<string, string>> = { shortcuts: '?', 'new:incident': 'i' };

const THEMES = [
  { value: 'light', icon: Sun },
  { value: 'dark', icon: Moon },
  { value: 'system', icon: Monitor },
] as const;

/** Commands without an object: creating things, and settings of this browser. */
export function useConsoleCommands(): Command[] {
  const open = useDialog();
  const { setTheme } = useTheme();
  const { reader } = useTimeZone();
  const shortcuts = useShortcutsOn();
  const incident = useIncident();
  const { end } = useEndIncident();
  const created = CREATED.map(
    ({ Dialog, ...command }): Command => ({
      ...command,
      label: command.id === 'new:incident' && incident !== null ? 'Incident: change' : command.label,
      group: command.needs ? 'Create' : 'This browser',
      keys: SHORTCUTS[command.id],
      run: () => open((onClose) => <Dialog onClose={onClose} />),
    }),
  );
  const themes = THEMES.map(
    ({ value, icon }): Command => ({
      id: `theme:${value}`,
      group: 'This browser',
      label: `Theme: ${value}`,
      icon,
      keywords: ['switch', 'mode', 'appearance', 'colours', 'colors'],
      run: () => setTheme(value),
    }),
  );
  const ending: Command = {
    id: 'end:incident',
    group: 'Create',
    label: 'Incident: end',
    icon: Siren,
    keywords: ['stop', 'emergency', 'over'],
    keys: 'Shift i',
    needs: 'operator',
    run: () => void end(),
  };
  return [
    ...created,
    ...(incident === null ? [] : [ending]),
    ...themes,
    {
      id: 'zone:local',
      group: 'This browser',
      label: `Times: local, ${nameZone(Date.now(), reader)}`,
      icon: Clock,
      keywords: ['time zone', 'timezone', reader],
      run: () => setTimeZone('local'),
    },
    {
      id: 'zone:utc',
      group: 'This browser',
      label: 'Times: UTC',
      icon: Clock,
      keywords: ['time zone', 'timezone'],
      run: () => setTimeZone('utc'),
    },
    {
      id: 'shortcuts:switch',
      group: 'This browser',
      label: `Switch single-key shortcuts ${shortcuts ? 'off' : 'on'}`,
      icon: Keyboard,
      keywords: ['keyboard', 'keys'],
      run: () => setShortcuts(!shortcuts),
    },
    {
      id: 'sign-out',
      group: 'This browser',
      label: 'Sign out',
      icon: LogOut,
      keywords: ['log out', 'logout', 'leave', 'session'],
      run: () => void leave(),
    },
  ];
}
