import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { cn } from '@/components/ui/cn';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Links controls by id to their rows in the matrix. An id that does not exist has no link. */
export function ControlLinks(links: { label: string; ids: readonly string[]; prefix?: string; className?: string }) {
  const { label, ids, prefix, className } = links;
  const { openControl } = useBuilder();
  const { controls } = useLab();
  const chip = 'inline-flex h-6 items-center rounded-sm border px-1.5 font-mono';
  return (
    <ul className={cn('flex flex-wrap items-center gap-1.5 text-xs', className)} aria-label={label}>
      {prefix ? <li>{prefix}</li> : null}
      {ids.map((id) => {
        const control = controls.find((candidate) => candidate.id === id);
        return (
          <li key={id}>
            <a
              href={control && `#control-${id}`}
              title={control?.title}
              className={cn(chip, control && 'bg-card text-foreground hover:bg-accent')}
              onClick={(event) => {
                event.preventDefault();
                if (control) openControl(id);
              }}
            >
              {escapeInvisibleCharacters(id.slice(0, 64))}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
