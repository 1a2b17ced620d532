import { useEffect } from 'react';

/** Names the object of the page in the title of the window. Renders nothing. */
export function PageTitle({ name }: { name: string }) {
  useEffect(() => {
    document.title = `${name} · Sluice`;
  }, [name]);
  return null;
}
