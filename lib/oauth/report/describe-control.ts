import type { ControlInCatalogue } from '@/lib/contract/assessments';
import { estimateRequests } from '@/lib/oauth/assessment/expected-requests';
import { describeCatalogue } from '@/lib/oauth/controls/catalogue';

/** Every control as the API describes it, the most severe first. */
export const CONTROLS: readonly ControlInCatalogue[] = describeCatalogue().map(
  ({ protectsFrom, remedy, source, needs, tries, ...control }) => ({
    ...control,
    requests: estimateRequests({ id: control.id, needs }),
    source: [...source],
    needs: [...needs],
    tries: { ...tries },
    protects_from: protectsFrom,
    remedy: remedy.change,
    ...(remedy.in === undefined ? {} : { remedy_in: { ...remedy.in } }),
  }),
);

const BY_ID: ReadonlyMap<string, ControlInCatalogue> = new Map(CONTROLS.map((control) => [control.id, control]));

/** Returns whether the catalogue contains a control with this id. */
export const isControl = (id: string): boolean => BY_ID.has(id);

/** Describes a control of the catalogue. A control of an earlier build that was removed is described only by its id. */
export function describeControl(id: string): ControlInCatalogue {
  const unknown = {
    severity: 'info',
    area: 'unknown',
    source: [],
    switchable: false,
    cost: 'harmless',
    needs: [],
    requests: 0,
  } as const;
  return (
    BY_ID.get(id) ?? {
      ...unknown,
      id,
      title: id,
      source: [],
      needs: [],
      tries: {},
      protects_from: 'This build no longer has the control.',
      wrong: id,
      remedy: 'Assess the server again.',
    }
  );
}
