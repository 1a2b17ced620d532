import { describe, expect, it } from 'vitest';
import { SCREENS } from '@/demo/screens-list.mjs';
import { CONSOLE_TITLES } from '../fixtures/console-pages';
import { routesOnDisk } from '../fixtures/routes-on-disk';

/** Pages that are no part of the console: people see them signed out, or the suites of the lab open them. */
const OTHERS = ['/sign-in', '/sign-in/second-factor', '/invitation', '/oauth/token', '/oauth/callback'];

const pages = routesOnDisk('page.tsx');
/** The route of a path: its parameters are `x`, as on disk. */
const findRoute = (path: string) => {
  const [pathname = ''] = path.split(/[?#]/);
  return pages.includes(pathname) ? pathname : pathname.replace(/\/[^/]+$/, '/x');
};

describe('every page of the console', () => {
  const visited = new Set(Object.keys(CONSOLE_TITLES).map(findRoute));
  const pictured = new Set(
    SCREENS.map(({ path, follow }) => {
      const start = typeof path === 'function' ? path({ url: '/invitation', id: 'x' }) : path;
      return follow === undefined ? findRoute(start) : `${findRoute(start)}/x`;
    }),
  );

  it.each(pages.filter((page) => !OTHERS.includes(page)))('%s is visited by the suites', (page) => {
    expect(visited).toContain(page);
  });

  it.each(pages)('%s is a screen of the demonstration', (page) => {
    expect(pictured).toContain(page);
  });
});
