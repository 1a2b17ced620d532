import type { ReactNode } from 'react';

/** Section of the drawer with a heading. `more` is shown right of the heading. */
export function DrawerSection(props: { id: string; title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section aria-labelledby={props.id} className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h3 id={props.id} className="text-sm font-semibold">
          {props.title}
        </h3>
        {props.more}
      </div>
      {props.children}
    </section>
  );
}
