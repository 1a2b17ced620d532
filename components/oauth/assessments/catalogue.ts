import { useCall } from '@/components/api/use-call';
import { type ControlInCatalogue, listControls } from '@/lib/contract/assessments';

/**
 * Reads every control, most severe first. Undefined while loading. Controls change only with the build, so the answer
 * never expires.
 */
export function useCatalogue(): readonly ControlInCatalogue[] | undefined {
  return useCall(['oauth-controls'], listControls, {}, { staleTime: Number.POSITIVE_INFINITY }).data?.value;
}
