import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/** Link to a page of Sluice. It fetches the page when it is followed, because a list has hundreds of links. */
export function Link(props: Omit<ComponentProps<typeof NextLink>, 'prefetch'>) {
  return <NextLink prefetch={false} {...props} />;
}
