import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { listOperations, openApiModel } from '@/components/docs/openapi-model';
import { OperationSection } from '@/components/docs/operation-section';
import { buildSectionSlug } from '@/components/docs/section-slug';

interface Props {
  params: Promise<{ section: string }>;
}

function findTag(section: string): string | undefined {
  return openApiModel().tags.find(({ name }) => buildSectionSlug(name) === section)?.name;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const tag = findTag((await params).section);
  return { title: tag ? `${tag}, API reference` : 'API reference' };
}

export default async function DocsSectionPage({ params }: Props) {
  const tag = findTag((await params).section);
  if (tag === undefined) notFound();
  const model = openApiModel();
  return (
    <>
      <h1 className="mb-6 text-xl font-semibold">{tag}</h1>
      <div>
        {listOperations(model, tag).map((operation) => (
          <OperationSection key={operation.operationId} operation={operation} components={model.components} />
        ))}
      </div>
    </>
  );
}
