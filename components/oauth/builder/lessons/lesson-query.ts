import { queryOptions } from '@tanstack/react-query';
import type { ControlDescription } from '@/lib/oauth/controls/control';
import { type ControlSwitch, isControlSwitch } from '@/lib/oauth/lab/controls';

/** Lessons that are offered before any other: the controls that the builder's warnings concern. */
export const FIRST_LESSONS = ['validate-audience', 'strict-redirect-uri', 'require-state', 'require-pkce'] as const;

export type Lesson = ControlDescription & { id: ControlSwitch };

/** Lists the lessons, one for each control with a switch, in the order in which they are offered. */
export function listLessons(controls: readonly ControlDescription[]): readonly Lesson[] {
  const all = controls.flatMap((control) => (isControlSwitch(control.id) ? [{ ...control, id: control.id }] : []));
  const first = FIRST_LESSONS.flatMap((id) => all.filter((lesson) => lesson.id === id));
  return [...first, ...all.filter((lesson) => !first.includes(lesson))];
}

/** Runs the requests of a control against a sandbox of the lab without it, and against a secure one. */
export const createLessonQuery = (id: ControlSwitch) =>
  queryOptions({
    queryKey: ['lab-lesson', id],
    queryFn: async ({ signal }) => {
      const [{ assessLab }, { pairExchanges, readAuthorizationFields }] = await Promise.all([
        import('@/components/oauth/builder/measure-lab'),
        import('@/lib/oauth/builder/lesson'),
      ]);
      const findEvidence = async (off: ControlSwitch[]) => {
        const { findings } = await assessLab(off, () => undefined, signal, [id]);
        return findings.flatMap(({ exchanges }) => exchanges);
      };
      const [weakened, secure] = await Promise.all([findEvidence([id]), findEvidence([])]);
      const steps = pairExchanges(weakened, secure);
      return { steps, fields: readAuthorizationFields(id, steps) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    networkMode: 'always',
  });
