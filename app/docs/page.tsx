import type { Metadata } from 'next';
import { listOperations, openApiModel } from '@/components/docs/openapi-model';
import { PathText } from '@/components/docs/path-text';
import { buildSectionSlug } from '@/components/docs/section-slug';
import { MethodBadge, Prose } from '@/components/docs/typography';
import { buttonVariants } from '@/components/ui/button-variants';
import { Link } from '@/components/ui/link';

export const metadata: Metadata = { title: 'API reference' };

export default function DocsPage() {
  const model = openApiModel();
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div className="flex flex-col gap-2">
          <h1 className="text-xl font-semibold">
            {model.info.title} {model.info.version}
          </h1>
          {model.info.description ? <Prose text={model.info.description} /> : null}
        </div>
        <a href="/v1/openapi.json" className={buttonVariants({ variant: 'outline' })}>
          OpenAPI 3.1 document
        </a>
      </header>
      {model.tags.map(({ name }) => (
        <section key={name} aria-labelledby={buildSectionSlug(name)}>
          <h2 id={buildSectionSlug(name)} className="mb-2 text-base font-semibold">
            {name}
          </h2>
          <ul className="overflow-hidden rounded-lg border bg-card">
            {listOperations(model, name).map((operation) => (
              <li key={operation.operationId} className="border-t first:border-t-0">
                <Link
                  href={`/docs/${buildSectionSlug(name)}#${operation.operationId}`}
                  className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3.5 py-2 text-sm hover:bg-muted/60 focus-visible:-outline-offset-2"
                >
                  <MethodBadge method={operation.method} />
                  <PathText path={operation.path} />
                  <span className="text-muted-foreground md:ml-auto">{operation.summary}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
