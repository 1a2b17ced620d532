import {
  buildWindows,
  buildWindowValues,
  Places,
  WindowRows,
  type WindowValues,
} from '@/components/named-limits/limit-form-values';
import type { NamedNumbers } from '@/lib/contract/fields/numbers';
import type { NamedLimit } from '@/lib/contract/named-limits';

/** Fields of a form for numbers in place of those of a named limit. */
export const numbersFormFields = { windows: WindowRows, in_flight: Places.nullable() };

/** Numbers in a form. */
export interface NumbersValues {
  windows: WindowValues[];
  in_flight: { limit: number; lease_seconds: number } | null;
}

type LimitNumbers = Pick<NamedLimit, 'windows' | 'in_flight'>;

/** Returns the values of a form that starts from own numbers, or else from those of the limit. */
export function buildNumbersValues(limit: LimitNumbers | undefined, own: NamedNumbers = {}): NumbersValues {
  return {
    windows: buildWindowValues(own.windows ?? limit?.windows ?? []),
    in_flight: own.in_flight ?? limit?.in_flight ?? null,
  };
}

/** Converts the values of a form for the API. Numbers that equal those of the limit are left out, unless all do. */
export function buildNamedNumbers({ windows, in_flight: places }: NumbersValues, limit: LimitNumbers): NamedNumbers {
  const own = buildWindows(windows);
  const hasOwnWindows = own.length > 0 && JSON.stringify(own) !== JSON.stringify(limit.windows);
  const hasOwnPlaces = places !== null && JSON.stringify(places) !== JSON.stringify(limit.in_flight);
  const isSame = !hasOwnWindows && !hasOwnPlaces;
  return {
    ...(own.length > 0 && (hasOwnWindows || isSame) && { windows: own }),
    ...(places !== null && (hasOwnPlaces || (isSame && own.length === 0)) && { in_flight: places }),
  };
}
