import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { requireMember } from './require-member';
import { readSurroundings } from './surroundings';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [member, { address, lab, demo }] = await Promise.all([requireMember(), readSurroundings()]);
  return (
    <ConsoleShell member={member} address={address} lab={lab} demo={demo}>
      {children}
    </ConsoleShell>
  );
}
