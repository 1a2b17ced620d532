import { Fragment } from 'react';

/** A path that breaks after its slashes only, so that no name is cut in two. */
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
