import { keepPreviousData } from '@tanstack/react-query';
import { Gauge, KeyRound, Moon, Plus, RotateCcw, ScanSearch, ShieldCheck, SlidersHorizontal, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { useState } from 'react';
import { useIdentifierActions } from '@/components/identifier/identifier';
import { inspectHref, type Target } from '@/components/identifier/target';
import { TIER_NAMES } from '@/components/keys/tiers';
import { useHasLab, useMay } from '@/components/shell/member';
import { PAGES } from '@/components/shell/navigation';
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from '@/components/ui/command';
import { Dialog, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useCall } from '@/components/use-call';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';
import { type ApiKeyWithUsage, listApiKeys } from '@/lib/contract/keys';

export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent className="max-w-xl overflow-hidden [&>button:last-child]:hidden">
        <DialogTitle className="sr-only">Command palette</DialogTitle>
        <DialogDescription className="sr-only">Search pages, keys, identifiers and operations.</DialogDescription>
        <PaletteContent close={onClose} />
      </DialogContent>
    </Dialog>
  );
}

/** The keys to search: all of them, or what the API finds where there are more than one page. */
function useKeys(search: string) {
  const first = useCall(['api-keys', 'palette'], listApiKeys, { query: { limit: '1000' } });
  const q = search.trim().slice(0, 256);
  const found = useCall(
    ['api-keys', 'palette', q],
    listApiKeys,
    { query: { q, limit: '100' } },
    { enabled: q !== '' && typeof first.data?.next === 'string', placeholderData: keepPreviousData },
  );
  return (found.data ?? first.data)?.value;
}

function PaletteContent({ close }: { close: () => void }) {
  const lab = useHasLab();
  const router = useRouter();
  const actions = useIdentifierActions();
  const may = useMay('operator');
  const { resolvedTheme, setTheme } = useTheme();
  const [search, setSearch] = useState('');
  const keys = useKeys(search);
  const target = targetOf(search);
  const run = (action: () => void) => () => {
    close();
    action();
  };
  const go = (href: string) => run(() => router.push(href));
  const name = <span className="truncate font-mono text-xs">{target?.identifier}</span>;
  const targetGroup = target && (
    <CommandGroup heading={target.type === 'ip' ? 'Address' : 'User'} forceMount>
      <CommandItem forceMount value={`inspect ${search}`} onSelect={go(inspectHref(target))}>
        <ScanSearch aria-hidden /> Inspect {name}
      </CommandItem>
      <CommandItem forceMount disabled={!may} value={`allow ${search}`} onSelect={run(() => actions.allowlist(target))}>
        <ShieldCheck aria-hidden /> Allowlist {name}
      </CommandItem>
      <CommandItem forceMount disabled={!may} value={`reset ${search}`} onSelect={run(() => actions.reset(target))}>
        <RotateCcw aria-hidden /> Reset counters of {name}
      </CommandItem>
    </CommandGroup>
  );
  return (
    <Command label="Command palette" loop>
      <CommandInput value={search} onValueChange={setSearch} placeholder="Search pages, keys, addresses, users…" />
      <CommandList>
        {target ? null : <CommandEmpty>Nothing found.</CommandEmpty>}
        {target?.type === 'ip' ? targetGroup : null}
        <CommandGroup heading="Pages">
          {PAGES.filter((page) => lab || !page.lab).map((page) => (
            <CommandItem key={page.href} value={page.label} keywords={page.keywords} onSelect={go(page.href)}>
              <page.icon aria-hidden /> {page.label}
            </CommandItem>
          ))}
        </CommandGroup>
        {search !== '' && keys ? (
          <CommandGroup heading="Keys">
            {keys.map((key) => (
              <CommandItem
                key={key.id}
                value={`key ${key.name} ${key.id}`}
                keywords={[key.prefix]}
                onSelect={go(`/keys/${key.id}`)}
              >
                <KeyRound aria-hidden /> {key.name}
                <span className="ml-auto font-mono text-xs text-muted-foreground">{key.prefix}</span>
              </CommandItem>
            ))}
          </CommandGroup>
        ) : null}
        {search !== '' && may ? (
          <CommandGroup heading="Change tier">
            {namedBy(search, keys ?? []).map((key) => (
              <CommandItem
                key={key.id}
                value={`change tier of ${key.name} ${key.id}`}
                onSelect={go(`/keys/${key.id}?do=tier`)}
              >
                <Gauge aria-hidden /> Change tier of {key.name}
                <span className="ml-auto text-xs text-muted-foreground">{TIER_NAMES[key.tier]}</span>
              </CommandItem>
            ))}
          </CommandGroup>
        ) : null}
        <CommandGroup heading="Operations">
          <CommandItem disabled={!may} onSelect={run(() => actions.allowlist())}>
            <Plus aria-hidden /> Add to the allowlist
          </CommandItem>
          <CommandItem disabled={!may} onSelect={run(() => actions.override())}>
            <SlidersHorizontal aria-hidden /> Override a limit
          </CommandItem>
          <CommandItem disabled={!may} keywords={['clear', 'counters']} onSelect={go('/limits/inspect')}>
            <RotateCcw aria-hidden /> Reset counters
          </CommandItem>
          <CommandItem disabled={!may} keywords={['quota', 'plan']} onSelect={go('/keys')}>
            <Gauge aria-hidden /> Change the tier of a key
          </CommandItem>
          <CommandItem onSelect={run(() => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark'))}>
            {resolvedTheme === 'dark' ? <Sun aria-hidden /> : <Moon aria-hidden />} Switch to{' '}
            {resolvedTheme === 'dark' ? 'light' : 'dark'}
          </CommandItem>
        </CommandGroup>
        {target?.type === 'user_id' ? targetGroup : null}
      </CommandList>
    </Command>
  );
}

/** What a search text could name: an address when it has the form of one, else a user. */
export function targetOf(text: string): Target | null {
  const trimmed = text.trim();
  if (trimmed.length < 2) return null;
  const address = canonicalIdentifier('ip', trimmed);
  if (address !== null && /[.:]/.test(trimmed)) return { type: 'ip', identifier: address };
  return canonicalIdentifier('user_id', trimmed) === null ? null : { type: 'user_id', identifier: trimmed };
}

/** Words of the command itself, which name no key. */
const COMMAND_WORDS = new Set(['change', 'tier', 'of']);

/** The first 20 keys whose name holds every other word that was typed. */
export function namedBy(search: string, keys: readonly ApiKeyWithUsage[]): readonly ApiKeyWithUsage[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && !COMMAND_WORDS.has(word));
  return keys.filter((key) => words.every((word) => key.name.toLowerCase().includes(word))).slice(0, 20);
}
