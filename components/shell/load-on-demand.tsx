import dynamic from 'next/dynamic';
import type { ComponentType } from 'react';
import { loadPatiently } from '@/components/shell/load-patiently';

/**
 * Component that loads when first shown, such as a dialog. Loading waits while the server is down. Until then
 * `Placeholder` keeps its place, so that what is below does not move.
 */
export function loadOnDemand<Props>(
  load: () => Promise<ComponentType<Props> | { default: ComponentType<Props> }>,
  Placeholder?: ComponentType,
) {
  return dynamic(loadPatiently(load), { ssr: false, loading: Placeholder && (() => <Placeholder />) });
}
