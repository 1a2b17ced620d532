import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/frame/console-shell';
import { listConfiguredProviders } from '@/lib/auth/next-auth/providers';
import type { SessionMember } from '@/lib/auth/session';
import type { Config } from '@/lib/config/config';
import { readClientAddress } from '@/lib/http/client-address';
import type { HeaderReader } from '@/lib/http/request-head';

interface SignedInShellProps {
  member: SessionMember;
  config: Config;
  /** Headers of the page's request. */
  headers: HeaderReader;
  children: ReactNode;
}

/**
 * Frame of the console around a page of a signed-in member. It passes on only the member, not the rest of the session.
 */
export function SignedInShell({ member, config, headers, children }: SignedInShellProps) {
  const { id, email, name, role } = member;
  return (
    <ConsoleShell
      member={{ id, email, name, role }}
      address={readClientAddress(headers, config)?.text ?? null}
      lab={config.SLUICE_LAB}
      providers={listConfiguredProviders(config).map((provider) => provider.name)}
      demo={config.SLUICE_DEMO}
    >
      {children}
    </ConsoleShell>
  );
}
