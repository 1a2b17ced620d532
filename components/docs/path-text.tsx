import { Fragment } from 'react';

/** Renders a path that wraps only after its slashes, so that names stay whole. */
export function PathText({ path }: { path: string }) {
  return (
    <code className="min-w-0 font-mono text-xs">
      {path.split(/(?<=.\/)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path never move
        <Fragment key={index}>
          {index > 0 ? <wbr /> : null}
          <span className="whitespace-nowrap">{part}</span>
        </Fragment>
      ))}
    </code>
  );
}
