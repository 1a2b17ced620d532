import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Target } from '@/components/identifier/target';

const AllowlistDialog = dynamic(
  () => import('@/components/allowlist/allowlist-dialog').then((file) => file.AllowlistDialog),
  { ssr: false },
);
const ResetDialog = dynamic(
  () => import('@/components/limits/inspector/reset-dialog').then((file) => file.ResetDialog),
  {
    ssr: false,
  },
);
const OverrideDialog = dynamic(
  () => import('@/components/overrides/override-dialog').then((file) => file.OverrideDialog),
  { ssr: false },
);

/** Actions on an identifier. Without a target the form asks for one. */
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
