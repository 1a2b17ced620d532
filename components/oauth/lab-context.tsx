'use client';

import { createContext, type ReactNode, useContext } from 'react';
import type { ControlDescription } from '@/lib/oauth/controls/control';
import type { LabDescription } from '@/lib/oauth/describe-lab';

const LabContext = createContext<LabDescription | null>(null);

export function LabProvider({ lab, children }: { lab: LabDescription; children: ReactNode }) {
  return <LabContext value={lab}>{children}</LabContext>;
}

/** The lab as the server described it with the page. */
export function useLab(): LabDescription {
  const lab = useContext(LabContext);
  if (!lab) throw new Error('useLab is used outside the pages of the lab.');
  return lab;
}

/** The control with this id. One that the catalogue does not know, from an answer, is none. */
export function useControl(id: string): ControlDescription | undefined {
  return useLab().controls.find((control) => control.id === id);
}
