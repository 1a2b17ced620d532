import dynamic from 'next/dynamic';
import type { ComponentType } from 'react';
import { patient } from '@/components/shell/patient';

/** Component that loads when first shown, such as a dialog. Loading waits while the server is down. */
export function onDemand<Props>(load: () => Promise<ComponentType<Props> | { default: ComponentType<Props> }>) {
  return dynamic(patient(load), { ssr: false });
}
