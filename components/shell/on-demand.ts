import dynamic from 'next/dynamic';
import type { ComponentType } from 'react';
import { patient } from '@/components/shell/patient';

/** A component that is fetched when it is first shown, such as a dialog; waited for while the server is away. */
export function onDemand<Props>(load: () => Promise<ComponentType<Props> | { default: ComponentType<Props> }>) {
  return dynamic(patient(load), { ssr: false });
}
