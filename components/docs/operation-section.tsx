import { CodeExamples } from '@/components/docs/code-examples';
import type { OpenApiModel, Parameter, ShownOperation } from '@/components/docs/openapi-model';
import { PathText } from '@/components/docs/path-text';
import { buildRequestToTry } from '@/components/docs/request-to-try';
import { CollapsedFields, describeType, FieldRow, SchemaFields } from '@/components/docs/schema-fields';
import { TryOperation } from '@/components/docs/try-operation';
import { MethodBadge, Prose } from '@/components/docs/typography';
import { Badge } from '@/components/ui/badge';

type Components = OpenApiModel['components'];

const ACCESS: Readonly<Record<string, string>> = {
  public: 'everyone',
  'any-token': 'any token',
  decide: 'operator or gateway',
  'api-key': "an API key's holder",
  'lab-token': 'a lab token',
  'lab-client': 'a lab client',
  cron: 'the scheduler',
};

function Block({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <h3 className="mb-1.5 text-sm font-medium">{title}</h3>
      {children}
    </div>
  );
}

function Parameters({ parameters, components }: { parameters: readonly Parameter[]; components: Components }) {
  return (
    <ul className="rounded-lg border bg-card px-3.5">
      {parameters.map((item) => {
        const parameter = item.$ref
          ? (components.parameters[item.$ref.replace('#/components/parameters/', '')] ?? item)
          : item;
        return (
          <FieldRow
            key={`${parameter.in} ${parameter.name}`}
            name={parameter.name}
            type={`${parameter.schema ? describeType(components.schemas, parameter.schema) : ''} in ${parameter.in}`}
            required={parameter.required}
            description={parameter.description}
          />
        );
      })}
    </ul>
  );
}

function Responses({ responses, schemas }: Pick<ShownOperation, 'responses'> & Pick<Components, 'schemas'>) {
  return (
    <div className="rounded-lg border bg-card px-3.5">
      {Object.entries(responses).map(([status, response]) => {
        const succeeded = status.startsWith('2');
        const schema = succeeded ? response.content?.['application/json']?.schema : undefined;
        return (
          <div key={status} className="border-t py-2 first:border-t-0">
            <div className="flex items-baseline gap-2.5">
              <Badge variant={succeeded ? 'success' : 'neutral'} className="font-mono">
                {status}
              </Badge>
              <div className="min-w-0 flex-1">
                <Prose text={response.description ?? ''} className="text-xs" />
                {schema && <CollapsedFields label={describeType(schemas, schema)} schemas={schemas} node={schema} />}
              </div>
            </div>
          </div>
        );
      })}
    </div>
  );
}

export function OperationSection({ operation, components }: { operation: ShownOperation; components: Components }) {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const access = operation['x-sluice-access'];
  const request = buildRequestToTry(operation, components);
  return (
    <section
      id={operation.operationId}
      aria-labelledby={`${operation.operationId}-title`}
      className="grid scroll-mt-6 gap-x-8 gap-y-5 border-t py-8 first:border-t-0 first:pt-0 xl:grid-cols-[minmax(0,1fr)_24rem]"
    >
      <div className="flex min-w-0 flex-col gap-4">
        <div>
          <h2 id={`${operation.operationId}-title`} className="text-lg font-semibold">
            <a href={`#${operation.operationId}`} className="rounded-xs hover:underline">
              {operation.summary}
            </a>
          </h2>
          <div className="mt-1.5 flex flex-wrap items-center gap-2">
            <MethodBadge method={operation.method} />
            <PathText path={operation.path} />
            {access ? <Badge variant="outline">{ACCESS[access] ?? access}</Badge> : null}
          </div>
        </div>
        {operation.description ? <Prose text={operation.description} /> : null}
        {operation.parameters.length > 0 ? (
          <Block title="Parameters">
            <Parameters parameters={operation.parameters} components={components} />
          </Block>
        ) : null}
        {body ? (
          <Block title="Body">
            <div className="rounded-lg border bg-card px-3.5 py-1">
              <SchemaFields schemas={components.schemas} node={body} />
            </div>
          </Block>
        ) : null}
        <Block title="Responses">
          <Responses responses={operation.responses} schemas={components.schemas} />
        </Block>
      </div>
      <div className="flex min-w-0 flex-col gap-3 xl:sticky xl:top-6 xl:max-h-[calc(100dvh-3rem)] xl:-m-1 xl:self-start xl:scroll-p-2 xl:overflow-y-auto xl:p-1">
        <CodeExamples samples={operation['x-codeSamples']} />
        {request ? <TryOperation request={request} /> : null}
      </div>
    </section>
  );
}
