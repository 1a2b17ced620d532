import { Copy, Send } from 'lucide-react';
import type { SyntheticEvent } from 'react';
import { ENDPOINTS } from '@/components/oauth/builder/request-fields';
import { DataForm, RequestForm } from '@/components/oauth/builder/request-form';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Button } from '@/components/ui/button';
import { Card, CardContent } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Kbd } from '@/components/ui/kbd';
import { Segmented } from '@/components/ui/segmented';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { toast } from '@/components/ui/toast';
import { asCurl, asFetch, asHttp, BUILDER_TABS, toRawRequest } from '@/lib/oauth/builder/builder-request';

const TAB_NAMES = { authorize: 'Authorize', token: 'Token', data: 'Data' };

export function RequestPane() {
  const { state, change, sending, send } = useBuilder();
  const columns = state.compare && 'grid gap-x-6 gap-y-4 @2xl:grid-cols-[2fr_1fr] @6xl:grid-cols-1';
  const sendInstead = (event: SyntheticEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <Card aria-label="Request">
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={sendInstead}
        onKeyDown={(event) => event.key === 'Enter' && (event.metaKey || event.ctrlKey) && sendInstead(event)}
      >
        <Tabs
          value={state.tab}
          onValueChange={(value) => change({ tab: BUILDER_TABS.find((tab) => tab === value) ?? 'authorize' })}
          className="flex flex-1 flex-col"
        >
          <TabsList aria-label="Request" className="px-4 pt-1">
            {BUILDER_TABS.map((tab) => (
              <TabsTrigger key={tab} value={tab}>
                {TAB_NAMES[tab]}
              </TabsTrigger>
            ))}
          </TabsList>
          {BUILDER_TABS.map((tab) => (
            <TabsContent key={tab} value={tab} className="p-0">
              <CardContent className="pt-3">
                <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
                  <h2 className="min-w-0 font-mono text-sm font-medium">{ENDPOINTS[tab]}</h2>
                  <span className="ml-auto flex items-center gap-2">
                    <Kbd className="max-sm:hidden">Ctrl ↵</Kbd>
                    <Button type="submit" pending={sending}>
                      <Send aria-hidden /> Send
                    </Button>
                  </span>
                </div>
                <div className={cn('flex flex-col gap-5', columns)}>
                  {tab === 'data' ? <DataForm /> : <RequestForm />}
                  <RawRequest />
                </div>
              </CardContent>
            </TabsContent>
          ))}
        </Tabs>
      </form>
    </Card>
  );
}

/** Copies a text; `said` is the toast's title, followed by what it and a refusal mean. */
export async function copyText(text: string, said: string, meaning?: string, alternative?: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(said, { description: meaning });
  } catch {
    toast.error('The browser did not allow copying.', { description: alternative });
  }
}

function RawRequest() {
  const { state, change, request } = useBuilder();
  const { issuer } = useLab();
  const raw = toRawRequest(request);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">What is sent</h3>
        {state.tab === 'data' ? null : (
          <Segmented
            label="Body as"
            value={state.encoding}
            onChange={(encoding) => change({ encoding })}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        )}
      </div>
      <SafeText label="The request as it is sent" text={asHttp(raw, issuer)} className="max-h-80" />
      <div className="flex flex-wrap gap-1.5">
        {Object.entries({ curl: asCurl(raw, issuer), fetch: asFetch(raw, issuer) }).map(([name, code]) => (
          <Button key={name} variant="outline" size="sm" onClick={() => void copyText(code, `Copied as ${name}`)}>
            <Copy aria-hidden /> {name}
          </Button>
        ))}
      </div>
    </div>
  );
}
