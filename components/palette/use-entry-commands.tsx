import { CalendarX, Pencil, ShieldCheck, SlidersHorizontal, Trash2 } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import type { Command } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { extractName } from '@/components/palette/extract-name';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { type AllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';
import { listGrants, type QuotaGrant } from '@/lib/contract/grants';
import { listOverrides, type Override } from '@/lib/contract/overrides';

const AllowlistDialog = loadOnDemand(() => import('@/components/allowlist/allowlist-dialog'));
const OverrideDialog = loadOnDemand(() => import('@/components/overrides/override-dialog'));
const RemoveEntryDialog = loadOnDemand(() => import('@/components/allowlist/remove-entry-dialog'));
const RemoveOverrideDialog = loadOnDemand(() => import('@/components/overrides/remove-override-dialog'));
const EndGrantDialog = loadOnDemand(() => import('@/components/keys/end-grant-dialog'));

const NOTE = 48;
const shortenReason = (reason: string) => (reason.length > NOTE ? `${reason.slice(0, NOTE)}…` : reason);
const listHref = (path: string, identifier: string) => `${path}?${new URLSearchParams({ q: identifier })}`;

/**
 * Finds allowlist entries, overrides and grants whose identifier, key or reason contains a word of the search: at most
 * five each.
 */
export function useEntryCommands(search: string): Command[] {
  const q = extractName(search).slice(0, 256);
  const input = { query: { q, limit: '5' } };
  const options = { enabled: q.length >= 2, staleTime: 15_000 };
  const entries = useCall(['allowlist', 'palette', q], listAllowlist, input, options).data?.value ?? [];
  const overrides = useCall(['overrides', 'palette', q], listOverrides, input, options).data?.value ?? [];
  const grants = useCall(['api-keys', 'palette', 'grants', q], listGrants, input, options).data?.value ?? [];
  const open = useDialog();
  const listEntryCommands = (entry: AllowlistEntry): Command[] => {
    const { id, identifier, reason } = entry;
    const about = { group: 'Allowlist', keywords: [identifier, reason, 'allowlist', 'entry', 'bypass'] };
    return [
      {
        ...about,
        id: `entry:${id}`,
        label: `Allowlist entry of ${identifier}`,
        icon: ShieldCheck,
        note: shortenReason(reason),
        href: listHref('/allowlist', identifier),
      },
      {
        ...about,
        id: `entry.edit:${id}`,
        label: `Edit the allowlist entry of ${identifier}`,
        icon: Pencil,
        needs: 'operator',
        run: () => open((onClose) => <AllowlistDialog entry={entry} onClose={onClose} />),
      },
      {
        ...about,
        id: `entry.remove:${id}`,
        label: `Remove ${identifier} from the allowlist`,
        icon: Trash2,
        needs: 'operator',
        run: () => open((onClose) => <RemoveEntryDialog entry={entry} onClose={onClose} />),
      },
      createChangesCommand(about, identifier, identifier),
    ];
  };
  const listOverrideCommands = (override: Override): Command[] => {
    const { id, identifier, reason, limit, window_seconds: window } = override;
    const name = `the ${CLASS_NAMES[override.class]} override of ${identifier}`;
    const about = { group: 'Overrides', keywords: [identifier, reason, 'override', 'limit', 'exception'] };
    return [
      {
        ...about,
        id: `override:${id}`,
        label: `${CLASS_NAMES[override.class]} override of ${identifier}`,
        icon: SlidersHorizontal,
        note: `${formatNumber(limit)} in ${formatWindow(window)}`,
        href: listHref('/limits/overrides', identifier),
      },
      {
        ...about,
        id: `override.edit:${id}`,
        label: `Edit ${name}`,
        icon: Pencil,
        needs: 'operator',
        run: () => open((onClose) => <OverrideDialog entry={override} onClose={onClose} />),
      },
      {
        ...about,
        id: `override.remove:${id}`,
        label: `Remove ${name}`,
        icon: Trash2,
        needs: 'operator',
        run: () => open((onClose) => <RemoveOverrideDialog override={override} onClose={onClose} />),
      },
      createChangesCommand(about, identifier, identifier),
    ];
  };
  const buildGrantCommand = (grant: QuotaGrant): Command => ({
    id: `grant.end:${grant.id}`,
    group: 'Grants',
    label: `End the grant of ${grant.api_key_name}`,
    icon: CalendarX,
    keywords: [grant.reason, 'quota', 'remove'],
    note: `+${formatNumber(grant.requests)}`,
    needs: 'operator',
    run: () => open((onClose) => <EndGrantDialog grant={grant} onClose={onClose} />),
  });
  return onePerId([
    ...entries.flatMap(listEntryCommands),
    ...overrides.flatMap(listOverrideCommands),
    ...grants.map(buildGrantCommand),
  ]);
}

/** Keeps one history command per identifier, which may have both an entry and overrides. */
function onePerId(commands: readonly Command[]): Command[] {
  return [...new Map(commands.map((command) => [command.id, command])).values()];
}
