import { createContext, useContext } from 'react';
import type { LabDescription } from '@/lib/oauth/describe-lab';

/** Provides the description of the lab that the server sent with the page. */
export const LabContext = createContext<LabDescription | null>(null);

export function useLab(): LabDescription {
  const lab = useContext(LabContext);
  if (!lab) throw new Error('useLab is used outside the pages of the lab.');
  return lab;
}
