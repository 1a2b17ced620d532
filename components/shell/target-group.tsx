'use client';

import { RotateCcw, ScanSearch, ShieldCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { inspectHref, type Target } from '@/components/identifier/target';
import { useMay } from '@/components/shell/member';
import { CommandGroup, CommandItem } from '@/components/ui/command';

/** What can be done with the identifier that was typed: first in the list when it surely is one, else last. */
export function TargetGroup({
  target,
  search,
  run,
}: {
  target: Target;
  search: string;
  run: (action: () => void) => () => void;
}) {
  const router = useRouter();
  const actions = useIdentifierActions();
  const may = useMay('operator');
  const name = <span className="truncate font-mono text-xs">{target.identifier}</span>;
  return (
    <CommandGroup heading={target.type === 'ip' ? 'Address' : 'User'} forceMount>
      <CommandItem forceMount value={`inspect ${search}`} onSelect={run(() => router.push(inspectHref(target)))}>
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
}
