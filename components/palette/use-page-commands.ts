import { CircleUser, Gauge, Info, KeySquare, Radar, Split, Users } from 'lucide-react';
import { CLASS_NAMES } from '@/components/limits/class-names';
import type { Command } from '@/components/palette/command';
import { useHasLab } from '@/components/shell/member';
import { PAGES } from '@/components/shell/navigation';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const GROUP = 'Pages';

/** Parts of pages, which the side navigation does not list. */
const PARTS: readonly Command[] = [
  {
    id: 'part:routes',
    label: 'Route rules',
    icon: Split,
    href: '/limits?tab=routes',
    keywords: ['class', 'path', 'test a route'],
  },
  {
    id: 'part:tokens',
    label: 'Admin tokens',
    icon: KeySquare,
    href: '/settings?tab=tokens',
    keywords: ['api', 'automation', 'credential'],
  },
  {
    id: 'part:members',
    label: 'Members',
    icon: Users,
    href: '/settings?tab=members',
    keywords: ['people', 'role', 'invite', 'user'],
    keys: 'g m',
  },
  {
    id: 'part:account',
    label: 'My account',
    icon: CircleUser,
    href: '/settings?tab=account',
    keywords: ['password', 'session', 'second factor', 'totp', 'profile'],
  },
  {
    id: 'part:about',
    label: 'About this installation',
    icon: Info,
    href: '/settings?tab=about',
    keywords: ['version', 'store', 'settings'],
  },
  {
    id: 'part:assess',
    label: 'New assessment',
    icon: Radar,
    href: '/oauth/assessments/new',
    keywords: ['oauth', 'probe', 'audit a server', 'create'],
  },
].map((part) => ({ ...part, group: GROUP }));

/** Every page and part of a page of this installation. */
export function usePageCommands(): Command[] {
  const lab = useHasLab();
  const pages = PAGES.filter((page) => lab || !page.lab).map(
    ({ href, label, icon, keywords, key }): Command => ({
      id: `page:${href}`,
      group: GROUP,
      label,
      icon,
      href,
      keywords: ['go to', 'open', ...(keywords ?? [])],
      keys: `g ${key}`,
    }),
  );
  const classes = ENDPOINT_CLASSES.map(
    (name): Command => ({
      id: `policy:${name}`,
      group: 'Limits',
      label: `Limits of the class ${CLASS_NAMES[name]}`,
      icon: Gauge,
      href: '/limits',
      keywords: ['policy', 'policies', 'window'],
    }),
  );
  return [...pages, ...PARTS, ...classes];
}
