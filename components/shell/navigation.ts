import {
  Activity,
  BookOpen,
  FileClock,
  FlaskConical,
  Gauge,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Radar,
  ScanSearch,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
} from 'lucide-react';

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** More words by which the command palette finds it. */
  keywords?: string[];
  /** Part of the OAuth lab, which a configuration can switch off. */
  lab?: true;
}

/** Every page of the console, in the order of the side navigation. */
export const NAVIGATION: readonly { title: string | null; destinations: readonly Destination[] }[] = [
  {
    title: null,
    destinations: [
      { href: '/', label: 'Overview', icon: LayoutDashboard, keywords: ['home', 'health', 'chart'] },
      { href: '/decisions', label: 'Decisions', icon: Activity, keywords: ['log', 'refused', '429', 'live'] },
    ],
  },
  {
    title: 'Rate limits',
    destinations: [
      { href: '/limits', label: 'Limits', icon: Gauge, keywords: ['policies', 'route rules', 'classes'] },
      { href: '/limits/inspect', label: 'Inspector', icon: ScanSearch, keywords: ['counters', 'ip', 'user', 'reset'] },
      { href: '/limits/overrides', label: 'Overrides', icon: SlidersHorizontal, keywords: ['exception'] },
      { href: '/allowlist', label: 'Allowlist', icon: ShieldCheck, keywords: ['bypass', 'ip range'] },
    ],
  },
  {
    title: 'Access',
    destinations: [
      { href: '/keys', label: 'Keys & quotas', icon: KeyRound, keywords: ['api key', 'tier', 'usage'] },
      { href: '/audit', label: 'Audit log', icon: FileClock, keywords: ['history', 'changes', 'who'] },
    ],
  },
  {
    title: 'OAuth lab',
    destinations: [
      { href: '/oauth', label: 'OAuth builder', icon: FlaskConical, lab: true, keywords: ['pkce', 'request'] },
      { href: '/oauth/assessments', label: 'Assessments', icon: Radar, lab: true, keywords: ['probe', 'report'] },
    ],
  },
];

/** Pages that belong to the installation rather than to the work. */
export const SECONDARY: readonly Destination[] = [
  { href: '/settings', label: 'Settings', icon: Settings, keywords: ['tokens', 'members', 'about'] },
  { href: '/docs', label: 'API reference', icon: BookOpen, keywords: ['openapi', 'curl'] },
];

/** The destination that a path belongs to: the longest address that starts it. */
export function activeHref(pathname: string): string | undefined {
  return [...NAVIGATION.flatMap((group) => group.destinations), ...SECONDARY]
    .map((destination) => destination.href)
    .filter((href) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`)))
    .sort((a, b) => b.length - a.length)[0];
}
