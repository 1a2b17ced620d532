import {
  Activity,
  BellRing,
  BookOpen,
  Braces,
  FileClock,
  FlaskConical,
  Gauge,
  Handshake,
  Hourglass,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Radar,
  Route,
  ScanSearch,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Users,
} from 'lucide-react';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { useHasLab } from '@/components/shell/member';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';

interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** Second key of the page's shortcut, after `g`. */
  key: string;
  keywords?: string[];
  /** Requires the OAuth lab, which the configuration can disable. */
  lab?: true;
}

/** Every page of the console, in the order of the side navigation. */
const NAVIGATION: readonly { title: string | null; destinations: readonly Destination[] }[] = [
  {
    title: null,
    destinations: [
      { href: '/', label: 'Overview', icon: LayoutDashboard, key: 'o', keywords: ['home', 'health', 'chart'] },
      { href: '/alerts', label: 'Alerts', icon: BellRing, key: 'n', keywords: ['inbox', 'acknowledge', 'snooze'] },
      { href: '/decisions', label: 'Decisions', icon: Activity, key: 'd', keywords: ['log', 'refused', '429', 'live'] },
    ],
  },
  {
    title: 'Rate limits',
    destinations: [
      { href: '/limits', label: 'Limits', icon: Gauge, key: 'l', keywords: ['policies', 'route rules', 'classes'] },
      {
        href: '/limits/inspect',
        label: 'Inspector',
        icon: ScanSearch,
        key: 'i',
        keywords: ['counters', 'ip', 'user', 'reset'],
      },
      {
        href: '/limits/explain',
        label: 'Explain',
        icon: Route,
        key: 'x',
        keywords: ['why', 'request id', '429', 'trace'],
      },
      { href: '/limits/overrides', label: 'Overrides', icon: SlidersHorizontal, key: 'v', keywords: ['exception'] },
      { href: '/allowlist', label: 'Allowlist', icon: ShieldCheck, key: 'a', keywords: ['bypass', 'ip range'] },
      { href: '/exceptions', label: 'Exceptions', icon: Hourglass, key: 'p', keywords: ['ends', 'grants', 'unused'] },
    ],
  },
  {
    title: 'Access',
    destinations: [
      { href: '/keys', label: 'Keys & quotas', icon: KeyRound, key: 'k', keywords: ['api key', 'tier', 'usage'] },
      { href: '/audit', label: 'Audit log', icon: FileClock, key: 'u', keywords: ['history', 'changes', 'who'] },
    ],
  },
  {
    title: 'OAuth',
    destinations: [
      {
        href: '/oauth',
        label: 'OAuth builder',
        icon: FlaskConical,
        key: 'b',
        lab: true,
        keywords: ['pkce', 'request'],
      },
      { href: '/oauth/client', label: 'OAuth client', icon: Handshake, key: 'c', keywords: ['curl', 'dpop', 'par'] },
      { href: '/oauth/token', label: 'Token workbench', icon: Braces, key: 't', keywords: ['jwt', 'jwks', 'forge'] },
      { href: '/oauth/assessments', label: 'Assessments', icon: Radar, key: 'e', keywords: ['probe', 'report'] },
    ],
  },
];

/** Pages about the installation itself. */
const SECONDARY: readonly Destination[] = [
  { href: '/settings', label: 'Settings', icon: Settings, key: 's', keywords: ['tokens', 'members', 'about'] },
  { href: '/docs', label: 'API reference', icon: BookOpen, key: 'r', keywords: ['openapi', 'curl'] },
];

/** Part of the settings with its own shortcut. */
const MEMBERS: Destination = {
  href: '/settings?tab=members',
  label: 'Members',
  icon: Users,
  key: 'm',
  keywords: ['people', 'role', 'invite', 'user', 'remove', 'reset password', 'second factor', 'end sessions'],
};

export const PAGES = [...NAVIGATION.flatMap((group) => group.destinations), ...SECONDARY, MEMBERS];

/** Returns the navigation link for a path: the longest href that is a prefix of it. */
export function findActiveHref(pathname: string): string | undefined {
  return PAGES.map((destination) => destination.href)
    .filter((href) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`)))
    .sort((a, b) => b.length - a.length)[0];
}

interface SideNavigationProps {
  /** Shown at the end of the link to the alerts. */
  alertCount: ReactNode;
  onNavigate?: () => void;
}

export function SideNavigation({ alertCount, onNavigate }: SideNavigationProps) {
  const lab = useHasLab();
  const active = findActiveHref(usePathname());
  const link = ({ href, icon: Icon, label }: Destination) => (
    <li key={href}>
      <Link
        href={href}
        aria-current={href === active ? 'page' : undefined}
        onClick={onNavigate}
        className={cn(
          'flex h-8 items-center gap-2.5 rounded-md px-2 text-sm transition-colors max-md:h-10 max-md:text-base',
          href === active
            ? 'bg-foreground/[0.07] font-medium text-foreground'
            : 'text-muted-foreground hover:bg-foreground/[0.04] hover:text-foreground',
        )}
      >
        <Icon aria-hidden className={cn('size-4 shrink-0', href === active && 'text-primary')} />
        {label}
        {href === '/alerts' ? alertCount : null}
      </Link>
    </li>
  );
  return (
    <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-3 pt-1 pb-3">
      {NAVIGATION.map((group) => {
        const shown = group.destinations.filter((destination) => lab || !destination.lab);
        return (
          <div key={group.title ?? 'first'}>
            {group.title ? <p className="px-2 pb-1 text-xs text-muted-foreground">{group.title}</p> : null}
            <ul className="flex flex-col gap-px">{shown.map(link)}</ul>
          </div>
        );
      })}
      <ul className="mt-auto flex flex-col gap-px">{SECONDARY.map(link)}</ul>
    </nav>
  );
}
