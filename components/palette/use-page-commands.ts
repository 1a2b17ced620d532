import { BookOpen, CircleUser, Gauge, Info, KeySquare, type LucideIcon, Radar, Split } from 'lucide-react';
import { buildSectionSlug } from '@/components/docs/section-slug';
import type { Command } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { useHasLab } from '@/components/shell/member';
import { PAGES } from '@/components/shell/navigation';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { SECTIONS } from '@/lib/openapi/sections';

const GROUP = 'Pages';

const createPartCommand = (
  id: string,
  label: string,
  icon: LucideIcon,
  href: string,
  ...keywords: string[]
): Command => ({
  id: `part:${id}`,
  group: GROUP,
  label,
  icon,
  href,
  keywords,
});

/** Parts of pages, which the side navigation does not list. */
const PARTS: readonly Command[] = [
  createPartCommand(
    'named',
    'Named limits',
    Gauge,
    '/limits#named-limits',
    'sms',
    'tokens',
    'in flight',
    'concurrency',
    'anything',
  ),
  createPartCommand('routes', 'Route rules', Split, '/limits?tab=routes', 'class', 'path', 'test a route'),
  createPartCommand(
    'tokens',
    'Admin tokens',
    KeySquare,
    '/settings?tab=tokens',
    'api',
    'automation',
    'credential',
    'revoke',
  ),
  createPartCommand(
    'account',
    'My account',
    CircleUser,
    '/settings?tab=account',
    'password',
    'session',
    'second factor',
    'totp',
    'recovery codes',
    'failed sign-ins',
    'profile',
  ),
  createPartCommand('about', 'About this installation', Info, '/settings?tab=about', 'version', 'store', 'settings'),
  createPartCommand(
    'assess',
    'New assessment',
    Radar,
    '/oauth/assessments/new',
    'oauth',
    'probe',
    'audit a server',
    'create',
  ),
];

/** Commands for every page and part of a page in this installation. */
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
  return [...pages, ...PARTS, ...POLICIES, ...SECTIONS_OF_REFERENCE];
}

const buildPolicyCommand = (id: string, label: string, ...keywords: string[]): Command => ({
  id: `policy:${id}`,
  group: 'Limits',
  label,
  icon: Gauge,
  href: '/limits',
  keywords: ['policy', 'policies', 'window', ...keywords],
});

/** Commands for the policies, which share one page, and for their history. */
const POLICIES: readonly Command[] = [
  ...ENDPOINT_CLASSES.map((name) => buildPolicyCommand(name, `Limits of the class ${CLASS_NAMES[name]}`)),
  buildPolicyCommand('clients', 'Limits of clients', 'public', 'confidential', 'api key', 'oauth'),
  buildPolicyCommand('tiers', 'Quotas of the tiers', 'free', 'starter', 'business', 'enterprise', 'month'),
  buildPolicyCommand('global', 'Global throttle', 'instance', 'requests per second'),
  createChangesCommand({ group: 'Limits', keywords: ['policy'] }, 'policies', 'the policies'),
  createChangesCommand({ group: 'Limits', keywords: ['route rule'] }, 'route-rules', 'the route rules'),
];

/** Sections of the API reference. */
const SECTIONS_OF_REFERENCE: readonly Command[] = SECTIONS.flatMap(({ name, tags }) =>
  tags.map((tag) => ({
    id: `docs:${tag}`,
    group: 'API reference',
    label: `API reference: ${tag}`,
    icon: BookOpen,
    href: `/docs/${buildSectionSlug(tag)}`,
    keywords: ['docs', 'documentation', 'openapi', name],
  })),
);
