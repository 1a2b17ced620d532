import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';

/** Warns that the next apply of a state document overwrites manual changes. */
export function ManagedAlert({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Alert variant="warning" title={title}>
      <p>The next apply of that document overwrites what is changed here. Change it there instead.</p>
      {children}
    </Alert>
  );
}
