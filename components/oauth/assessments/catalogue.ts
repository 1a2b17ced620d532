import { useCall } from '@/components/api/use-call';
import { type ControlInCatalogue, listControls } from '@/lib/contract/assessments';

/** Every control, the most severe first; undefined while they load. They only change with the build. */
export function useCatalogue(): readonly ControlInCatalogue[] | undefined {
  return useCall(['oauth-controls'], listControls, {}, { staleTime: Number.POSITIVE_INFINITY }).data?.value;
}
