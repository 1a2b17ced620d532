import { useLayoutEffect } from 'react';

/** The names that components of the page ask for. The newest one is shown. */
const names: { name: string }[] = [];
/** The title of the route. Next sets it, and may do so after the page has rendered. */
let routeTitle = '';
let shownTitle = '';
let observer: MutationObserver | undefined;

/** Shows the newest name, or the title of the route if there is none. */
function showTitle(): void {
  if (document.title !== shownTitle) routeTitle = document.title;
  const named = names.at(-1);
  shownTitle = named ? `${named.name} · Sluice` : routeTitle;
  if (document.title !== shownTitle) document.title = shownTitle;
}

/** Names the object of the page in the title of the window. Renders nothing. */
export function PageTitle({ name }: { name: string }) {
  useLayoutEffect(() => {
    const entry = { name };
    names.push(entry);
    showTitle();
    if (!observer) {
      observer = new MutationObserver(showTitle);
      observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    }
    return () => {
      names.splice(names.indexOf(entry), 1);
      showTitle();
    };
  }, [name]);
  return null;
}
