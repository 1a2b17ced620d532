import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { DocsSearch } from '@/components/docs/docs-search';
import { openApiModel, searchIndex } from '@/components/docs/openapi-model';
import { SectionNavigation } from '@/components/docs/section-navigation';
import { buildSectionSlug } from '@/components/docs/section-slug';
import { DocsIncident } from '@/components/frame/docs-incident';
import { Wordmark } from '@/components/shell/wordmark';
import { buttonVariants } from '@/components/ui/button-variants';
import { Link } from '@/components/ui/link';
import { readSession } from '@/lib/auth/session';
import { loadServices } from '@/lib/process/runtime';

/**
 * Returns the signed-in member. Null for others, and if the database is down, because the reference needs no database.
 */
async function findReader() {
  const cookie = (await headers()).get('cookie');
  if (cookie === null) return null;
  const member = await loadServices()
    .then((services) => readSession(cookie, services))
    .catch(() => null);
  if (member === null || member.mustSetUp) return null;
  const { id, email, name, role } = member;
  return { id, email, name, role };
}

export default async function DocsLayout({ children }: { children: ReactNode }) {
  const member = await findReader();
  const model = openApiModel();
  const groups = model['x-tagGroups'].map(({ name, tags }) => ({
    title: name,
    sections: tags.map((tag) => ({ href: `/docs/${buildSectionSlug(tag)}`, label: tag })),
  }));
  return (
    <div className="min-h-dvh">
      <header className="border-b bg-sidebar">
        <div className="mx-auto flex h-14 max-w-7xl items-center gap-3 px-8 max-md:px-4">
          <Link href="/docs" className="inline-flex items-center gap-2.5 rounded-md">
            <Wordmark />
            <span className="text-sm whitespace-nowrap text-muted-foreground max-sm:hidden">API reference</span>
          </Link>
          <DocsSearch index={searchIndex(model)} />
          <Link href="/" className={buttonVariants({ variant: 'outline', className: 'ml-auto' })}>
            Console
          </Link>
        </div>
      </header>
      {member === null ? null : <DocsIncident member={member} />}
      <div className="mx-auto grid max-w-7xl gap-x-10 gap-y-5 px-8 py-7 max-md:px-4 md:grid-cols-[11rem_minmax(0,1fr)]">
        <div className="min-w-0 md:sticky md:top-7 md:self-start">
          <SectionNavigation
            groups={[{ title: null, sections: [{ href: '/docs', label: 'Introduction' }] }, ...groups]}
          />
        </div>
        <main className="min-w-0">{children}</main>
      </div>
    </div>
  );
}
