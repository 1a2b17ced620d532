'use client';

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { AllowlistDialog } from '@/components/allowlist/allowlist-dialog';
import type { Target } from '@/components/identifier/target';
import { ResetDialog } from '@/components/inspector/reset-dialog';
import { OverrideDialog } from '@/components/overrides/override-dialog';

/** What can be done to an identifier wherever it appears. Without a target the form asks for one. */
interface IdentifierActions {
  allowlist: (target: Target | null) => void;
  override: (target: Target | null) => void;
  reset: (target: Target) => void;
}

const ActionsContext = createContext<IdentifierActions | null>(null);

type Open = { kind: 'allowlist' | 'override'; target: Target | null } | { kind: 'reset'; target: Target } | null;

/** Holds the dialogs of `useIdentifierActions`, once for the whole console. */
export function IdentifierActionsProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open>(null);
  const actions = useMemo<IdentifierActions>(
    () => ({
      allowlist: (target) => setOpen({ kind: 'allowlist', target }),
      override: (target) => setOpen({ kind: 'override', target }),
      reset: (target) => setOpen({ kind: 'reset', target }),
    }),
    [],
  );
  const close = () => setOpen(null);
  return (
    <ActionsContext value={actions}>
      {children}
      {open?.kind === 'allowlist' ? <AllowlistDialog initial={open.target} onClose={close} /> : null}
      {open?.kind === 'override' ? <OverrideDialog initial={open.target} onClose={close} /> : null}
      {open?.kind === 'reset' ? <ResetDialog target={open.target} onClose={close} /> : null}
    </ActionsContext>
  );
}

export function useIdentifierActions(): IdentifierActions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('useIdentifierActions is used outside the console.');
  return actions;
}
