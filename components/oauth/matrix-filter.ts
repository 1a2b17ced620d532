import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { AssessedControl } from '@/components/oauth/assessed-control';
import { AREAS } from '@/lib/oauth/controls/control';

const PARAMETERS = {
  verdict: parseAsStringLiteral(['all', 'failed']).withDefault('all'),
  area: parseAsStringLiteral(['all', ...AREAS]).withDefault('all'),
  q: parseAsString.withDefault(''),
};

/** Filters of the matrix, stored in the URL. */
export function useMatrixFilter() {
  const [{ verdict, area, q }, set] = useQueryStates(PARAMETERS, { history: 'replace' });
  const words = q.trim().toLowerCase().split(/\s+/);
  const isShown = ({ control, finding }: AssessedControl) => {
    const text = `${control.id} ${control.title} ${control.wrong} ${control.source.join(' ')}`.toLowerCase();
    return (
      (verdict === 'all' || finding.verdict.kind === verdict) &&
      (area === 'all' || control.area === area) &&
      words.every((word) => text.includes(word))
    );
  };
  const isSet = verdict !== 'all' || area !== 'all' || q.trim() !== '';
  const clear = () => void set({ verdict: null, area: null, q: null });
  return { verdict, area, q, set: (part: Parameters<typeof set>[0]) => void set(part), isShown, isSet, clear };
}
