'use client';

import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** Controls by id, leading to their rows in the matrix. An id that the catalogue does not know, from an answer, is only shown. */
export function ControlLinks({ label, ids, prefix }: { label: string; ids: readonly string[]; prefix?: string }) {
  const { openControl } = useBuilder();
  const { controls } = useLab();
  const looks = 'inline-flex h-6 items-center rounded-sm border px-1.5 font-mono text-xs';
  return (
    <ul className="flex flex-wrap items-center gap-1.5 text-xs" aria-label={label}>
      {prefix ? <li className="text-muted-foreground">{prefix}</li> : null}
      {ids.map((id) => {
        const control = controls.find((known) => known.id === id);
        const text = visibleText(id.slice(0, 64));
        return (
          <li key={id}>
            {control ? (
              <a
                href={`#control-${id}`}
                title={control.title}
                className={`${looks} bg-card text-foreground hover:bg-accent`}
                onClick={(event) => {
                  event.preventDefault();
                  openControl(id);
                }}
              >
                {text}
              </a>
            ) : (
              <span className={looks}>{text}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
